/* SPDX-License-Identifier: MIT */
#include "core/delivery/pipeline.h"
#include "core/delivery/dispatcher.h"
#include "core/delivery/sink_loading.h"
#include "core/delivery/sink_services.h"
#include "core/delivery/worker.h"
#include "core/files/file.h"
#include "core/files/own_table.h"
#include "core/plugins/options.h"
#include "core/process/hot_code.h"
#include "core/process/own_thread.h"
#include "core/process/signals.h"
#include "core/text/parse.h"

#include <stdlib.h>
#include <string.h>

struct swi_pipeline {
    size_t count;
    struct swi_worker **worker;
    struct swi_dispatcher dispatcher;
    bool carries; /* the dispatcher is initialised */
    struct swi_sink_requests requests;
    bool watching;                       /* watching for faults in the code of sinks */
    struct swi_environment *environment; /* a copy from sw_open() */
    char *rank_files;                    /* sw_run.rank_files, or NULL */
    struct swi_pipeline *next_abandoned;
};

/* ---- opening --------------------------------------------------------------------------------- */

void swi_pipeline_free(struct swi_pipeline *pipeline)
{
    if (pipeline->carries)
        swi_dispatcher_fini(&pipeline->dispatcher);
    for (size_t i = 0; i < pipeline->count; i++) {
        swi_worker_fini(pipeline->worker[i]);
        free(pipeline->worker[i]);
    }
    if (pipeline->watching)
        swi_fault_unwatch();
    swi_sink_requests_fini(&pipeline->requests);
    swi_environment_free(pipeline->environment);
    free(pipeline->rank_files);
    free(pipeline->worker);
    free(pipeline);
}

/* Returns false if out of memory. */
static bool workers_load(struct swi_pipeline *pipeline, struct swi_loading *loading)
{
    for (size_t i = 0; i < loading->settings->sink_count; i++) {
        struct swi_worker *worker = swi_sink_load(loading, i);
        if (!worker)
            return false;
        worker->requests = &pipeline->requests;
        pipeline->worker[pipeline->count++] = worker;
        pipeline->requests.count = pipeline->count;
    }
    return true;
}

static struct swi_pipeline *pipeline_new(struct swi_loading *loading)
{
    const struct swi_settings *settings = loading->settings;
    struct swi_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline ||
        !(pipeline->worker = calloc(settings->sink_count + 1, sizeof(*pipeline->worker)))) {
        free(pipeline);
        return NULL;
    }
    swi_sink_requests_init(&pipeline->requests, pipeline->worker);
    pipeline->watching = settings->signals;
    if (pipeline->watching)
        swi_fault_watch();
    swi_search_begin(&loading->search, settings);
    bool loaded = workers_load(pipeline, loading);
    swi_search_end(&loading->search);
    if (!loaded) {
        swi_pipeline_free(pipeline);
        return NULL;
    }
    swi_sinks_check_outputs(pipeline->worker, pipeline->count, settings, loading->mistakes);
    return pipeline;
}

static int worker_start(struct swi_worker *worker, struct sw_error *err)
{
    int rc = swi_worker_start(worker);
    if (rc == 0)
        return 0;
    return sw_error_set(err, SW_EIO, "sink %s: cannot start a thread for it: %s", worker->name,
                        swi_own_thread_error(rc));
}

static int dispatcher_start(struct swi_pipeline *pipeline, struct sw_error *err)
{
    if (!pipeline->count)
        return 0;
    swi_dispatcher_init(&pipeline->dispatcher, pipeline->worker, pipeline->count);
    pipeline->carries = true;
    int rc = swi_dispatcher_start(&pipeline->dispatcher);
    if (rc == 0)
        return 0;
    return sw_error_set(err, SW_EIO, "cannot start a thread for the sinks: %s",
                        swi_own_thread_error(rc));
}

/* Sets rank_files from the first sink that writes files. */
static void rank_files_find(struct swi_pipeline *pipeline, const struct sw_run *run)
{
    for (size_t i = 0; i < pipeline->count && !pipeline->rank_files; i++)
        pipeline->rank_files = swi_placeholders_pattern(pipeline->worker[i]->plugin.sink,
                                                        pipeline->worker[i]->state, run);
}

static int workers_start(struct swi_pipeline *pipeline, const struct sw_run *run,
                         struct sw_error *err)
{
    rank_files_find(pipeline, run);
    if (pipeline->count && !(pipeline->environment = swi_environment_take()))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the sinks");
    for (size_t i = 0; i < pipeline->count; i++) {
        struct swi_worker *worker = pipeline->worker[i];
        worker->environment = pipeline->environment;
        worker->rank_files = pipeline->rank_files ? pipeline->rank_files : "";
        if (swi_worker_init(worker, run, &swi_sink_services) < 0)
            return sw_error_set(err, SW_ENOMEM, "sink %s: not enough memory for its queue",
                                worker->name);
    }
    swi_standard_hold();
    swi_standard_note();
    int rc = 0;
    swi_sink_requests_hold(&pipeline->requests);
    for (size_t i = 0; i < pipeline->count && rc == 0; i++)
        rc = worker_start(pipeline->worker[i], err);
    if (rc == 0)
        rc = dispatcher_start(pipeline, err);
    swi_sink_requests_release(&pipeline->requests, rc == 0);
    return rc;
}

void swi_pipeline_fetch(struct swi_pipeline *pipeline, swi_fetch_fn *fetch, swi_waiting_fn *waiting,
                        void *arg)
{
    pipeline->dispatcher.fetch_arg = arg;
    pipeline->dispatcher.waiting = waiting;
    atomic_store(&pipeline->dispatcher.fetch, fetch);
}

void swi_pipeline_budget(struct swi_pipeline *pipeline, struct swi_budget *budget)
{
    atomic_store(&pipeline->dispatcher.budget, budget);
}

void swi_pipeline_notify_wants(struct swi_pipeline *pipeline, swi_sink_requests_changed_fn *notify,
                               void *arg)
{
    pipeline->requests.notify_arg = arg;
    atomic_store(&pipeline->requests.notify, notify);
}

int swi_pipeline_open(struct swi_pipeline **opened, const struct swi_settings *settings,
                      const struct sw_run *run, struct swi_messages *messages,
                      struct swi_mistakes *mistakes, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    struct swi_loading loading = {.settings = settings,
                                  .messages = messages,
                                  .has_id = swi_placeholders_have_id(run),
                                  .mistakes = mistakes};
    struct swi_pipeline *pipeline = pipeline_new(&loading);
    if (!pipeline)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the sinks");
    int rc =
        mistakes->count ? swi_mistakes_error(mistakes, err) : workers_start(pipeline, run, err);
    if (rc == 0) {
        *opened = pipeline;
    } else {
        /* No sink was opened, so this does not wait. */
        swi_pipeline_close(pipeline, INT64_MAX / 2, false, &ignored);
        swi_pipeline_free(pipeline);
    }
    return rc;
}

void swi_pipeline_check(const struct swi_settings *settings, bool trial, bool remarks,
                        struct swi_mistakes *mistakes)
{
    struct swi_rank rank;
    struct sw_run run = {.size = sizeof run};
    swi_rank_find_here(&rank, &settings->ranks);
    swi_run_set_rank(&run, &rank);
    struct swi_loading loading = {.settings = settings,
                                  .trial = trial,
                                  .remarks = remarks,
                                  .has_id = swi_placeholders_have_id(&run),
                                  .mistakes = mistakes};
    struct swi_pipeline *pipeline = pipeline_new(&loading);
    if (pipeline)
        swi_pipeline_free(pipeline);
}

/* ---- records --------------------------------------------------------------------------------- */

SWI_HOT uint32_t swi_pipeline_wants(const struct swi_pipeline *pipeline)
{
    return atomic_load_explicit(&pipeline->requests.wants, memory_order_relaxed);
}

uint32_t swi_pipeline_value_kinds(const struct swi_pipeline *pipeline)
{
    return atomic_load_explicit(&pipeline->requests.value_kinds, memory_order_relaxed);
}

void swi_pipeline_want(struct swi_pipeline *pipeline, uint32_t wants)
{
    swi_sink_requests_set_core(&pipeline->requests, wants);
}

bool swi_pipeline_sinks_want(const struct swi_pipeline *pipeline, enum sw_record_type type)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (atomic_load_explicit(&pipeline->worker[i]->wants, memory_order_relaxed) & SW_WANT(type))
            return true;
    return false;
}

void swi_pipeline_push(struct swi_pipeline *pipeline, struct swi_record *record)
{
    swi_dispatcher_put(&pipeline->dispatcher, record);
}

static bool wants_epochs(struct swi_worker *worker)
{
    return atomic_load_explicit(&worker->wants, memory_order_relaxed) & SW_WANT(SW_RECORD_EPOCH);
}

static bool some_sink_takes_epoch(struct swi_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (wants_epochs(pipeline->worker[i]) && !pipeline->worker[i]->given_up &&
            !swi_queue_refuses_epoch(&pipeline->worker[i]->queue))
            return true;
    return false;
}

bool swi_pipeline_drops_epoch(struct swi_pipeline *pipeline, bool too_many)
{
    if (!too_many && some_sink_takes_epoch(pipeline))
        return false;
    for (size_t i = 0; i < pipeline->count; i++) {
        struct swi_worker *worker = pipeline->worker[i];
        if (wants_epochs(worker) && worker->given_up)
            worker->missed++;
        else if (wants_epochs(worker))
            swi_queue_count_epoch(&worker->queue);
    }
    return true;
}

bool swi_pipeline_stopped(const struct swi_pipeline *pipeline)
{
    return atomic_load_explicit(&pipeline->requests.stopped, memory_order_relaxed);
}

/* ---- flushing and closing -------------------------------------------------------------------- */

/* Asks all sinks before it waits for one, so that they work in parallel. It may also wait for
 * records that arrive meanwhile. */
int swi_pipeline_flush(struct swi_pipeline *pipeline, int64_t timeout_ns)
{
    struct swi_deadline deadline = swi_deadline_in(timeout_ns);
    int rc = 0;
    if (pipeline->carries)
        swi_dispatcher_fetch(&pipeline->dispatcher);
    if (pipeline->carries && !swi_dispatcher_carry(&pipeline->dispatcher, &deadline))
        return SW_ETIME;
    for (size_t i = 0; i < pipeline->count; i++)
        swi_worker_flush(pipeline->worker[i]);
    for (size_t i = 0; i < pipeline->count; i++) {
        struct swi_worker *worker = pipeline->worker[i];
        if (!swi_worker_flush_wait(worker, swi_worker_flush(worker), &deadline))
            rc = SW_ETIME;
    }
    return rc;
}

/* Appends "sink NAME: …" as a separate line. */
static void failure_note(struct sw_error *err, int code, const struct swi_worker *worker,
                         const char *text)
{
    sw_error_append(err, "%ssink %s: %s", err->code ? "\n" : "", worker->name, text);
    if (err->code != SW_ETIME)
        err->code = code;
}

static void tell_abandoned(struct sw_error *err, struct swi_worker *worker, int64_t timeout_ns)
{
    static const char *const gone[] = {[SWI_EXITING] = "called exit(), which ends the program",
                                       [SWI_CRASHED] = "crashed, which ends the program"};
    char text[256], late[128];
    enum swi_gone why = swi_worker_why_gone(worker);
    snprintf(late, sizeof late, "did not finish within close_timeout (%s s) and was left alone",
             SWI_FLOAT((double)timeout_ns * 1e-9));
    snprintf(text, sizeof text, "%s; %" PRId64 " records did not make it", why ? gone[why] : late,
             swi_worker_waiting(worker));
    failure_note(err, SW_ETIME, worker, text);
}

/* It may still make a report. */
static void tell_dispatcher_abandoned(struct sw_error *err, int64_t timeout_ns)
{
    sw_error_append(err,
                    "%sthe thread that makes reports did not finish within close_timeout (%s s) "
                    "and was left alone",
                    err->code ? "\n" : "", SWI_FLOAT((double)timeout_ns * 1e-9));
    err->code = SW_ETIME;
}

/* Keeps what an abandoned worker uses until the process ends, where a leak checker finds it. */
static void keep(struct swi_pipeline *pipeline)
{
    static struct swi_pipeline *_Atomic abandoned;
    pipeline->next_abandoned = atomic_load(&abandoned);
    while (!atomic_compare_exchange_weak(&abandoned, &pipeline->next_abandoned, pipeline))
        continue;
}

/* An abandoned worker may be sending a message. The program gets it before the close returns, and
 * nothing after that. */
static void settle(const struct swi_pipeline *pipeline)
{
    if (pipeline->count && pipeline->worker[0]->messages)
        swi_messages_settle(pipeline->worker[0]->messages);
}

static void worker_close(struct swi_worker *worker, const struct swi_deadline *deadline,
                         int64_t timeout_ns, struct sw_error *err)
{
    char text[SWI_MESSAGE + 1024];
    if (!swi_worker_join(worker, deadline))
        tell_abandoned(err, worker, timeout_ns);
    if (swi_worker_summary(worker, text, sizeof text))
        failure_note(err, SW_ESINK, worker, text);
}

/* Returns whether a sink got more time. */
static bool sinks_wait_on(struct swi_pipeline *pipeline, int64_t timeout_ns)
{
    bool waited = false;
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->worker[i]->started)
            waited |= swi_worker_wait_on(pipeline->worker[i], timeout_ns);
    return waited;
}

int swi_pipeline_close(struct swi_pipeline *pipeline, int64_t timeout_ns, bool patient,
                       struct sw_error *err)
{
    struct swi_deadline deadline = swi_deadline_in(timeout_ns);
    bool dispatcher_ended = true;
    sw_error_init(err);
    if (pipeline->carries) {
        dispatcher_ended = swi_dispatcher_stop(&pipeline->dispatcher, &deadline);
        swi_dispatcher_carry(&pipeline->dispatcher, &deadline);
    }
    for (size_t i = 0; i < pipeline->count; i++) {
        atomic_store(&pipeline->worker[i]->progress, 0);
        if (pipeline->worker[i]->started)
            swi_queue_close(&pipeline->worker[i]->queue);
    }
    /* All sinks end meanwhile, before this thread joins the first of them. */
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->worker[i]->started)
            swi_worker_wait(pipeline->worker[i], &deadline);
    if (patient && sinks_wait_on(pipeline, timeout_ns))
        deadline = swi_deadline_in(timeout_ns / 10);
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->worker[i]->started)
            worker_close(pipeline->worker[i], &deadline, timeout_ns, err);
    if (!dispatcher_ended)
        tell_dispatcher_abandoned(err, timeout_ns);
    if (err->code == SW_ETIME) {
        keep(pipeline);
        settle(pipeline);
    }
    return err->code;
}

/* Threads and locks belong to the parent, so no sink is used again. */
void swi_pipeline_forget(struct swi_pipeline *pipeline)
{
    pipeline->count = 0;
    pipeline->carries = false;
    atomic_store(&pipeline->requests.wants, 0);
    atomic_store(&pipeline->requests.value_kinds, 0);
}
