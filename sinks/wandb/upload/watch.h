/* SPDX-License-Identifier: MIT */
/* watch.h - a process that was cut off from the service for long does not know who wrote its run
 * meanwhile. */
#ifndef SINKS_WANDB_UPLOAD_WATCH_H
#define SINKS_WANDB_UPLOAD_WATCH_H

#include "sinks/wandb/upload/upload.h"

/* From now on, before rows are sent after a silence in which another process may have begun to
 * write, the service is asked whether one did. status: what the service has now, or {0}. */
void swi_upload_watch(struct swi_upload *upload, const struct swi_status *status);

#endif
