/* SPDX-License-Identifier: MIT */
/* trackio_folder.h - finds and locks the database in which Trackio keeps a project. */
#ifndef SINKS_SQLITE_TRACKIO_FOLDER_H
#define SINKS_SQLITE_TRACKIO_FOLDER_H

#include "core/files/identity.h"
#include "core/text/buffer.h"

#include <stepwatch/error.h>

/* Returns a variable of the environment, or NULL. */
typedef const char *swi_trackio_env_fn(void *arg, const char *name);

/* Sets path to the database of a project: PROJECT.db in $TRACKIO_DIR, else in $HF_HOME/trackio,
 * else in $XDG_CACHE_HOME/huggingface/trackio, else in ~/.cache/huggingface/trackio. Like Trackio,
 * replaces ~ and $NAME in the last three, and uses only letters and digits of any
 * script, - and _ of the project's name, or "default" if none are left. Returns 0, SW_ENOMEM, or
 * SW_EINVAL if Trackio uses the name itself or if no folder is known. */
int swi_trackio_path(swi_trackio_env_fn *env, void *arg, const char *project, struct swi_text *path,
                     struct sw_error *err);

struct swi_trackio_lock {
    int fd; /* -1: not locked */
    struct swi_identity identity;
};

/* Takes the lock with which Trackio's client writes, if it is free. Without it, SQLite's own locks
 * protect the file. */
void swi_trackio_lock(struct swi_trackio_lock *lock, const char *database);
void swi_trackio_unlock(const struct swi_trackio_lock *lock);

#endif
