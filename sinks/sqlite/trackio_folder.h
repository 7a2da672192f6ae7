/* SPDX-License-Identifier: MIT */
/* trackio_folder.h - where Trackio keeps the database of a project, and its lock. */
#ifndef SINKS_SQLITE_TRACKIO_FOLDER_H
#define SINKS_SQLITE_TRACKIO_FOLDER_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Sets path to the database of a project: $TRACKIO_DIR, else $HF_HOME/trackio, else
 * ~/.cache/huggingface/trackio, and PROJECT.db. Of a project's name, only letters, digits, - and _
 * count, as with Trackio; a name of which nothing is left is "default". Returns 0, SW_EINVAL for a
 * name that Trackio uses itself or if no folder is known, or SW_ENOMEM. */
int swi_trackio_path(struct sw_sink *sink, const char *project, struct swi_text *path,
                     struct sw_error *err);

/* Takes the lock that Trackio's client takes to write, if it is free, and returns a descriptor for
 * swi_trackio_unlock(); or -1. Without the lock, SQLite's own locks keep the file whole. */
int swi_trackio_lock(const char *database);
void swi_trackio_unlock(int lock);

#endif
