/* SPDX-License-Identifier: MIT */
/* artifacts.h - sends tables as artifacts, where the service's pages look for them. */
#ifndef SINKS_WANDB_UPLOAD_ASK_ARTIFACTS_H
#define SINKS_WANDB_UPLOAD_ASK_ARTIFACTS_H

#include "sinks/wandb/upload/ask/send_files.h"

/* Sends the artifacts that were not sent yet. Their files are read from artifacts/ in the run's
 * folder, whatever path the record has: a file from elsewhere must not name files of this machine.
 * An artifact that cannot be sent is reported and counted. Returns 0, or SW_ETIME if it was
 * cancelled. */
int swi_artifacts_send(struct swi_files *files, json_t *list, struct sw_error *err);

#endif
