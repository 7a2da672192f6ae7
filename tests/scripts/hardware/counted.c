/* SPDX-License-Identifier: MIT */
/* counted COUNTERS [gap | columns] - measures four steps with these counters, and prints what they
 * used. gap: the processor's counters stand still for a while in the second step. columns: writes
 * table.txt, report.csv and chosen.md as well. */
#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sinks[] =
    "logger_callback:\n"
    "  - table: { path: table.txt, columns: all }\n"
    "  - csv: { path: report.csv }\n"
    "  - markdown: { path: chosen.md, sort: raw:0x1, columns: [action, ipc, "
    "raw:0x1, mfu, tokens_per_s] }\n";

static void gap(void)
{
    void (*fake_gap)(void);
    *(void **)&fake_gap = dlsym(RTLD_DEFAULT, "fake_gap");
    if (fake_gap)
        fake_gap();
}

static void step(struct sw_profiler *sw, bool with_gap)
{
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    if (with_gap)
        gap();
    sw_end(sw, SW_FORWARD);
    sw_begin(sw, SW_LOSS);
    sw_end(sw, SW_LOSS);
    sw_end_batch(sw, 1);
}

static void row_print(const struct sw_report *report, const struct sw_report_row *row)
{
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct sw_counter_total *use = sw_row_counter(report, row, i);
        printf("%s %s ", row->action, use->name);
        if (use->total == SW_COUNTER_NONE)
            puts("-");
        else
            printf("%" PRId64 " in %" PRId64 " missed %" PRId64 "\n", use->total, use->calls,
                   use->missed);
    }
}

int main(int argc, char **argv)
{
    char yaml[512];
    SW_ERROR_SCOPE(err);
    struct sw_report *report;
    const char *what = argc > 2 ? argv[2] : "";
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false, drop_first_batch: false, counters: "
             "[%s] }\n%s",
             argc > 1 ? argv[1] : "cycles", strcmp(what, "columns") == 0 ? sinks : "");
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        return EXIT_FAILURE;
    }
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4; i++)
        step(sw, i == 1 && strcmp(what, "gap") == 0);
    sw_end(sw, SW_FIT);
    if (sw_report_new(sw, &report, &err) < 0)
        return EXIT_FAILURE;
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(sw_report_row(report, i)->phase, "train") == 0 &&
            sw_report_row(report, i)->calls)
            row_print(report, sw_report_row(report, i));
    sw_report_free(report);
    return sw_close(sw, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
