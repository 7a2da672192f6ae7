/* SPDX-License-Identifier: MIT */
/* The thread of one sink: open, records, flush about once a second, close. */
#include "core/worker.h"
#include "core/services.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256 };
#define FLUSH_NS INT64_C(1000000000)

static int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void swi_worker_failed(struct swi_worker *worker, const struct sw_error *err, bool record)
{
    pthread_mutex_lock(&worker->lock);
    bool first = worker->first_error.code == 0;
    if (first)
        worker->first_error = *err;
    if (record) {
        worker->failed++;
        worker->failures++;
    }
    pthread_mutex_unlock(&worker->lock);
    if (first)
        swi_say(worker->messages, SW_ERROR, "sink %s: %s", worker->name, err->text);
}

static void give_up(struct swi_worker *worker)
{
    atomic_store(&worker->wants, 0);
    pthread_mutex_lock(&worker->lock);
    worker->given_up = true;
    pthread_mutex_unlock(&worker->lock);
}

static const struct sw_sink_plugin *plugin_of(const struct swi_worker *worker)
{
    return worker->plugin.sink;
}

/* A plugin that fails without a word gets one. */
static void word(struct sw_error *err, int rc, const char *what)
{
    if (!err->code)
        sw_error_set(err, rc, "%s failed and does not say why", what);
}

static bool worker_open(struct swi_worker *worker)
{
    struct sw_error err = {0};
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    int rc = plugin->open ? plugin->open(worker->state, &worker->sink, &err) : 0;
    if (rc < 0) {
        word(&err, rc, "opening it");
        give_up(worker);
        swi_worker_failed(worker, &err, false);
        return false;
    }
    pthread_mutex_lock(&worker->lock);
    worker->opened = true;
    pthread_mutex_unlock(&worker->lock);
    return true;
}

static void record_handle(struct swi_worker *worker, const struct sw_record *record)
{
    struct sw_error err = {0};
    if (worker->given_up) {
        pthread_mutex_lock(&worker->lock);
        worker->lost++;
        pthread_mutex_unlock(&worker->lock);
        return;
    }
    int rc = plugin_of(worker)->record(worker->state, record, &err);
    worker->records++;
    if (rc >= 0) {
        worker->failures = 0;
        return;
    }
    word(&err, rc, "a record");
    swi_worker_failed(worker, &err, true);
    if (worker->failures == SWI_FAILURES_MAX) {
        give_up(worker);
        swi_say(worker->messages, SW_ERROR, "sink %s: given up after %d failures in a row",
                worker->name, SWI_FAILURES_MAX);
    }
}

static void run_handle(struct swi_worker *worker)
{
    const struct sw_run *run = worker->sink.run;
    struct sw_record record = {.type = SW_RECORD_RUN, .wall_s = run->started_s, .run = run};
    if (plugin_of(worker)->wants & SW_WANT(SW_RECORD_RUN))
        record_handle(worker, &record);
}

static void worker_flush(struct swi_worker *worker)
{
    struct sw_error err = {0};
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    worker->flushed_ns = monotonic_ns();
    if (worker->given_up)
        return;
    int rc = plugin->flush ? plugin->flush(worker->state, &err) : 0;
    if (rc >= 0)
        rc = swi_files_flush(worker, &err);
    if (rc < 0) {
        word(&err, rc, "a flush");
        swi_worker_failed(worker, &err, false);
    }
}

static void worker_close(struct swi_worker *worker)
{
    struct sw_error err = {0};
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    worker_flush(worker);
    int rc = plugin->close ? plugin->close(worker->state, &err) : 0;
    if (rc < 0)
        word(&err, rc, "closing it");
    int files = swi_files_close(worker, rc < 0 ? &(struct sw_error){0} : &err);
    if (rc < 0 || files < 0)
        swi_worker_failed(worker, &err, false);
}

/* Delivers until the queue is closed and empty. */
static void worker_deliver(struct swi_worker *worker, bool opened)
{
    struct swi_record *records[BATCH];
    bool closing = false, flush = false;
    while (!closing) {
        size_t n = swi_queue_take(&worker->queue, records, BATCH, &closing, &flush);
        for (size_t i = 0; i < n; i++) {
            record_handle(worker, &records[i]->record);
            swi_record_unref(records[i]);
        }
        bool due = monotonic_ns() - worker->flushed_ns >= FLUSH_NS;
        if (opened && (flush || due))
            worker_flush(worker);
        if (!flush)
            continue;
        pthread_mutex_lock(&worker->lock);
        worker->flushed = true;
        pthread_mutex_unlock(&worker->lock);
        pthread_cond_broadcast(&worker->change);
    }
}

static void thread_name(const struct swi_worker *worker)
{
    char name[16] = "sw-";
    strncat(name, worker->name, sizeof name - 4);
    pthread_setname_np(pthread_self(), name);
}

static void *worker_main(void *arg)
{
    struct swi_worker *worker = arg;
    thread_name(worker);
    bool opened = worker_open(worker);
    if (opened)
        run_handle(worker);
    worker_deliver(worker, opened);
    if (opened)
        worker_close(worker);
    else
        swi_files_close(worker, &(struct sw_error){0});
    pthread_mutex_lock(&worker->lock);
    worker->done = true;
    pthread_mutex_unlock(&worker->lock);
    pthread_cond_broadcast(&worker->change);
    return NULL;
}

int swi_worker_start(struct swi_worker *worker, const struct sw_run *run)
{
    pthread_condattr_t attributes;
    sigset_t all, old;
    worker->sink = (struct sw_sink){.services = &swi_services, .run = run, .name = worker->name};
    pthread_mutex_init(&worker->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&worker->change, &attributes);
    pthread_condattr_destroy(&attributes);
    worker->flushed_ns = monotonic_ns();
    atomic_store(&worker->wants, plugin_of(worker)->wants);
    /* The program's handlers run on the program's threads; and a closed pipe is an error, no death.
     */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    worker->started = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return worker->started ? 0 : SW_EIO;
}

static bool wait_for(struct swi_worker *worker, const bool *what, const struct timespec *deadline)
{
    int rc = 0;
    pthread_mutex_lock(&worker->lock);
    while (!*what && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&worker->change, &worker->lock, deadline);
    bool reached = *what;
    pthread_mutex_unlock(&worker->lock);
    return reached;
}

void swi_worker_flush(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->flushed = false;
    pthread_mutex_unlock(&worker->lock);
    swi_queue_flush(&worker->queue);
}

bool swi_worker_flush_wait(struct swi_worker *worker, const struct timespec *deadline)
{
    return wait_for(worker, &worker->flushed, deadline);
}

bool swi_worker_join(struct swi_worker *worker, const struct timespec *deadline)
{
    bool done = wait_for(worker, &worker->done, deadline);
    if (done)
        pthread_join(worker->thread, NULL);
    else
        pthread_detach(worker->thread);
    return done;
}

/* Appends a clause, with a comma before all but the first. */
__attribute__((format(printf, 3, 4))) static void clause(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    if (used && used + 2 < size) {
        memcpy(text + used, ", ", 3);
        used += 2;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size)
{
    int64_t dropped = swi_queue_dropped(&worker->queue);
    text[0] = '\0';
    pthread_mutex_lock(&worker->lock);
    if (worker->first_error.code)
        clause(text, size, "%s", worker->first_error.text);
    if (worker->failed)
        clause(text, size, "%" PRId64 " of %" PRId64 " records failed", worker->failed,
               worker->records);
    if (worker->lost)
        clause(text, size, "%" PRId64 " records lost", worker->lost);
    if (dropped)
        clause(text, size, "%" PRId64 " records dropped because it was too slow", dropped);
    pthread_mutex_unlock(&worker->lock);
    return text[0] != '\0';
}

void swi_worker_fini(struct swi_worker *worker)
{
    if (worker->started) {
        pthread_cond_destroy(&worker->change);
        pthread_mutex_destroy(&worker->lock);
    }
    if (worker->queue.ring)
        swi_queue_fini(&worker->queue);
    swi_options_free(worker->strings);
    swi_plugin_fini(&worker->plugin);
    free(worker->state);
    free(worker->name);
}
