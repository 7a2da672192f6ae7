/* SPDX-License-Identifier: MIT */
/* upload_messages.h - what an upload shows while it runs, and its interruption by a signal. */
#ifndef TOOLS_UPLOADS_UPLOAD_MESSAGES_H
#define TOOLS_UPLOADS_UPLOAD_MESSAGES_H

#include <stepwatch/wandb.h>

#include <stdbool.h>
#include <stdint.h>

/* Of one run; the `arg` of the functions below. */
struct upload_messages {
    const char *path; /* of the run */
    bool shown;       /* the terminal shows a line of progress */
    int64_t shown_ns; /* when it was last written */
};

/* Shows the progress on a terminal, at most ten times a second. */
void upload_progress(void *messages, const struct sw_wandb_progress *progress);
void upload_progress_clear(struct upload_messages *messages);

/* Prints a message of the upload with the path of the run. */
void upload_message(void *messages, int level, const char *text);

/* From now on, the first SIGINT or SIGTERM ends the upload, and the second one the program. */
void upload_signals_catch(void);
bool upload_interrupted(void *messages);

#endif
