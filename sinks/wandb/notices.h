/* SPDX-License-Identifier: MIT */
/* notices.h - the sink's messages to the user; with WANDB_SILENT, they go to a file. */
#ifndef SINKS_WANDB_NOTICES_H
#define SINKS_WANDB_NOTICES_H

#include "sinks/wandb/wandb_sink.h"

/* Sends a message to the user. With WANDB_SILENT, writes it only to logs/debug.log of the run's
 * folder, as the SDK does. */
__attribute__((format(printf, 3, 4))) void swi_wandb_say(struct wandb *w, int level,
                                                         const char *format, ...);
/* Writes the messages that wait for that file, once there is a folder. */
void swi_wandb_say_flush(struct wandb *w);

#endif
