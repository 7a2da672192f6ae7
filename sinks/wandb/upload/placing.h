/* SPDX-License-Identifier: MIT */
/* placing.h - where the lines of a file go at the service: after those that it has. */
#ifndef SINKS_WANDB_UPLOAD_PLACING_H
#define SINKS_WANDB_UPLOAD_PLACING_H

#include "sinks/wandb/upload/at_service.h"
#include "sinks/wandb/upload/upload.h"

/* kept: the saved state, or NULL. */
void swi_upload_place(struct swi_upload *upload, const struct swi_status *status,
                      const struct swi_held *held, const struct swi_keep *kept);

#endif
