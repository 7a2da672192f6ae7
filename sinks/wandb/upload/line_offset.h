/* SPDX-License-Identifier: MIT */
/* line_offset.h - where the lines of a file go at the service: after those that it has. */
#ifndef SINKS_WANDB_UPLOAD_LINE_OFFSET_H
#define SINKS_WANDB_UPLOAD_LINE_OFFSET_H

#include "sinks/wandb/upload/already_stored.h"
#include "sinks/wandb/upload/upload.h"

/* kept: the saved state, or NULL. */
void swi_upload_place(struct swi_upload *upload, const struct swi_status *status,
                      const struct swi_missing_records *held, const struct swi_saved_upload *kept);

#endif
