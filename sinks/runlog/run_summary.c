/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/run_summary.h"
#include "sinks/runlog/lines.h"

#include <stdlib.h>

static struct swi_summary_fit *fit_of(struct swi_summary *summary, int fit)
{
    for (size_t i = summary->fits; i-- > 0;) /* mostly the newest */
        if (summary->fit[i].fit == fit)
            return &summary->fit[i];
    struct swi_summary_fit *grown = realloc(summary->fit, (summary->fits + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    summary->fit = grown;
    grown[summary->fits] = (struct swi_summary_fit){.fit = fit};
    return &grown[summary->fits++];
}

static enum swi_summary_need report_take(struct swi_summary *summary,
                                         const struct sw_record *record, bool histograms)
{
    struct swi_summary_fit *fit = fit_of(summary, record->report->fit);
    if (!fit)
        return SWI_SUMMARY_WHOLE;
    fit->line.size = 0;
    swi_lines_record(&fit->line, record, histograms, -1, NULL);
    summary->newest = (size_t)(fit - summary->fit);
    summary->added += fit->line.size;
    bool enough = fit->line.failed || summary->added > summary->written / 4;
    return enough ? SWI_SUMMARY_WHOLE : SWI_SUMMARY_LINE;
}

const struct swi_text *swi_summary_line(const struct swi_summary *summary)
{
    return &summary->fit[summary->newest].line;
}

enum swi_summary_need swi_summary_take(struct swi_summary *summary, const struct sw_record *record,
                                       const char *detail, bool histograms)
{
    if (record->run)
        swi_lines_run(&summary->head, record->run, detail, false, &summary->counters);
    else if (record->hparam)
        swi_lines_record(&summary->config, record, histograms, -1, NULL);
    else if (record->step_done)
        swi_blocks_add(&summary->blocks, record->step, record->step_done);
    else if (record->report)
        return report_take(summary, record, histograms);
    else if (record->end)
        swi_lines_record(&summary->finish, record, histograms, -1, NULL);
    return record->run || record->end ? SWI_SUMMARY_WHOLE : SWI_SUMMARY_NOTHING;
}

static void text_append(struct swi_text *text, const struct swi_text *part)
{
    if (part->size)
        swi_text_add(text, part->data, part->size);
    text->failed = text->failed || part->failed;
}

/* The blocks come second, so that a program that merges summaries finds them early. */
const struct swi_text *swi_summary_text(struct swi_summary *summary)
{
    struct swi_text *whole = &summary->whole;
    whole->size = 0;
    whole->failed = false;
    text_append(whole, &summary->head);
    swi_blocks_line(&summary->blocks, whole);
    text_append(whole, &summary->config);
    for (size_t i = 0; i < summary->fits; i++)
        text_append(whole, &summary->fit[i].line);
    text_append(whole, &summary->finish);
    summary->written = whole->size;
    summary->added = 0;
    return whole->failed ? NULL : whole;
}

void swi_summary_free(struct swi_summary *summary)
{
    for (size_t i = 0; i < summary->fits; i++)
        swi_text_free(&summary->fit[i].line);
    free(summary->fit);
    swi_blocks_free(&summary->blocks);
    swi_log_counters_free(&summary->counters);
    swi_text_free(&summary->head);
    swi_text_free(&summary->config);
    swi_text_free(&summary->finish);
    swi_text_free(&summary->whole);
}
