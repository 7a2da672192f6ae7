/* SPDX-License-Identifier: MIT */
/* tracking_uploader.c - mlflow-upload.so: the interface of the upload for the sink. */
#include "sinks/mlflow/upload/tracking_uploader.h"
#include "config.h"
#include "sinks/mlflow/upload/upload_thread.h"

extern const struct swi_mlflow_uploader swi_mlflow_uploader;

__attribute__((visibility("default"))) const struct swi_mlflow_uploader swi_mlflow_uploader = {
    .version = PACKAGE_VERSION,
    .start = swi_tracking_upload_start,
    .wake = swi_tracking_upload_wake,
    .hear = swi_tracking_upload_hear,
    .end = swi_tracking_upload_end,
};
