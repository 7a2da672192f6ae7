/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/run_summary.h"
#include "sinks/common/runlog/lines.h"

/* The newer report of a fit replaces the one before. */
static enum swi_summary_need report_take(struct swi_summary *summary,
                                         const struct sw_record *record, bool histograms)
{
    struct swi_text *reports = &summary->reports;
    if (record->report->fit == summary->newest_fit)
        reports->size = summary->newest;
    summary->newest_fit = record->report->fit;
    summary->first_fit = reports->size ? summary->first_fit : summary->newest_fit;
    summary->newest = reports->size;
    swi_lines_record(reports, record, histograms, -1, NULL, NULL);
    summary->added += reports->size - summary->newest;
    bool enough = reports->failed || summary->added > summary->written / 4;
    return enough ? SWI_SUMMARY_WHOLE : SWI_SUMMARY_LINE;
}

enum swi_summary_need swi_summary_take(struct swi_summary *summary, const struct sw_record *record,
                                       const char *detail, bool histograms)
{
    if (record->run)
        swi_lines_run(&summary->head, record->run, detail, false, &summary->counters);
    else if (record->hparam)
        swi_lines_record(&summary->config, record, histograms, -1, NULL, NULL);
    else if (record->step_done)
        swi_blocks_add(&summary->blocks, record->step, record->step_done);
    else if (record->report)
        return report_take(summary, record, histograms);
    else if (record->end)
        swi_lines_record(&summary->finish, record, histograms, -1, NULL, NULL);
    return record->run || record->end ? SWI_SUMMARY_WHOLE : SWI_SUMMARY_NOTHING;
}

static void text_append(struct swi_text *text, const struct swi_text *part)
{
    if (part->size)
        swi_text_add(text, part->data, part->size);
    text->failed = text->failed || part->failed;
}

/* The blocks come second, so that a program that merges summaries finds them early. */
struct swi_text *swi_summary_begin(struct swi_summary *summary)
{
    struct swi_text *whole = &summary->whole;
    whole->size = 0;
    whole->failed = false;
    text_append(whole, &summary->head);
    swi_blocks_line(&summary->blocks, whole);
    text_append(whole, &summary->config);
    return whole->failed ? NULL : whole;
}

const struct swi_text *swi_summary_end(struct swi_summary *summary)
{
    text_append(&summary->whole, &summary->reports);
    text_append(&summary->whole, &summary->finish);
    return summary->whole.failed ? NULL : &summary->whole;
}

void swi_summary_free(struct swi_summary *summary)
{
    swi_blocks_free(&summary->blocks);
    swi_log_counters_free(&summary->counters);
    swi_text_free(&summary->head);
    swi_text_free(&summary->config);
    swi_text_free(&summary->reports);
    swi_text_free(&summary->finish);
    swi_text_free(&summary->whole);
}
