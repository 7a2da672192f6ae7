/* SPDX-License-Identifier: MIT */
/* journal_folders.h - finds runs of the sink mlflow: DIR/mlflow/run-TIME-UID/journal.jsonl. */
#ifndef TOOLS_UPLOADS_JOURNAL_FOLDERS_H
#define TOOLS_UPLOADS_JOURNAL_FOLDERS_H

#include "tools/uploads/upload_runs.h"

#include <stdbool.h>

/* Adds the folders of the runs of a journal, of a run's folder, of a folder of runs, or of a folder
 * that contains one named mlflow, the oldest first. Returns how many, or a negative code. */
int journal_folders_add(struct runs *runs, const char *path, struct sw_error *err);

/* Returns whether this is the folder of such a run. */
bool journal_folder_is(const char *path);

#endif
