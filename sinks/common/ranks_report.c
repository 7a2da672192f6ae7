/* SPDX-License-Identifier: MIT */
#include "sinks/common/ranks_report.h"
#include "core/text/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of a report, followed by the columns of all ranks. */
struct both_rows {
    struct sw_report_row row;
    struct sw_ranks_row ranks;
};

#define TEXT(field) offsetof(struct both_rows, row.field)
#define ALL(field) offsetof(struct both_rows, ranks.field)
#define STANDARD SW_COLUMN_STANDARD

/* clang-format off */
static const struct sw_column columns[] = {
    {"phase",        "Phase",             "Phase",     "",      SW_COLUMN_TEXT,     STANDARD, TEXT(phase)},
    {"action",       "Action",            "Action",    "",      SW_COLUMN_TEXT,     STANDARD, TEXT(action)},
    {"ranks",        "Ranks",             "Ranks",     "ranks", SW_COLUMN_COUNT,    STANDARD, ALL(ranks)},
    {"min_ns",       "Min",               "Min",       "ns",    SW_COLUMN_DURATION, STANDARD, ALL(min_ns)},
    {"min_rank",     "Min Rank",          "@Rank",     "",      SW_COLUMN_COUNT,    STANDARD, ALL(min_rank)},
    {"mean_ns",      "Mean",              "Mean",      "ns",    SW_COLUMN_DURATION, STANDARD, ALL(mean_ns)},
    {"max_ns",       "Max",               "Max",       "ns",    SW_COLUMN_DURATION, STANDARD, ALL(max_ns)},
    {"max_rank",     "Max Rank",          "@Rank",     "",      SW_COLUMN_COUNT,    STANDARD, ALL(max_rank)},
    {"imbalance",    "Imbalance",         "Imbalance", "",      SW_COLUMN_RATIO,    STANDARD, ALL(imbalance)},
    {"calls",        "Number of Calls",   "Calls",     "calls", SW_COLUMN_COUNT,    STANDARD, ALL(calls)},
    {"call_mean_ns", "Mean Duration",     "Call Mean", "ns",    SW_COLUMN_DURATION, STANDARD, ALL(call_mean_ns)},
    {"call_std_ns",  "Duration Std Dev",  "Call Std",  "ns",    SW_COLUMN_DURATION, 0,        ALL(call_std_ns)},
    {"p50_ns",       "P50",               "P50",       "ns",    SW_COLUMN_DURATION, 0,        ALL(p50_ns)},
    {"p95_ns",       "P95",               "P95",       "ns",    SW_COLUMN_DURATION, 0,        ALL(p95_ns)},
    {"p99_ns",       "P99",               "P99",       "ns",    SW_COLUMN_DURATION, 0,        ALL(p99_ns)},
};
/* clang-format on */

static struct both_rows row_of(const struct sw_ranks_row *row)
{
    struct both_rows both = {.ranks = *row};
    both.row.phase_id = row->phase_id;
    both.row.action_id = row->action_id;
    both.row.phase = row->phase;
    both.row.action = row->action;
    both.row.calls = row->calls;
    return both;
}

bool swi_ranks_report_init(struct sw_report *report, const struct sw_ranks *ranks)
{
    struct both_rows *rows = calloc(ranks->count + 1, sizeof *rows);
    *report = (struct sw_report){.size = sizeof *report,
                                 .fit = ranks->fit,
                                 .complete = ranks->complete,
                                 .epoch = ranks->epoch,
                                 .step = ranks->step,
                                 .count = rows ? ranks->count : 0,
                                 .row_size = sizeof *rows,
                                 .row = rows ? &rows->row : NULL,
                                 .column_count = sizeof columns / sizeof *columns,
                                 .column_size = sizeof *columns,
                                 .column = columns};
    for (size_t i = 0; rows && i < ranks->count; i++)
        rows[i] = row_of(sw_ranks_row_at(ranks, i));
    return rows;
}

void swi_ranks_report_fini(struct sw_report *report)
{
    free((void *)report->row);
    report->row = NULL;
}

static void shares_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (isfinite(ranks->lost))
        swi_text_format(text, "Perfect balance would save %.1f %%", 100 * ranks->lost);
    if (isfinite(ranks->lost) && isfinite(ranks->communication))
        swi_text_format(text, "; communication that all wait for: %.1f %%",
                        100 * ranks->communication);
    swi_text_put(text, isfinite(ranks->lost) ? "\n" : "");
}

static void next_add(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape)
{
    size_t count = SW_HAS(ranks->size, ranks, finding) ? ranks->finding_count : 0;
    for (size_t i = 0; i < count; i++) {
        swi_text_put(text, "  Try: ");
        escape(text, sw_ranks_finding(ranks, i)->next);
        swi_text_put(text, "\n");
    }
}

void swi_ranks_notes(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape,
                     bool advice)
{
    swi_text_format(text, "%" PRId64 " of %" PRId64 " ranks", ranks->ranks, ranks->world_size);
    if (ranks->steps)
        swi_text_format(text, ", %" PRId64 " training steps", ranks->steps);
    swi_text_put(text, "\n");
    shares_add(text, ranks);
    if (!ranks->sentence)
        return;
    escape(text, ranks->sentence);
    swi_text_put(text, "\n");
    if (advice)
        next_add(text, ranks, escape);
}

void swi_ranks_path(struct swi_text *text, const char *path)
{
    size_t stem = swi_stem_length(path);
    if (strcmp(path, "-") == 0) {
        swi_text_put(text, path);
        return;
    }
    swi_text_add(text, path, stem);
    swi_text_format(text, "-ranks%s", path + stem);
}
