/* SPDX-License-Identifier: MIT */
/* online.h - decides whether the run is uploaded while it is written, and controls the upload. */
#ifndef SINKS_WANDB_ONLINE_H
#define SINKS_WANDB_ONLINE_H

#include "sinks/wandb/wandb_sink.h"

/* Looks for the service and the key, and sets w->online if the run is to be uploaded. Returns an
 * error if a setting is wrong. A missing or wrong key is only reported. */
int swi_wandb_online_decide(struct wandb *w, struct sw_error *err);
/* Cancels the upload, and reports why and what is done instead. */
void swi_wandb_online_not(struct wandb *w, const struct sw_error *err, const char *instead);
/* With resume auto and no id given: uses the id of a run that did not end well. w->root must be
 * known. */
void swi_wandb_online_resume(struct wandb *w);
/* Begins the upload of the file, which must exist. */
void swi_wandb_online_start(struct wandb *w);
/* Passes the records that wait for a full disk to the upload. Returns false if there is no upload
 * or not all were taken. */
bool swi_wandb_online_pass(struct wandb *w);
/* Reports the messages of the upload. */
void swi_wandb_online_flush(struct wandb *w);
/* Waits for the upload within close_timeout, and reports its result. Returns false if there was
 * none. written: the file is complete. */
bool swi_wandb_online_close(struct wandb *w, bool written);
void swi_wandb_online_free(struct wandb *w);

#endif
