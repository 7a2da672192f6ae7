/* SPDX-License-Identifier: MIT */
/* wandb_folders.h - finds runs of wandb: DIR/wandb/…run-TIME-ID/run-ID.wandb. */
#ifndef TOOLS_UPLOADS_WANDB_FOLDERS_H
#define TOOLS_UPLOADS_WANDB_FOLDERS_H

#include "tools/uploads/upload_runs.h"

/* Adds the runs of a .wandb file, of a run's folder, of a folder of runs, or of a folder that
 * contains one named wandb, the oldest first. Returns SW_EINVAL if there is none. */
int wandb_folders_add(struct runs *runs, const char *path, struct sw_error *err);

#endif
