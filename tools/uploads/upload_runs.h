/* SPDX-License-Identifier: MIT */
/* upload_runs.h - finds runs to upload. */
#ifndef TOOLS_UPLOADS_UPLOAD_RUNS_H
#define TOOLS_UPLOADS_UPLOAD_RUNS_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>

/* Initialise it as {0}. */
struct runs {
    size_t count;
    char **path; /* of .wandb files and of folders with a journal */
};

/* Finds runs of the sink mlflow, DIR/mlflow/run-TIME-UID/journal.jsonl: adds the folders of the
 * runs of a journal, of a run's folder, of a folder of runs, or of a folder that contains one named
 * mlflow, the oldest first. Returns how many, or a negative code. */
int journal_folders_add(struct runs *runs, const char *path, struct sw_error *err);

/* Returns whether this is the folder of such a run. */
bool journal_folder_is(const char *path);

/* Finds runs of wandb, DIR/wandb/…run-TIME-ID/run-ID.wandb: adds those of a .wandb file, of a run's
 * folder, of a folder of runs, or of a folder that contains one named wandb, the oldest first.
 * Returns SW_EINVAL if there is none. */
int wandb_folders_add(struct runs *runs, const char *path, struct sw_error *err);

void runs_free(struct runs *runs);

#endif
