/* SPDX-License-Identifier: MIT */
/* other_writers.h - finds other processes that write a run. The service keeps the lines of one
 * writer: two at a time would overwrite each other's. */
#ifndef SINKS_WANDB_UPLOAD_OTHER_WRITERS_H
#define SINKS_WANDB_UPLOAD_OTHER_WRITERS_H

#include "sinks/wandb/upload/ask/file_stream.h"

/* What the service's config says: it names the processes that began the run. */
struct swi_other_writers {
    bool named;  /* it names at least one */
    bool ours;   /* this file's process is one of them */
    bool later;  /* another one began after it */
    bool before; /* another one may still write, and this file's process has not begun the run */
};

void swi_other_writers_find(struct swi_other_writers *others, const struct swi_model *model,
                            const struct swi_status *status);

/* Checks that no other process writes the run now. Returns SW_EINVAL if one does; err says what to
 * do. If it may be on another machine, waits until the service has not heard of it for longer than
 * any writer is silent. Returns SW_ETIME if the upload ends meanwhile. older: the run was continued
 * after the end of this file; then state is set to its state before. */
int swi_other_writers_wait(struct swi_link *link, const struct swi_model *model,
                           const struct swi_status *status, const struct swi_other_writers *others,
                           bool older, struct swi_state *state, struct sw_error *err);

/* Checks that no other process has written the run since swi_other_writers_note() filled writers.
 * Returns SW_EINVAL if one has; err says what to do. tried: the lines that wait in the stream may
 * be stored already. */
int swi_other_writers_look(struct swi_link *link, const struct swi_model *model,
                           const json_t *writers, const struct swi_file_stream *stream, bool tried,
                           struct sw_error *err);
/* Adds this file's process, and those that wrote the run according to the service. */
void swi_other_writers_note(json_t *writers, const struct swi_model *model,
                            const struct swi_status *status);

#endif
