/* SPDX-License-Identifier: MIT */
/* media_files.h - files of values below files/media/, which rows name. */
#ifndef SINKS_WANDB_MEDIA_FILES_H
#define SINKS_WANDB_MEDIA_FILES_H

#include "sinks/wandb/wandb_sink.h"

/* Writes a whole file of the run. below: its path in the run's folder. */
int swi_wandb_file_write(struct wandb *w, const char *below, const void *bytes, size_t size,
                         struct sw_error *err);

/* Writes a file for a row, and the record that uploads it. Adds its path below files/ to `path`:
 * media/KIND/KEY_STEP_SHA20.EXTENSION. Returns false if it could not be written; the first time,
 * that is reported, and it is counted. */
bool swi_wandb_media_put(struct wandb *w, struct swi_text *path, const char *kind, const char *key,
                         const char *extension, const void *bytes, size_t size, const char *sha256);

/* Reports and counts a value or a file that is missing from the run. */
void swi_wandb_media_missing(struct wandb *w, const char *name, const struct sw_error *err);

#endif
