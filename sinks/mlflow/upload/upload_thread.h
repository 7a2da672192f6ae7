/* SPDX-License-Identifier: MIT */
/* upload_thread.h - uploads a run in a separate thread while it is being written. */
#ifndef SINKS_MLFLOW_UPLOAD_UPLOAD_THREAD_H
#define SINKS_MLFLOW_UPLOAD_UPLOAD_THREAD_H

#include "net/message_fn.h"
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

/* Starts an upload. Returns NULL if no thread can be started. */
struct swi_tracking_upload *
swi_tracking_upload_start(const struct swi_tracking_upload_options *options, struct sw_error *err);

/* Notes that the journal has grown. */
void swi_tracking_upload_wake(struct swi_tracking_upload *upload);

/* Calls tell, on the calling thread, for each message of the thread. */
void swi_tracking_upload_hear(struct swi_tracking_upload *upload, swi_message_fn *tell, void *arg);

/* Waits until the complete journal is uploaded, or until the deadline (CLOCK_MONOTONIC), and ends
 * the thread. Returns 0 if everything was sent; *whole: the server took all of it, and the run is
 * ended there. upload is invalid afterwards. */
int swi_tracking_upload_end(struct swi_tracking_upload *upload, int64_t deadline_ns,
                            swi_message_fn *tell, void *arg, bool *whole);

#endif
