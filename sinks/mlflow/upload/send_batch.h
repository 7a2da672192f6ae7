/* SPDX-License-Identifier: MIT */
/* send_batch.h - sends what waits of parameters, metrics and tags. */
#ifndef SINKS_MLFLOW_UPLOAD_SEND_BATCH_H
#define SINKS_MLFLOW_UPLOAD_SEND_BATCH_H

#include "sinks/mlflow/upload/run_upload.h"

/* What the server refuses of single items is skipped, counted and said. Returns 0, SW_EIO if it
 * refuses the run, or SW_ETIME. */
int swi_batch_send(struct swi_run_upload *upload, struct sw_error *err);

/* Sets one tag. status: receives that of a refusal; may be NULL. */
int swi_tag_send(struct swi_run_upload *upload, const char *key, const char *value, int *status,
                 struct sw_error *err);

/* Adds as much of the value of a tag as the server keeps, and says so if that is not all. */
void swi_tag_cut(struct swi_run_upload *upload, struct swi_text *cut, const char *key,
                 const char *value);

#endif
