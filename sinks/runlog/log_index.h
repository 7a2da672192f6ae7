/* SPDX-License-Identifier: MIT */
/* log_index.h - the lines "index" of a run log: every 64 MiB, what a reader that begins there must
 * know of the lines before. */
#ifndef SINKS_RUNLOG_LOG_INDEX_H
#define SINKS_RUNLOG_LOG_INDEX_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

#include <stdbool.h>

/* Of a longer title or text of an alert, only the begin is kept. */
enum { SWI_INDEX_TEXT = 160 };

/* Initialise it as {0}. */
struct swi_log_index {
    int64_t bytes; /* of text since the last line "index" */
    int64_t epochs;
    int64_t expected; /* steps in all, as the log has it */
    bool validating;
    bool alerted;
    char title[SWI_INDEX_TEXT + 1], text[SWI_INDEX_TEXT + 1]; /* of the newest alert */
};

/* Note what a begin or an end says of these, and an alert. */
void swi_log_index_region(struct swi_log_index *index, const struct sw_region *region);
void swi_log_index_alert(struct swi_log_index *index, const struct sw_alert *alert);

/* Adds the line to the lines of the record, if it is due. */
void swi_log_index_add(struct swi_log_index *index, struct swi_text *lines,
                       const struct sw_record *record);

#endif
