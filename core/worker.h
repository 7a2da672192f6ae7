/* SPDX-License-Identifier: MIT */
/* worker.h - one open sink: its plugin, state, queue and thread. */
#ifndef CORE_WORKER_H
#define CORE_WORKER_H

#include "core/loader.h"
#include "core/messages.h"
#include "core/options.h"
#include "core/queue.h"

#include <stdatomic.h>

/* A failing sink is given up after so many records in a row. */
enum { SWI_FAILURES_MAX = 10 };

struct swi_file;

struct swi_worker {
    struct sw_sink sink; /* what the plugin sees; first, so that a service finds the worker */
    struct swi_plugin plugin;
    char *name;
    void *state;
    struct swi_strings *strings;
    struct swi_queue queue;
    struct swi_messages *messages;
    atomic_bool *stopped; /* of the pipeline: the run shall stop */
    atomic_uint wants;
    pthread_t thread;
    bool started;
    struct swi_file *files; /* streams that services.c opened */
    int64_t flushed_ns;

    pthread_mutex_t lock; /* for what follows, and `done` */
    pthread_cond_t change;
    bool opened;
    bool given_up;
    bool done;
    bool flushed; /* since swi_worker_flush() */
    int failures; /* in a row */
    int64_t records;
    int64_t failed;
    int64_t lost; /* sw_sink_lost() */
    struct sw_error first_error;
};

/* Starts the thread, which opens the sink. 0, SW_ENOMEM or SW_EIO. */
int swi_worker_start(struct swi_worker *worker, const struct sw_run *run);

/* Waits until the sink has delivered and flushed all, or until the deadline (CLOCK_MONOTONIC);
 * false then. */
bool swi_worker_flush_wait(struct swi_worker *worker, const struct timespec *deadline);
void swi_worker_flush(struct swi_worker *worker);

/* Waits for the end of the thread; false where the deadline passed: it is left alone then. */
bool swi_worker_join(struct swi_worker *worker, const struct timespec *deadline);

/* What the sink failed in or lost, one clause; false where nothing. */
bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size);

/* Says and counts a failure of the sink. */
void swi_worker_failed(struct swi_worker *worker, const struct sw_error *err, bool record);

/* Frees everything of a worker whose thread has ended or never began. */
void swi_worker_fini(struct swi_worker *worker);

#endif
