/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/all_ranks.h"

#include "core/text/escape.h"
#include "sinks/common/markdown_report.h"
#include "sinks/common/ranks_report.h"
#include "sinks/tensorboard/event_stream.h"

#include <math.h>

static void figure(struct tensorboard *t, const struct sw_record *record, const char *tag,
                   const char *about, const char *action, double value)
{
    if (!isfinite(value))
        return;
    event_stream_describe(t, &t->stream[ROOT], record->wall_s, tag, about, action);
    event_stream_point(t, &t->stream[ROOT], record->ranks->step, record->wall_s, tag, value);
}

static void row_figures(struct tensorboard *t, const struct sw_record *record,
                        const struct sw_ranks_row *row)
{
    char tag[TAG_MAX];
    snprintf(tag, sizeof tag, GROUP_RANKS "/%s_%s_imbalance_percent", row->phase, row->action);
    figure(t, record, tag,
           "How much more total time the slowest rank has in `%s` than the mean of all ranks.",
           row->action, 100 * row->imbalance);
}

static void figures_write(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_ranks *ranks = record->ranks;
    for (size_t i = 0; i < ranks->count && i < ROWS_MAX; i++)
        if (sw_ranks_row_at(ranks, i)->phase_id == SW_PHASE_TRAIN)
            row_figures(t, record, sw_ranks_row_at(ranks, i));
    figure(t, record, GROUP_RANKS "/lost_percent",
           "Share of the time that perfect balance of the ranks would save%s.", "",
           100 * ranks->lost);
    figure(t, record, GROUP_RANKS "/communication_percent",
           "Share of the time that even the last rank waits for others%s.", "",
           100 * ranks->communication);
}

/* Each line of the notes becomes a paragraph. */
static void notes_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    struct swi_text notes = {0};
    swi_ranks_notes(&notes, ranks, swi_escape_markdown, true);
    for (const char *c = notes.data ? notes.data : ""; *c; c++) {
        swi_text_add(text, c, 1);
        swi_text_put(text, *c == '\n' ? "\n" : "");
    }
    text->failed |= notes.failed;
    swi_text_free(&notes);
}

static void text_write(struct tensorboard *t, const struct sw_record *record)
{
    static const char tag[] = "all_ranks";
    struct swi_text text = {0};
    struct sw_report report;
    if (swi_ranks_report_init(&report, record->ranks))
        swi_markdown_report(&text, &report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    else
        text.failed = true;
    swi_ranks_report_fini(&report);
    swi_text_put(&text, "\n");
    notes_add(&text, record->ranks);
    event_stream_describe(t, &t->stream[ROOT], record->wall_s, tag, "%s",
                          "The report of all ranks.");
    struct sw_tb *tb = event_stream_tb(t, &t->stream[ROOT], record->wall_s);
    if (text.failed)
        sw_sink_lost(t->sink, 1);
    else
        sw_tb_text(tb, tag, record->ranks->step, text.data);
    swi_text_free(&text);
}

void all_ranks_record(struct tensorboard *t, const struct sw_record *record)
{
    if (t->figures == FIGURES_ALL)
        figures_write(t, record);
    if (t->text && record->ranks->complete)
        text_write(t, record);
}
