/* SPDX-License-Identifier: MIT */
/* uploads.h - finds runs and uploads them, one after the other. */
#ifndef TOOLS_UPLOADS_UPLOADS_H
#define TOOLS_UPLOADS_UPLOADS_H

#include <stepwatch/error.h>
#include <stepwatch/wandb.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Initialise it as {0}. */
struct runs {
    size_t count;
    char **path; /* of .wandb files and of folders with a journal */
};

void runs_free(struct runs *runs);

struct upload_options {
    struct sw_wandb_sync wandb; /* also has what both services share; without its functions */
    const char *experiment;     /* of MLflow; NULL: as in the run */
    bool fresh;                 /* creates a run of MLflow even if it may exist */
};

/* Adds the runs at these paths, or without paths those in the sinks' default folders. Returns 0,
 * SW_EINVAL if a path has no run, SW_EIO or SW_ENOMEM. */
int uploads_find(struct runs *runs, char *const *paths, size_t count, struct sw_error *err);

/* Uploads the runs until a signal comes, and prints what was done, or adds it to an array, and what
 * failed. list: NULL to print. Returns false if a run failed or a signal came. */
bool uploads_run(const struct runs *runs, const struct upload_options *options, json_t *list);

#endif
