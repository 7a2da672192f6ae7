/* SPDX-License-Identifier: MIT */
/* run_summary.h - the state of a run so far as a short run log: detail summary. */
#ifndef SINKS_RUNLOG_RUN_SUMMARY_H
#define SINKS_RUNLOG_RUN_SUMMARY_H

#include "sinks/runlog/blocks.h"
#include "sinks/runlog/counter_lines.h"

/* The last report of a fit. */
struct swi_summary_fit {
    int fit;
    struct swi_text line;
};

/* Initialise it as {.blocks.width = 1}. */
struct swi_summary {
    struct swi_text head;   /* the run */
    struct swi_text config; /* its hyper-parameters */
    struct swi_log_counters counters;
    struct swi_blocks blocks;
    size_t fits;
    struct swi_summary_fit *fit;
    struct swi_text finish;
    struct swi_text whole; /* all of them together */
};

/* Takes a record. Returns whether the summary must be written now: there is a new report, or the
 * run began or ended. histograms: add distributions to reports. */
bool swi_summary_take(struct swi_summary *summary, const struct sw_record *record,
                      const char *detail, bool histograms);

/* Returns the summary as text, which the summary owns; NULL if out of memory. */
const struct swi_text *swi_summary_text(struct swi_summary *summary);
void swi_summary_free(struct swi_summary *summary);

#endif
