/* SPDX-License-Identifier: MIT */
/* upload_runs.h - a list of runs to upload. */
#ifndef TOOLS_UPLOADS_UPLOAD_RUNS_H
#define TOOLS_UPLOADS_UPLOAD_RUNS_H

#include <stepwatch/error.h>

#include <stddef.h>

/* Initialise it as {0}. */
struct runs {
    size_t count;
    char **path; /* of .wandb files and of folders with a journal */
};

/* Adds the path of a run: the first `size` bytes. Returns how many it has added, 1, or
 * SW_ENOMEM. */
int runs_add(struct runs *runs, const char *path, size_t size, struct sw_error *err);

void runs_free(struct runs *runs);

#endif
