/* SPDX-License-Identifier: MIT */
/* push_thread.h - a thread that sends the newest state to a Pushgateway. */
#ifndef SINKS_PROMETHEUS_PUSH_PUSH_THREAD_H
#define SINKS_PROMETHEUS_PUSH_PUSH_THREAD_H

#include "net/message_fn.h"
#include "net/connection.h"

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

/* Starts a thread. Returns NULL on failure. */
struct swi_push *swi_push_start(const struct swi_push_options *options, struct sw_error *err);
/* Sets the newest state, which is copied. Only the newest is ever sent. */
void swi_push_set(struct swi_push *push, const char *text, size_t size);
/* Calls tell, on the calling thread, for each message of the thread. */
void swi_push_hear(struct swi_push *push, swi_message_fn *tell, void *arg);
/* Sends the last state, and ends the thread at the deadline (CLOCK_MONOTONIC) at the latest. clean:
 * the program ended well. */
void swi_push_end(struct swi_push *push, bool clean, int64_t deadline_ns, swi_message_fn *tell,
                  void *arg);

#endif
