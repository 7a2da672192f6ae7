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

/* ---- frames of compressed logs ----------------------------------------------------------------
 */

/* Whole lines, whose begin readers can find (docs/run-log.md). */
struct swi_log_frame;

/* Begins a frame. Returns NULL if out of memory. */
struct swi_log_frame *swi_log_frame_new(const struct swi_frame_codec *codec);
void swi_log_frame_free(struct swi_log_frame *frame);

/* Begins the next frame; what was not ended of this one is dropped. */
void swi_log_frame_begin(struct swi_log_frame *frame);

/* Adds lines to the frame, and to `out` what a file needs, so that a reader needs nothing that
 * follows. ends: the frame ends, and the next one begins. Returns false if out of memory. One of
 * the next two must follow before more lines do. */
bool swi_log_frame_add(struct swi_log_frame *frame, const char *lines, size_t size, bool ends,
                       struct swi_text *out);

/* They were written. */
void swi_log_frame_keep(struct swi_log_frame *frame);

/* They were not: they are taken back. Returns false if the frame cannot go on, and another begins.
 */
bool swi_log_frame_undo(struct swi_log_frame *frame);

#endif
