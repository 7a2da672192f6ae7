/* SPDX-License-Identifier: MIT */
/* output_log.h - lines of output of the run: on the service's page, and in files/output.log. */
#ifndef SINKS_WANDB_OUTPUT_LOG_H
#define SINKS_WANDB_OUTPUT_LOG_H

#include "sinks/wandb/wandb_sink.h"

/* Adds lines, each ended by a line feed. error: as those of standard error. */
void swi_wandb_output(struct wandb *w, const char *lines, bool error, double wall_s);
/* Takes a line of sw_log_line(). */
void swi_wandb_line(struct wandb *w, const struct sw_record *record);
/* Writes new lines to the file. A failure is reported once, and tried again. */
void swi_wandb_output_flush(struct wandb *w);

/* Sends a message to the user. With WANDB_SILENT, writes it only to logs/debug.log of the run's
 * folder, as the SDK does. */
__attribute__((format(printf, 3, 4))) void swi_wandb_say(struct wandb *w, int level,
                                                         const char *format, ...);

/* Writes the messages that wait for that file, once there is a folder. */
void swi_wandb_say_flush(struct wandb *w);

#endif
