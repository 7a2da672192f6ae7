/* SPDX-License-Identifier: MIT */
/* notices.h - what the sink says to whoever runs the program; with WANDB_SILENT, to a file. */
#ifndef SINKS_WANDB_NOTICES_H
#define SINKS_WANDB_NOTICES_H

#include "sinks/wandb/wandb.h"

/* Says something to whoever runs the program; with WANDB_SILENT, to logs/debug.log of the
 * run's folder alone, as the SDK does. */
__attribute__((format(printf, 3, 4))) void swi_wandb_say(struct wandb *w, int level,
                                                         const char *format, ...);
/* Writes what was not said yet, once there is a folder. */
void swi_wandb_say_flush(struct wandb *w);

#endif
