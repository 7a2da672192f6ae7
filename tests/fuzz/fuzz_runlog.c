/* SPDX-License-Identifier: MIT */
/* fuzz_runlog.c - whatever is in a run log, it is read to its end, a line that is refused is so
 * with its number, and what was read makes a report. What is JSON is decided as jansson does.
 *
 * For libFuzzer (make fuzz-runlog), and with the seeds of tests/fuzz/runlog a suite of tests/check.
 */
#include "tests/fuzz/fuzz.h"

#include "tests/support/log_json.h"
#include "tools/log/log_lines.h"
#include "tools/log/player.h"

#include <stepwatch/sink.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void silent(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    require(*text);
}

/* ---- a sink that reads all of each value ----------------------------------------------------- */

static size_t read_text(const char *text)
{
    return text ? strlen(text) : 0;
}

static size_t read_table(const struct sw_table *table)
{
    size_t sum = 0;
    for (size_t i = 0; table && i < table->columns; i++) {
        const struct sw_table_column *column = sw_table_at(table, i);
        sum += read_text(column->name);
        for (size_t row = 0; row < table->rows; row++)
            sum += column->type == SW_TEXT   ? read_text(((const char *const *)column->data)[row])
                   : column->type == SW_BOOL ? ((const bool *)column->data)[row]
                                             : ((const uint64_t *)column->data)[row] & 1;
    }
    return sum;
}

static size_t read_bins(const struct sw_bins *bins)
{
    size_t sum = 0;
    for (size_t i = 0; bins && i < bins->count; i++) {
        const struct sw_bin *bin = sw_bins_at(bins, i);
        require(bin->low <= bin->high);
        require(i == 0 || sw_bins_at(bins, i - 1)->high <= bin->low);
        sum += bin->count & 1;
    }
    return sum;
}

static size_t read_pictures(struct sw_sink *sink, const struct sw_pictures *pictures)
{
    size_t sum = 0;
    for (size_t i = 0; pictures && i < pictures->count; i++) {
        struct sw_error err = {0};
        const struct sw_picture *picture = sw_pictures_at(pictures, i);
        const void *bytes;
        size_t size;
        require(picture->width > 0 && picture->height > 0);
        if (sw_sink_encode(sink, picture, &bytes, &size, &err) == 0)
            sum += ((const uint8_t *)bytes)[size - 1];
        sum += read_text(picture->caption);
    }
    return sum;
}

/* ---- and of each report ---------------------------------------------------------------------- */

static size_t read_bin_counts(const struct sw_distribution *durations)
{
    size_t sum = 0;
    for (size_t i = 0; i < durations->bin_count; i++) {
        const struct sw_bin *bin = sw_distribution_bin(durations, i);
        require(bin->low < bin->high);
        require(i == 0 || sw_distribution_bin(durations, i - 1)->high <= bin->low);
        sum += bin->count & 1;
    }
    return sum;
}

static size_t read_row(const struct sw_report *report, const struct sw_report_row *row)
{
    size_t sum = read_text(row->phase) + read_text(row->action) + read_text(row->shape);
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(report, row, i);
        sum += read_text(counter->name) + read_text(counter->unit) + (size_t)(counter->total & 1);
    }
    return sum + read_bin_counts(&row->durations);
}

static size_t read_finding(const struct sw_finding *finding)
{
    size_t sum = read_text(finding->id) + read_text(finding->text) + read_text(finding->next);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        sum += read_text(evidence->name);
        if (evidence->kind == SW_EVIDENCE_TEXT)
            sum += read_text(evidence->text);
        for (int64_t k = 0; evidence->kind == SW_EVIDENCE_STEPS && k < evidence->count; k++)
            sum += evidence->step[k] & 1;
    }
    return sum;
}

static size_t read_report(const struct sw_report *report)
{
    size_t sum = read_text(report->gpu);
    for (size_t i = 0; i < report->count; i++)
        sum += read_row(report, sw_report_row(report, i));
    for (size_t i = 0; i < report->shaped_count; i++)
        sum += read_row(report, sw_report_shaped(report, i));
    for (size_t i = 0; i < report->finding_count; i++)
        sum += read_finding(sw_report_finding(report, i));
    for (size_t i = 0; i < report->misuse_count; i++)
        sum += read_text(sw_report_misuse(report, i)->text);
    return sum;
}

static int reader_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)err;
    *(struct sw_sink **)state = sink;
    return 0;
}

static int reader_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)err;
    size_t sum = 0;
    if (record->value) {
        sum = read_text(record->value->name) + read_text(record->value->text) +
              read_table(record->value->table) + read_bins(record->value->bins) +
              read_pictures(*(struct sw_sink **)state, record->value->pictures);
    }
    if (record->type == SW_RECORD_REPORT)
        sum = read_report(record->report);
    require(sum < SIZE_MAX);
    return 0;
}

static void reader_register(void)
{
    static const struct sw_sink_plugin reader = {
        SW_SINK_HEADER,
        .name = "value_reader",
        .version = "1",
        .license = "MIT",
        .summary = "reads values and reports",
        .wants = SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_RULE) | SW_WANT(SW_RECORD_SUMMARY) |
                 SW_WANT(SW_RECORD_LINE) | SW_WANT(SW_RECORD_REPORT),
        .state_size = sizeof(struct sw_sink *),
        .open = reader_open,
        .record = reader_record};
    struct sw_error err;
    require(sw_sink_register(&reader, NULL, &err) == 0);
}

/* ---- the reader against jansson -------------------------------------------------------------- */

static void line_compare(const char *begin, size_t size)
{
    struct log_line line = {0};
    char *text = strndup(begin, size);
    require(text);
    json_t *expected = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const struct log_value *value = log_line_parse(&line, text, strlen(text));
    require(!value == !expected);
    if (value) {
        json_t *found = log_value_json(value);
        require(json_equal(found, expected));
        json_decref(found);
    } else {
        require(strncmp(text, begin, strlen(text)) == 0);
    }
    json_decref(expected);
    log_line_free(&line);
    free(text);
}

static void lines_compare(const char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(data + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - data) - at : size - at;
        line_compare(data + at, length);
        at += length + 1;
    }
}

/* ---- playing --------------------------------------------------------------------------------- */

/* The line's number is in the message. */
static void require_place(const struct log *log, const struct sw_error *err)
{
    char place[128];
    snprintf(place, sizeof place, "%s:%ld: ", log->path, log->number);
    require(err->code == SW_EIO || strncmp(sw_error_text(err), place, strlen(place)) == 0);
}

/* As `stepwatch report` does, which leaves damaged lines out. Returns how many were played. */
static int64_t play(struct log *log, struct player *player)
{
    struct sw_error err = {0};
    const struct log_value *line;
    int64_t played = 0;
    int rc;
    /* A line may stand for a million steps. */
    enum { MOST = 20000 };
    while (played < MOST && (rc = log_next(log, &line, &err)) != 0 &&
           (rc > 0 || err.code == SW_EFORMAT)) {
        if (rc > 0) {
            played += player_play(player, line, &err) == 0;
        } else {
            require_place(log, &err);
        }
    }
    return played;
}

int64_t fuzz_runlog(const uint8_t *data, size_t size)
{
    char path[64];
    struct log log;
    struct player player;
    struct sw_error err;
    struct sw_report *report = NULL;
    lines_compare((const char *)data, size);
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    reader_register();
    struct sw_profiler *sw = sw_open_text("profiler: { mode: simple, show_report: false, signals: "
                                          "false }\nlogger_callback: [value_reader]\n",
                                          &err);
    require(sw && log_open(&log, path, &err) == 0);
    sw_set_messages(sw, silent, NULL);
    player_init(&player, sw, 0);
    int64_t played = play(&log, &player);
    player_end(&player);
    player_fini(&player);
    require(sw_report_new(sw, &report, &err) >= 0);
    sw_report_free(report);
    require(sw_close(sw, &err) == 0);
    log_close(&log);
    close(fd);
    return played;
}
