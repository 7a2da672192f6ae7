/* SPDX-License-Identifier: MIT */
/* others.h - who else writes a run. The service keeps the lines of one writer: two at a time would
 * overwrite each other's. */
#ifndef SINKS_WANDB_UPLOAD_OTHERS_H
#define SINKS_WANDB_UPLOAD_OTHERS_H

#include "sinks/wandb/upload/ask/file_stream.h"

/* By the service's config, which names the processes that began the run. */
struct swi_others {
    bool named;  /* it names one at all */
    bool ours;   /* this file's is one */
    bool later;  /* another one began after it */
    bool before; /* another one is there that may still write: this file's has not begun the run */
};

void swi_others_find(struct swi_others *others, const struct swi_model *model,
                     const struct swi_status *status);

/* Whether another process writes the run now: SW_EINVAL, and err says what to do. Where it may be
 * on another machine, waits until the service has not heard of it for longer than any writer is
 * silent; SW_ETIME where the upload ends meanwhile. older: the run went on after what the file
 * holds; then state is set to how it was. */
int swi_others_wait(struct swi_link *link, const struct swi_model *model,
                    const struct swi_status *status, const struct swi_others *others, bool older,
                    struct swi_state *state, struct sw_error *err);

/* Whether another process has written the run since writers was filled by swi_others_note():
 * SW_EINVAL, and err says what to do. tried: what waits in the stream may be stored already. */
int swi_others_look(struct swi_link *link, const struct swi_model *model, const json_t *writers,
                    const struct swi_file_stream *stream, bool tried, struct sw_error *err);
/* Adds the processes that wrote the run by what the service says of it, and this file's. */
void swi_others_note(json_t *writers, const struct swi_model *model,
                     const struct swi_status *status);

#endif
