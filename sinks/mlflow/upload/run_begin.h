/* SPDX-License-Identifier: MIT */
/* run_begin.h - finds or creates the run of a journal at the server. */
#ifndef SINKS_MLFLOW_UPLOAD_RUN_BEGIN_H
#define SINKS_MLFLOW_UPLOAD_RUN_BEGIN_H

#include "sinks/mlflow/upload/run_upload.h"

/* Sets state.run_id. Returns 0, SW_EIO if the server refuses, or SW_ETIME. */
int swi_run_begin(struct swi_run_upload *upload, struct sw_error *err);

/* Deletes what was created twice because an answer was lost. Call it after the first batch. */
int swi_run_doubles(struct swi_run_upload *upload, struct sw_error *err);

#endif
