/* SPDX-License-Identifier: MIT */
/* log_output.h - the file of a run log, as text or compressed in frames, and its lines "index".
 *
 * A frame has whole lines. Each flush ends a block of it, so that everything before
 * can be read: also in a frame that a killed program did not end. */
#ifndef SINKS_RUNLOG_LOG_OUTPUT_H
#define SINKS_RUNLOG_LOG_OUTPUT_H

#include "sinks/common/runlog/frame_codec.h"

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- the lines "index" ----------------------------------------------------------------------- */

/* Every 64 MiB, what a reader that begins there must know of the lines before. */

/* Of a longer title or text of an alert, only the begin is stored. */
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

/* ---- the file -------------------------------------------------------------------------------- */

struct swi_compressed;

/* Initialise it as {0}. */
struct swi_log_output {
    struct sw_sink *sink;
    FILE *file;
    struct swi_compressed *packed; /* NULL: the lines are written as text */
};

/* codec: NULL: as text. */
int swi_log_output_open(struct swi_log_output *file, struct sw_sink *sink, const char *path,
                        const struct swi_frame_codec *codec, struct sw_error *err);

/* Sets the lines that the file begins with after another program has truncated it. */
void swi_log_output_head(struct swi_log_output *file, const char *lines, size_t size);

/* Adds whole lines. While the disk is full, 1 MiB of them waits; more are lost, and counted. */
void swi_log_output_add(struct swi_log_output *file, const char *lines, size_t size);

/* Writes what was added. Core says what fails when it flushes the files of the sink. */
void swi_log_output_flush(struct swi_log_output *file);

/* Writes the rest, and frees everything but the file, which core closes. */
void swi_log_output_close(struct swi_log_output *file);

#endif
