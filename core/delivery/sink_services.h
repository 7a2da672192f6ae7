/* SPDX-License-Identifier: MIT */
/* sink_services.h - the functions of core that a sink may call: messages, files. */
#ifndef CORE_DELIVERY_SINK_SERVICES_H
#define CORE_DELIVERY_SINK_SERVICES_H

#include "core/delivery/worker.h"

#include <stepwatch/sink.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- what sinks ask of the loop: kinds of records, and to stop ------------------------------- */

/* Any thread may call these functions. */

struct swi_worker;

/* Called by the thread of a sink after a change of what all sinks together want. changed: the kinds
 * that are wanted now and were not before, and the reverse. */
typedef void swi_sink_requests_changed_fn(void *arg, uint32_t changed);

struct swi_sink_requests {
    struct swi_worker **worker; /* borrowed; changes only before the threads start */
    size_t count;
    atomic_uint value_kinds; /* the same of values, as SW_WANT_VALUE bits */
    atomic_uint wants;       /* what any worker or core wants, as SW_WANT bits */
    atomic_bool stopped;
    uint32_t core;        /* what core itself wants; under the lock */
    pthread_mutex_t lock; /* to change wants; held while threads are started */
    bool cancelled;       /* some thread could not be started, so none begins */
    _Atomic(swi_sink_requests_changed_fn *) notify;
    void *notify_arg;
};

void swi_sink_requests_init(struct swi_sink_requests *requests, struct swi_worker **worker);
void swi_sink_requests_fini(struct swi_sink_requests *requests);

/* Called before and after all threads are started. hold adds up what the sinks want. No thread
 * begins its work before the release, or at all if not all were started. */
void swi_sink_requests_hold(struct swi_sink_requests *requests);
void swi_sink_requests_release(struct swi_sink_requests *requests, bool all_started);

/* Called by a thread that was started: waits for the release. If it returns false, the thread must
 * end. */
bool swi_sink_requests_may_begin(struct swi_sink_requests *requests);

/* Sets the kinds of records that core itself wants. */
void swi_sink_requests_set_core(struct swi_sink_requests *requests, uint32_t wants);

extern const struct sw_sink_services swi_sink_services;

/* ---- the files of a sink, which core opens, flushes and closes ------------------------------- */

/* The implementations of sw_sink_create(), sw_sink_head() and so on. */
int swi_files_create(struct sw_sink *sink, const char *path, FILE **stream, struct sw_error *err);
int swi_files_head(struct sw_sink *sink, FILE *stream, const char *text, size_t size);
int swi_files_write(struct sw_sink *sink, FILE *stream, const void *data, size_t size,
                    struct sw_error *err);
int swi_files_finish(struct sw_sink *sink, FILE *stream, const char *path, struct sw_error *err);
int swi_files_replace(struct sw_sink *sink, const char *path, const char *text, size_t size,
                      struct sw_error *err);
int swi_files_resolve(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                      struct sw_error *err);

/* Called before the sink is opened: claims the file that its option `path` names against other
 * sinks in any process, or chooses another name, and tries whether it can be written. Returns 0, or
 * a negative code if it cannot. */
int swi_files_hold(struct swi_worker *worker, struct sw_error *err);

/* Flushes the sink's streams. err: the first failure. */
int swi_files_flush(struct swi_worker *worker, struct sw_error *err);

/* Flushes and closes them. text: set to the files that lost lines, and how many; "" if none did. */
int swi_files_close(struct swi_worker *worker, char *text, size_t size, struct sw_error *err);

#endif
