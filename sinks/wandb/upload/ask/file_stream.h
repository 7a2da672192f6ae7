/* SPDX-License-Identifier: MIT */
/* file_stream.h - posts rows, lines, the summary and the end of a run. */
#ifndef SINKS_WANDB_UPLOAD_ASK_FILE_STREAM_H
#define SINKS_WANDB_UPLOAD_ASK_FILE_STREAM_H

#include "sinks/wandb/upload/ask/api.h"
#include "sinks/wandb/upload/content/file_lines.h"

/* Bytes of lines that fill a post. An upload keeps no more in memory. */
enum { SWI_STREAM_FULL = 1 << 20 };

struct swi_file_stream {
    struct swi_lines history, events, output;
    struct swi_steps steps;
    struct swi_console printed;
    struct swi_text summary; /* as it was last posted */
    json_t *uploaded;        /* names of files since the last post */
    struct swi_text path;    /* of the posts */
    bool stopped;            /* the service asks the program to stop */
    int64_t rows;            /* posted */
    int64_t skipped;         /* rows that were too long */
    bool skip_said;
};

bool swi_file_stream_init(struct swi_file_stream *stream);
void swi_file_stream_fini(struct swi_file_stream *stream);
void swi_file_stream_place(struct swi_file_stream *stream, const struct swi_bucket *bucket);

/* Takes a record: a row, statistics or output. */
void swi_file_stream_take(struct swi_file_stream *stream, const struct swi_record_message *record,
                          double started_s);

/* Ends the output: the rest is a line, even without a line end. */
void swi_file_stream_end(struct swi_file_stream *stream);

bool swi_file_stream_is_full(const struct swi_file_stream *stream);
bool swi_file_stream_has(const struct swi_file_stream *stream, const struct swi_model *model);

/* Posts what waits, even if it is nothing, and the end of the run if it is given. On failure, it
 * still waits. */
int swi_file_stream_post(struct swi_file_stream *stream, struct swi_link *link,
                         const struct swi_model *model, const int *exit_code, struct sw_error *err);
/* Posts nothing, to show that the run is alive. What waits still waits. */
int swi_file_stream_beat(struct swi_file_stream *stream, struct swi_link *link,
                         struct sw_error *err);

#endif
