/* SPDX-License-Identifier: MIT */
/* journal_folder.h - DIR/mlflow/run-TIME-UID/, created for each run. */
#ifndef SINKS_MLFLOW_JOURNAL_FOLDER_H
#define SINKS_MLFLOW_JOURNAL_FOLDER_H

#include "sinks/mlflow/mlflow_sink.h"

/* Sets uid and folder, and creates the folder and the journal in it. */
int swi_mlflow_folder_make(struct mlflow *m, struct sw_error *err);
/* Removes them again. */
void swi_mlflow_folder_remove(struct mlflow *m);

#endif
