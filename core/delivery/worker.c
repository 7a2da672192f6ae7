/* SPDX-License-Identifier: MIT */
/* The thread of one sink: opens it, passes records to it, flushes it about once a second, and
 * closes it. */
#include "core/delivery/worker.h"
#include "core/clock/clock.h"
#include "core/clock/now.h"
#include "core/delivery/monitor.h"
#include "core/delivery/sink_services.h"
#include "core/process/own_thread.h"
#include "core/process/signals.h"
#include "core/trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define SECOND_NS INT64_C(1000000000)
/* A sink is opened after this time if it has no record yet: until then, the program may set clock,
 * start and messages. */
#define OPEN_AFTER_NS INT64_C(100000000)
/* Together with the dispatcher's longest sleep, this is less than a second, the most that a kill
 * may lose. */
#define FLUSH_NS INT64_C(700000000)
/* A sink that gets nothing is flushed at growing intervals, up to this one. */
#define FLUSH_IDLE_NS (5 * SECOND_NS)
#define FLUSH_TICK_NS INT64_C(10000000)

/* It need not be exact, and it is read after each record. It stands still between two ticks of the
 * kernel, which are at most FLUSH_TICK_NS apart. */
static int64_t flush_clock_ns(void)
{
    struct timespec now;
    swi_time(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void flush(struct swi_worker *worker)
{
    worker->flushed_ns = flush_clock_ns();
    swi_sink_flush(worker);
}

static bool has_flush(const struct swi_worker *worker)
{
    return !worker->given_up && (worker->plugin.sink->flush || worker->files);
}

static void flush_if_due(struct swi_worker *worker)
{
    /* A time in the future counts as long ago, because a library may move the clock. */
    if (!has_flush(worker) ||
        (uint64_t)(flush_clock_ns() - worker->flushed_ns) < (uint64_t)worker->flush_after_ns)
        return;
    flush(worker);
    int64_t twice = 2 * worker->flush_after_ns;
    worker->flush_after_ns = twice < FLUSH_IDLE_NS ? twice : FLUSH_IDLE_NS;
}

/* Returns how long a worker without records may sleep: until its clock, which is late, says that
 * the flush is due, or the worker would wake up again and again until the next tick. */
static int64_t flush_due_in(const struct swi_worker *worker)
{
    if (!has_flush(worker))
        return 60 * SECOND_NS;
    int64_t since = flush_clock_ns() - worker->flushed_ns;
    int64_t left = worker->flush_after_ns - since;
    return since < 0 || left <= 0 ? 0 : left + FLUSH_TICK_NS;
}

static void flush_answer(struct swi_worker *worker, uint64_t records)
{
    pthread_mutex_lock(&worker->lock);
    worker->flush_done = records;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->lock);
}

static void flush_if_asked(struct swi_worker *worker, uint64_t delivered)
{
    pthread_mutex_lock(&worker->lock);
    bool asked = worker->flush_asked > worker->flush_done && delivered >= worker->flush_asked;
    pthread_mutex_unlock(&worker->lock);
    if (!asked)
        return;
    if (!worker->given_up)
        flush(worker);
    flush_answer(worker, delivered);
}

static void taken_release(struct swi_worker *worker, size_t i)
{
    swi_record_unref(worker->taken[i]);
    worker->taken[i] = NULL;
}

static void taken_handle(struct swi_worker *worker, const struct swi_taken *taken)
{
    struct swi_record **records = worker->taken;
    for (size_t i = 0; i < taken->count; i++) {
        if (i + 1 < taken->count) /* while the sink handles this one */
            swi_record_fetch(records[i + 1]);
        if (i == taken->lost_before)
            swi_sink_lost(worker, &taken->lost, records[i]->record.time_ns);
        swi_sink_handle(worker, records[i]);
        swi_count_one(&worker->handled);
        taken_release(worker, i);
        worker->flush_after_ns = FLUSH_NS;
        flush_if_due(worker);
    }
    if (taken->lost_before == taken->count)
        swi_sink_lost(worker, &taken->lost, worker->time_ns);
}

/* Delivers records until the queue is closed and empty. */
static void worker_deliver(struct swi_worker *worker)
{
    struct swi_taken taken = {0};
    while (!taken.closing) {
        swi_cancel_hold(); /* the sink may have released it */
        swi_queue_wait(&worker->queue, flush_due_in(worker));
        taken = swi_queue_take(&worker->queue, worker->taken, SWI_WORKER_TAKES);
        taken_handle(worker, &taken);
        flush_if_due(worker);
        flush_if_asked(worker, taken.number);
    }
}

/* The name shows in debuggers and crash reports whose code the thread runs. */
static void thread_name(const struct swi_worker *worker)
{
    char name[16];
    snprintf(name, sizeof name, "sw-%.12s", worker->name);
    pthread_setname_np(pthread_self(), name);
}

/* There is nothing to flush before the sink is open. */
static void flush_skip(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    uint64_t asked = worker->flush_asked;
    pthread_mutex_unlock(&worker->lock);
    flush_answer(worker, asked);
}

/* While the disk is full, tries again each second; the records wait in the queue. */
static bool worker_open(struct swi_worker *worker)
{
    int rc = swi_sink_open(worker);
    while (rc == SW_EFULL) {
        flush_skip(worker);
        bool last = swi_queue_idle(&worker->queue, SECOND_NS);
        rc = swi_sink_open_again(worker, last);
    }
    return rc == 0;
}

static void worker_run(struct swi_worker *worker)
{
    swi_queue_wait(&worker->queue, OPEN_AFTER_NS);
    swi_run_take(worker);
    worker->flushed_ns = flush_clock_ns();
    worker->flush_after_ns = FLUSH_NS;
    bool opened = worker_open(worker);
    if (opened)
        swi_sink_run(worker);
    worker_deliver(worker);
    if (opened)
        swi_sink_close(worker);
    swi_sink_close_files(worker);
}

/* Initial-exec: reading it in a signal handler allocates nothing. */
static __attribute__((tls_model("initial-exec"))) _Thread_local struct swi_worker *volatile here;

struct swi_worker *swi_worker_here(void)
{
    return here;
}

static void gone(struct swi_worker *worker, enum swi_gone why)
{
    pthread_mutex_lock(&worker->lock);
    worker->gone = why;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->lock);
}

void swi_worker_leave(void)
{
    if (here)
        gone(here, SWI_EXITING);
}

void swi_worker_gone(struct swi_worker *worker)
{
    gone(worker, SWI_CRASHED);
}

enum swi_gone swi_worker_why_gone(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    enum swi_gone why = worker->gone;
    pthread_mutex_unlock(&worker->lock);
    return why;
}

/* Allows reading the counter, because the C library does so for the sink. The program has disabled
 * it only for its own threads. */
static void counter_allow(void)
{
    if (swi_counter_trapped())
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
}

static void done_set(struct swi_worker *worker)
{
    here = NULL;
    pthread_mutex_lock(&worker->lock);
    worker->done = true;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->lock);
}

/* Of the address sanitizer, if the program has it. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern void __asan_unpoison_memory_region(const volatile void *memory, size_t size)
    __attribute__((weak));

/* The C library jumps out of the sink's functions to end a thread. The sanitizer does not see that,
 * and would take the variables of what is called now for what lay between theirs. The stack is
 * larger (own_thread.h). */
static void stack_forget(void)
{
    enum { MOST = 256 << 10 };
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region((char *)__builtin_frame_address(0) - MOST, MOST);
}

/* The sink, or a function for messages that it called, ended the thread. */
static void thread_ended(void *arg)
{
    stack_forget();
    SW_ERROR_SCOPE(err);
    struct swi_worker *worker = arg;
    atomic_store(&worker->given_up, true);
    atomic_store(&worker->wants, 0);
    worker->missed += swi_worker_waiting(worker);
    for (size_t i = 0; i < SWI_WORKER_TAKES; i++)
        if (worker->taken[i])
            taken_release(worker, i);
    sw_error_set(&err, SW_ESINK, "its thread was ended by pthread_exit() or pthread_cancel()");
    swi_worker_failure(worker, &err, "its thread", "; the run continues without this sink");
    swi_sink_close_files(worker);
    done_set(worker);
}

static void *worker_main(void *arg)
{
    struct swi_worker *worker = arg;
    here = worker;
    counter_allow();
    thread_name(worker);
    swi_fault_blame("sink", worker->name);
    pthread_cleanup_push(thread_ended, worker);
    if (swi_sink_requests_may_begin(worker->requests))
        worker_run(worker);
    pthread_cleanup_pop(0);
    done_set(worker);
    return NULL;
}

static uint32_t wants_of(const struct swi_worker *worker)
{
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    return plugin->select ? plugin->wants & plugin->select(worker->state, &worker->run)
                          : plugin->wants;
}

int swi_worker_init(struct swi_worker *worker, const struct sw_run *run,
                    const struct sw_sink_services *services)
{
    enum { RECORDS = 4096 };
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    size_t room = plugin->queue_records ? plugin->queue_records : RECORDS;
    worker->sink = (struct sw_sink){.size = sizeof worker->sink,
                                    .services = services,
                                    .name = worker->name,
                                    .user = worker->plugin.user};
    worker->messages_left = SWI_MESSAGES_MAX;
    worker->message_ns = swi_monotonic_ns();
    worker->run_given = run;
    worker->started_ns = (int64_t)(run->started_s * 1e9);
    swi_run_take(worker);
    atomic_init(&worker->wants, wants_of(worker));
    if (swi_queue_init(&worker->queue, room, plugin->queue) < 0)
        return SW_ENOMEM;
    worker->queue.value_kinds = plugin->values ? plugin->values : UINT32_MAX;
    pthread_mutex_init(&worker->lock, NULL);
    swi_cond_init(&worker->change);
    return 0;
}

int swi_worker_start(struct swi_worker *worker)
{
    int rc = swi_own_thread_start(&worker->thread, worker_main, worker);
    worker->started = rc == 0;
    return rc;
}

uint64_t swi_worker_flush(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    uint64_t records = swi_queue_wake(&worker->queue);
    if (worker->flush_asked < records)
        worker->flush_asked = records;
    pthread_mutex_unlock(&worker->lock);
    return records;
}

bool swi_worker_flush_wait(struct swi_worker *worker, uint64_t records,
                           const struct swi_deadline *deadline)
{
    int rc = 0;
    pthread_mutex_lock(&worker->lock);
    while (worker->flush_done < records && !worker->done && !worker->gone && rc == 0)
        rc = swi_deadline_wait(&worker->change, &worker->lock, deadline);
    bool done = worker->flush_done >= records || worker->done;
    pthread_mutex_unlock(&worker->lock);
    return done;
}

static bool is_done(struct swi_worker *worker, const struct swi_deadline *deadline)
{
    int rc = 0;
    pthread_mutex_lock(&worker->lock);
    while (!worker->done && !worker->gone && rc == 0)
        rc = swi_deadline_wait(&worker->change, &worker->lock, deadline);
    bool done = worker->done;
    pthread_mutex_unlock(&worker->lock);
    return done;
}

void swi_worker_wait(struct swi_worker *worker, const struct swi_deadline *deadline)
{
    is_done(worker, deadline);
}

bool swi_worker_wait_on(struct swi_worker *worker, int64_t timeout_ns)
{
    long long seen = 0;
    struct swi_deadline passed = swi_deadline_in(0);
    bool done = is_done(worker, &passed);
    for (long long now; !done && (now = atomic_load(&worker->progress)) != seen; seen = now) {
        struct swi_deadline deadline = swi_deadline_in(timeout_ns);
        done = is_done(worker, &deadline);
    }
    return seen > 0;
}

bool swi_worker_join(struct swi_worker *worker, const struct swi_deadline *deadline)
{
    if (is_done(worker, deadline) && swi_deadline_join(worker->thread, deadline))
        return true;
    atomic_store(&worker->abandoned, true);
    pthread_detach(worker->thread);
    return false;
}

int64_t swi_worker_waiting(struct swi_worker *worker)
{
    int64_t dropped[SW_RECORD_TYPES];
    int64_t waiting = swi_queue_count(&worker->queue, dropped);
    for (int type = 0; type < SW_RECORD_TYPES; type++)
        waiting -= dropped[type];
    return waiting - worker->handled;
}

void swi_worker_fini(struct swi_worker *worker)
{
    if (worker->queue.droppable.item) {
        pthread_cond_destroy(&worker->change);
        pthread_mutex_destroy(&worker->lock);
        swi_queue_fini(&worker->queue);
    }
    swi_options_free(worker->strings);
    swi_plugin_fini(&worker->plugin);
    swi_regions_free(worker->regions);
    swi_sink_monitor_free(worker->monitor);
    free(worker->first_error);
    free(worker->files_lost);
    free(worker->unopened);
    free(worker->state);
    free(worker->name);
}
