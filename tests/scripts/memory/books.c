/* SPDX-License-Identifier: MIT */
/* books - a sink that writes the counters of memory as alloc.c of the golden data writes its own
 * books: a line for each row with calls, but those of steps. */
#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <string.h>

struct books {
    const char *path;
    FILE *file;
};

static const struct sw_option options[] = {{.name = "path",
                                            .type = SW_OPTION_PATH,
                                            .offset = offsetof(struct books, path),
                                            .fallback = "books.txt",
                                            .help = "file to write"},
                                           {.name = NULL}};

static int books_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct books *books = state;
    return sw_sink_create(sink, books->path, &books->file, err);
}

static const struct sw_counter_total *counter(const struct sw_report *report,
                                              const struct sw_report_row *row, const char *name)
{
    static const struct sw_counter_total none = {.total = -1, .self = -1};
    for (size_t i = 0; i < report->counter_count; i++)
        if (strcmp(sw_row_counter(report, row, i)->name, name) == 0)
            return sw_row_counter(report, row, i);
    return &none;
}

static void row_write(FILE *file, const struct sw_report *report, const struct sw_report_row *row)
{
    static const char *const names[] = {"allocated", "freed", "allocs", "frees", "net"};
    fprintf(file,
            " {\"phase\": \"%s\", \"action\": \"%s\", \"calls\": %" PRId64 ", \"peak\": %" PRId64,
            row->phase, row->action, row->calls, counter(report, row, "peak")->total);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct sw_counter_total *is = counter(report, row, names[i]);
        fprintf(file, ", \"%s\": [%" PRId64 ", %" PRId64 "]", names[i], is->total, is->self);
    }
    fputs("}\n", file);
}

static int books_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct books *books = state;
    (void)err;
    for (size_t i = 0; i < record->report->count; i++) {
        const struct sw_report_row *row = sw_report_row(record->report, i);
        if (row->calls && row->action_id != SW_STEP)
            row_write(books->file, record->report, row);
    }
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "books",
    .version = "1",
    .license = "MIT",
    .summary = "counters of memory",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .options = options,
    .state_size = sizeof(struct books),
    .open = books_open,
    .record = books_record,
};
