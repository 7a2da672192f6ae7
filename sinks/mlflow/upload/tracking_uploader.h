/* SPDX-License-Identifier: MIT */
/* tracking_uploader.h - the interface between the sink and its uploader, mlflow-upload.so, which is
 * loaded only for a run that is uploaded. */
#ifndef SINKS_MLFLOW_UPLOAD_TRACKING_UPLOADER_H
#define SINKS_MLFLOW_UPLOAD_TRACKING_UPLOADER_H

#include "sinks/common/upload/message_fn.h"
#include "sinks/mlflow/upload/tracking_server.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct swi_tracking_upload;

/* Copied, because the thread may outlive its caller. */
struct swi_tracking_upload_options {
    char folder[PATH_MAX]; /* of the run */
    struct swi_tracking_server server;
    double interval_s;
};

/* The only symbol of mlflow-upload.so, swi_mlflow_uploader. Its functions are described in
 * upload_thread.h. */
struct swi_mlflow_uploader {
    char version[32]; /* of the release; the sink accepts only its own */
    struct swi_tracking_upload *(*start)(const struct swi_tracking_upload_options *options,
                                         struct sw_error *err);
    void (*wake)(struct swi_tracking_upload *upload);
    void (*hear)(struct swi_tracking_upload *upload, swi_message_fn *tell, void *arg);
    int (*end)(struct swi_tracking_upload *upload, int64_t deadline_ns, swi_message_fn *tell,
               void *arg, bool *whole);
};

#endif
