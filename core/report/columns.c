/* SPDX-License-Identifier: MIT */
/* A line here adds a column to every output: table, markdown, CSV, run log, JSON, HTML, wandb and
 * TensorBoard. */
#include "core/report/columns.h"

#define ROW(field) offsetof(struct sw_report_row, field)
#define STANDARD SW_COLUMN_STANDARD
#define ROUNDED (SW_COLUMN_STANDARD | SW_COLUMN_ROUNDED) /* like the source profilers */
#define REPEATED SW_COLUMN_REPEATED

/* clang-format off */
static const struct sw_column columns[] = {
    {"phase",         "Phase",            "Phase",     "",          SW_COLUMN_TEXT,     STANDARD, ROW(phase)},
    {"action",        "Action",           "Action",    "",          SW_COLUMN_TEXT,     STANDARD, ROW(action)},
    {"mean_ns",       "Mean Duration",    "Mean",      "ns",        SW_COLUMN_DURATION, STANDARD, ROW(mean_ns)},
    {"std_ns",        "Duration Std Dev", "Std Dev",   "ns",        SW_COLUMN_DURATION, STANDARD, ROW(std_ns)},
    {"calls",         "Number of Calls",  "Calls",     "calls",     SW_COLUMN_COUNT,    STANDARD, ROW(calls)},
    {"samples_per_s", "Samples/Second",   "Samples/s", "samples/s", SW_COLUMN_RATE,     ROUNDED,  ROW(samples_per_s)},
    {"total_ns",      "Total Time",       "Total",     "ns",        SW_COLUMN_DURATION, STANDARD, ROW(total_ns)},
    {"share",         "Percent of Total", "Share",     "",          SW_COLUMN_RATIO,    ROUNDED,  ROW(share)},
    {"samples_per_s", "Samples/Second Unrounded", "Unrounded", "samples/s", SW_COLUMN_RATE, REPEATED, ROW(samples_per_s)},
    {"self_ns",       "Self Time",        "Self",      "ns",        SW_COLUMN_DURATION, 0,        ROW(self_ns)},
    {"min_ns",        "Min",              "Min",       "ns",        SW_COLUMN_DURATION, 0,        ROW(durations.min)},
    {"max_ns",        "Max",              "Max",       "ns",        SW_COLUMN_DURATION, 0,        ROW(durations.max)},
    {"p50_ns",        "P50",              "P50",       "ns",        SW_COLUMN_DURATION, 0,        ROW(p50_ns)},
    {"p95_ns",        "P95",              "P95",       "ns",        SW_COLUMN_DURATION, 0,        ROW(p95_ns)},
    {"p99_ns",        "P99",              "P99",       "ns",        SW_COLUMN_DURATION, 0,        ROW(p99_ns)},
    {"overall_samples_per_s", "Overall Samples/Second", "Overall", "samples/s", SW_COLUMN_RATE, 0, ROW(overall_samples_per_s)},
#ifdef ONE_MORE_COLUMN /* tests/scripts/columns.sh */
    ONE_MORE_COLUMN
#endif
};
/* clang-format on */

void swi_columns_set(struct sw_report *report)
{
    report->column = columns;
    report->column_count = sizeof columns / sizeof *columns;
    report->column_size = sizeof *columns;
}
