/* SPDX-License-Identifier: MIT */
/* run_summary.h - the state of a run so far as a short run log (detail: summary), and its file,
 * which is always complete: the old summary or the new one. */
#ifndef SINKS_RUNLOG_RUN_SUMMARY_H
#define SINKS_RUNLOG_RUN_SUMMARY_H

#include "sinks/common/runlog/counter_lines.h"
#include "sinks/common/runlog/frame_codec.h"

/* What a record needs to be written. */
enum swi_summary_need {
    SWI_SUMMARY_NOTHING,
    SWI_SUMMARY_LINE, /* the lines of the newest report at the end of the file are enough */
    SWI_SUMMARY_WHOLE
};

/* Initialise it as {.blocks.width = 1}. */
struct swi_summary {
    struct swi_text head;   /* the run */
    struct swi_text config; /* its hyper-parameters */
    struct swi_log_counters counters;
    struct swi_blocks blocks;
    struct swi_text reports; /* lines of the last report of each fit */
    int first_fit;           /* the first of them */
    int newest_fit;          /* the last of them */
    size_t newest;           /* where its lines begin */
    struct swi_text finish;
    struct swi_text whole;               /* all of them together */
    size_t written;                      /* size of the whole when it was written last */
    size_t added;                        /* bytes of lines since then */
    const struct swi_frame_codec *codec; /* the file is made of frames; NULL: of text */
    size_t stored_at; /* in its text: reports before `reports` are only in the file, from there on;
                         0: none */
};

/* Takes a record. Returns whether something must be written now: there is a new report, or the run
 * began or ended. A report is a line until the lines are a quarter of the file: so what is written
 * grows with the file, and not with its square. histograms: add distributions to reports. */
enum swi_summary_need swi_summary_take(struct swi_summary *summary, const struct sw_record *record,
                                       const char *detail, bool histograms);
void swi_summary_free(struct swi_summary *summary);

/* Writes what is needed. Many reports are kept in the file only. */
int swi_summary_write(struct swi_summary *summary, enum swi_summary_need need, struct sw_sink *sink,
                      const char *path, struct sw_error *err);

#endif
