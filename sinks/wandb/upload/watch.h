/* SPDX-License-Identifier: MIT */
/* watch.h - detects other writers of a run. A process that was disconnected from the service for
 * long cannot know whether another one wrote its run meanwhile. */
#ifndef SINKS_WANDB_UPLOAD_WATCH_H
#define SINKS_WANDB_UPLOAD_WATCH_H

#include "sinks/wandb/upload/upload.h"

/* From now on, asks the service whether another process has written the run, before rows are sent
 * after a silence in which one may have begun. status: what the service has now, or {0}. */
void swi_upload_watch(struct swi_upload *upload, const struct swi_status *status);

#endif
