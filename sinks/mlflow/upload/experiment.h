/* SPDX-License-Identifier: MIT */
/* experiment.h - finds or creates the experiment of a run at the server. */
#ifndef SINKS_MLFLOW_UPLOAD_EXPERIMENT_H
#define SINKS_MLFLOW_UPLOAD_EXPERIMENT_H

#include "sinks/mlflow/upload/run_upload.h"

/* Sets state.experiment_id. Returns 0, SW_EIO if the server refuses, or SW_ETIME. */
int swi_experiment_find(struct swi_run_upload *upload, struct sw_error *err);

#endif
