/* SPDX-License-Identifier: MIT */
/* wandb_upload.h - uploads a run of wandb for the command. */
#ifndef TOOLS_UPLOADS_WANDB_UPLOAD_H
#define TOOLS_UPLOADS_WANDB_UPLOAD_H

#include "tools/uploads/outcome.h"
#include "tools/uploads/upload_messages.h"
#include "tools/uploads/upload_options.h"

/* Uploads the run at messages->path and fills the outcome, even on failure. Returns what
 * sw_wandb_sync() returns, or SW_EINVAL if this stepwatch cannot upload such runs. */
int wandb_upload(const struct upload_options *options, struct upload_messages *messages,
                 struct outcome *outcome, struct sw_error *err);

#endif
