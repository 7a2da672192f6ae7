/* SPDX-License-Identifier: MIT */
/* background.h - an upload in a thread of its own, while the run is still being written. */
#ifndef SINKS_WANDB_UPLOAD_BACKGROUND_H
#define SINKS_WANDB_UPLOAD_BACKGROUND_H

#include "sinks/wandb/upload/upload.h"
#include "sinks/wandb/upload/uploader.h"

/* NULL where no thread can be started. The key in options may be forgotten afterwards. */
struct swi_background *swi_background_start(const struct swi_background_options *options,
                                            struct sw_error *err);

/* The file has grown. */
void swi_background_wake(struct swi_background *live);

/* A record that the file has no room for, by its number: copied, and sent like those of the file.
 * False where too many wait. */
bool swi_background_pass(struct swi_background *live, int64_t number, const void *record,
                         size_t size);

/* Passes on the messages of the thread: calls tell for each one, on the calling thread. */
void swi_background_hear(struct swi_background *live, swi_say_fn *tell, void *arg);

/* Whether somebody asked on the run's page to stop it. */
bool swi_background_stopped(struct swi_background *live);

/* The file is whole: waits until all of it is uploaded, or until the deadline (CLOCK_MONOTONIC),
 * and ends the thread. Returns 0 where all is stored, SW_ETIME where the time was too short; tell
 * hears that, with how to upload the rest, and what the thread has to say, which is why in any
 * other case. live is invalid afterwards. */
int swi_background_end(struct swi_background *live, int64_t deadline_ns, swi_say_fn *tell,
                       void *arg, struct swi_background_end *how);

#endif
