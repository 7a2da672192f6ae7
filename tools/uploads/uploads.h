/* SPDX-License-Identifier: MIT */
/* uploads.h - finds runs and uploads them, one after the other. */
#ifndef TOOLS_UPLOADS_UPLOADS_H
#define TOOLS_UPLOADS_UPLOADS_H

#include "tools/uploads/upload_runs.h"
#include "tools/uploads/upload_options.h"

#include <jansson.h>

/* Adds the runs at these paths, or without paths those in the sinks' default folders. Returns 0,
 * SW_EINVAL if a path has no run, SW_EIO or SW_ENOMEM. */
int uploads_find(struct runs *runs, char *const *paths, size_t count, struct sw_error *err);

/* Uploads the runs until a signal comes, and prints what was done, or adds it to an array, and what
 * failed. list: NULL to print. Returns false if a run failed or a signal came. */
bool uploads_run(const struct runs *runs, const struct upload_options *options, json_t *list);

#endif
