/* SPDX-License-Identifier: MIT */
/* event_file.h - opens the event file of a writer, and another one when somebody deleted it. */
#ifndef TENSORBOARD_EVENT_FILE_H
#define TENSORBOARD_EVENT_FILE_H

#include "sinks/tensorboard/writer/writer.h"

/* Opens a new file; the output of the last one goes to old. */
int swi_tb_file_open(struct sw_tb *tb, struct swi_tb_output *old, struct sw_error *err);

/* Whether somebody deleted the file. */
bool swi_tb_file_deleted(const struct sw_tb *tb);

/* Opens another file for one that was deleted, and takes over what waits. err says what happened,
 * in any case. */
int swi_tb_file_reopen(struct sw_tb *tb, struct sw_error *err);

#endif
