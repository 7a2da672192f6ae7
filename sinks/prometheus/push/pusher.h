/* SPDX-License-Identifier: MIT */
/* pusher.h - the interface between the sink and prometheus-upload.so, which is loaded only for a
 * run that is pushed to a Pushgateway. */
#ifndef SINKS_PROMETHEUS_PUSH_PUSHER_H
#define SINKS_PROMETHEUS_PUSH_PUSHER_H

#include "sinks/common/upload/message_fn.h"
#include "sinks/common/upload/connection.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWI_PUSH_URL = 1024, SWI_PUSH_PATH = 8192 };

struct swi_push_options {
    char base_url[SWI_PUSH_URL]; /* without a slash at its end */
    char path[SWI_PUSH_PATH];    /* of the group */
    struct swi_connection connection;
    double interval_s;
    bool deletes; /* at a clean end, the group is deleted */
};

struct swi_push;

/* The only symbol of prometheus-upload.so, swi_prometheus_uploader. */
struct swi_pusher {
    char version[32]; /* of the release; the sink accepts only its own */
    /* Starts a thread. Returns NULL on failure. */
    struct swi_push *(*start)(const struct swi_push_options *options, struct sw_error *err);
    /* Sets the newest state, which is copied. Only the newest is ever sent. */
    void (*set)(struct swi_push *push, const char *text, size_t size);
    /* Calls tell, on the calling thread, for each message of the thread. */
    void (*hear)(struct swi_push *push, swi_message_fn *tell, void *arg);
    /* Sends the last state, and ends the thread at the deadline (CLOCK_MONOTONIC) at the latest.
     * clean: the program ended well. */
    void (*end)(struct swi_push *push, bool clean, int64_t deadline_ns, swi_message_fn *tell,
                void *arg);
};

#endif
