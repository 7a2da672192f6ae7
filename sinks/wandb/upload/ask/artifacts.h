/* SPDX-License-Identifier: MIT */
/* artifacts.h - tables as artifacts, in which the service's pages look for them. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ARTIFACTS_H
#define SINKS_WANDB_UPLOAD_ASK_ARTIFACTS_H

#include "sinks/wandb/upload/ask/send_files.h"

/* Sends those that were not sent yet. Their files are taken from artifacts/ in the run's folder,
 * whatever path the record has: a file that comes from elsewhere must not name files of this
 * machine. One that cannot be sent is said and counted. Returns 0, or SW_ETIME if it was
 * cancelled. */
int swi_artifacts_send(struct swi_files *files, json_t *list, struct sw_error *err);

#endif
