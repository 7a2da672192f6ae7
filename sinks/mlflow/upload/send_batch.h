/* SPDX-License-Identifier: MIT */
/* send_batch.h - sends what waits of parameters, metrics and tags. */
#ifndef SINKS_MLFLOW_UPLOAD_SEND_BATCH_H
#define SINKS_MLFLOW_UPLOAD_SEND_BATCH_H

#include "sinks/mlflow/upload/run_upload.h"

/* What the server refuses of single items is skipped, counted and said. Returns 0, SW_EIO if it
 * refuses the run, or SW_ETIME. */
int swi_batch_send(struct swi_run_upload *upload, struct sw_error *err);

/* Sets one tag. */
int swi_tag_send(struct swi_run_upload *upload, const char *key, const char *value,
                 struct sw_error *err);

#endif
