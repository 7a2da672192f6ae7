/* SPDX-License-Identifier: MIT */
/* online.h - whether the run is uploaded while it is written, and by what. */
#ifndef SINKS_WANDB_ONLINE_H
#define SINKS_WANDB_ONLINE_H

#include "sinks/wandb/wandb.h"

/* Looks for the service and the key, and sets w->online where the run is to be uploaded.
 * A setting that is wrong fails; a key that is missing or wrong is said. */
int swi_wandb_online_decide(struct wandb *w, struct sw_error *err);
/* It is not to be uploaded after all: says why, and what is done instead. */
void swi_wandb_online_not(struct wandb *w, const struct sw_error *err, const char *instead);
/* With resume auto and no id said: the id of a run that has not ended well. w->root is known. */
void swi_wandb_online_resume(struct wandb *w);
/* Begins the upload of the file, which is there. */
void swi_wandb_online_start(struct wandb *w);
/* Hands over the records that wait for a disk without room. False where not all of them were taken,
 * or there is no upload. */
bool swi_wandb_online_pass(struct wandb *w);
/* Passes on what the upload has to say. */
void swi_wandb_online_flush(struct wandb *w);
/* Waits for the upload within close_timeout, and says what became of it; false: there was none.
 * written: the file is whole. */
bool swi_wandb_online_close(struct wandb *w, bool written);
void swi_wandb_online_free(struct wandb *w);

#endif
