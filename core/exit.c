/* SPDX-License-Identifier: MIT */
/* The list of open profilers, and what happens to them if the program ends without sw_close(). */
#include "core/exit.h"
#include "core/counters/counter.h"
#include "core/counters/perf_events.h"
#include "core/delivery/worker.h"
#include "core/files/file.h"
#include "core/files/write_lock.h"
#include "core/loop/calling_thread.h"
#include "core/loop/state.h"
#include "core/plugins/kind.h"
#include "core/process/capture_request.h"
#include "core/process/child.h"
#include "core/process/handlers.h"
#include "core/process/own_floats.h"
#include "core/process/own_thread.h"
#include "core/process/signals.h"
#include "core/rows/action.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#define MS INT64_C(1000000)
/* How long a crash waits for sinks: with the rest, less than the second that its thread waits. */
#define CRASH_SINKS_NS (600 * MS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sw_profiler *open_profilers;
/* Profilers that were ended at exit, by a signal, or in another process. Other threads of the
 * program may still use them, and sw_close() may follow, so they are kept. */
static struct sw_profiler *ended_profilers;
static bool registered; /* exit() calls at_exit() */

/* Polling needs neither a clock, which the program may have replaced, nor memory of a profiler that
 * its owner is about to free. */
static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
}

/* ---- the list -------------------------------------------------------------------------------- */

static struct sw_profiler **find(struct sw_profiler **list, const struct sw_profiler *sw)
{
    while (*list && *list != sw)
        list = &(*list)->ending.next;
    return list;
}

static void move_to_ended(struct sw_profiler **at)
{
    struct sw_profiler *sw = *at;
    if (!sw)
        return;
    *at = sw->ending.next;
    sw->ending.next = ended_profilers;
    ended_profilers = sw;
}

static void own(struct sw_profiler *sw)
{
    sw->ending.by = pthread_self();
    swi_signals_ending(1);
}

static enum swi_run_lock claim(struct sw_profiler *sw)
{
    struct sw_profiler *found = *find(&open_profilers, sw);
    if (!found) {
        found = *find(&ended_profilers, sw);
        return !found ? SWI_UNKNOWN : found->measured.forked ? SWI_INHERITED : SWI_ENDED;
    }
    if (found->ending.by)
        return SWI_WITHIN;
    own(found);
    return SWI_MINE;
}

/* Returns whether another thread is ending it. */
static bool is_anothers(const struct sw_profiler *sw)
{
    return sw->ending.by && !pthread_equal(sw->ending.by, pthread_self());
}

/* Returns whether the thread that has the end crashed on its way, or waits for what another thread
 * had when that crashed. Then the thread that ends the program takes over. */
static bool is_left(const struct sw_profiler *sw)
{
    enum swi_end_stage stage = (enum swi_end_stage)atomic_load(&sw->ending.stage);
    return (stage < SWI_END_SENT && swi_signals_inherits(sw->ending.by)) ||
           (stage < SWI_END_REPORTED &&
            swi_signals_inherits(atomic_load(&sw->measured.fold.holder)));
}

enum swi_run_lock swi_exit_claim(struct sw_profiler *sw)
{
    if (swi_is_child())
        return SWI_INHERITED;
    pthread_mutex_lock(&lock);
    while (*find(&open_profilers, sw) && is_anothers(sw)) {
        pthread_mutex_unlock(&lock);
        nap();
        pthread_mutex_lock(&lock);
    }
    enum swi_run_lock found = claim(sw);
    pthread_mutex_unlock(&lock);
    return found;
}

void swi_exit_done(struct sw_profiler *sw)
{
    pthread_mutex_lock(&lock);
    struct sw_profiler **at = find(&open_profilers, sw);
    if (*at) {
        *at = sw->ending.next;
        swi_signals_ending(-1);
    }
    if (!open_profilers)
        swi_signals_stop();
    pthread_mutex_unlock(&lock);
}

/* ---- ending all ------------------------------------------------------------------------------ */

/* Takes a profiler that nobody is ending yet. longest: set to how long the others may take. */
static struct sw_profiler *take(int64_t *longest)
{
    struct sw_profiler *taken = NULL;
    *longest = -1;
    pthread_mutex_lock(&lock);
    for (struct sw_profiler *sw = open_profilers; sw && !taken; sw = sw->ending.next) {
        if (!sw->ending.by || is_left(sw))
            own(taken = sw);
        else if (is_anothers(sw) && sw->measured.chosen.close_timeout_ns > *longest)
            *longest = sw->measured.chosen.close_timeout_ns;
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

static void give(struct sw_profiler *sw)
{
    pthread_mutex_lock(&lock);
    move_to_ended(find(&open_profilers, sw));
    swi_signals_ending(-1);
    pthread_mutex_unlock(&lock);
}

/* Ends all open profilers, and waits for those that other threads are ending. */
static void end_all(const struct swi_ending *ending)
{
    int64_t longest;
    for (int64_t waited = 0;; waited++) {
        struct sw_profiler *sw = take(&longest);
        int64_t limit = ending->limit_ns ? ending->limit_ns : longest + 1000 * MS;
        if (sw) {
            swi_messages_end(&sw->records.messages);
            swi_finish_interrupted(sw, ending);
            give(sw);
        } else if (longest < 0 || waited * MS > limit) {
            return;
        } else {
            nap();
        }
    }
}

/* ---- signals and crashes --------------------------------------------------------------------- */

static void *here(void)
{
    return swi_message_is_sent() ? NULL : swi_worker_here();
}

static void signal_end(int signal)
{
    char cause[64];
    snprintf(cause, sizeof cause, "%s without sw_close()", swi_signal_name(signal));
    end_all(&(struct swi_ending){
        .exit_status = 128 + signal,
        .signal = signal,
        .cause = cause,
    });
}

static void crash_end(int signal, struct swi_worker *worker)
{
    char cause[160];
    snprintf(cause, sizeof cause, "%s%s%s%s", swi_signal_name(signal), worker ? " in sink " : "",
             worker ? worker->name : "",
             signal == SIGABRT ? ": abort(), a failed assertion or an uncaught C++ exception" : "");
    if (worker)
        swi_worker_gone(worker);
    end_all(&(struct swi_ending){
        .exit_status = 128 + signal,
        .signal = signal,
        .cause = cause,
        .limit_ns = CRASH_SINKS_NS,
    });
}

static void end(int signal, bool crashed, void *where)
{
    if (crashed)
        crash_end(signal, where);
    else
        signal_end(signal);
}

static const struct swi_signal_calls signal_calls = {.here = here, .end = end};

/* ---- exit() ---------------------------------------------------------------------------------- */

static void exit_watch(void);

/* exit() on a second thread would end the process while the first is still busy. A second call of
 * at_exit() prevents that. quick_exit() is alike. */
static void exit_watch_on(void)
{
    pthread_mutex_lock(&lock);
    registered = false;
    if (open_profilers)
        exit_watch();
    pthread_mutex_unlock(&lock);
}

static void end_at_exit(int status, const char *cause)
{
    SWI_OWN_FLOATS;
    if (swi_is_child()) {
        swi_inherited_exit();
        return;
    }
    int cancel = swi_cancel_hold();
    exit_watch_on();
    swi_worker_leave();
    swi_signals_park();
    end_all(&(struct swi_ending){.exit_status = status, .cause = cause});
    swi_signals_park();
    swi_cancel_release(cancel);
}

static void at_exit(int status, void *arg)
{
    char cause[64];
    (void)arg;
    snprintf(cause, sizeof cause, "exit(%d) without sw_close()", status);
    end_at_exit(status, cause);
}

/* Uses the status of sw_set_exit_status(), because nobody tells that of quick_exit(). */
static void at_quick(void)
{
    end_at_exit(0, "quick_exit() without sw_close()");
}

#if defined(__GLIBC__)
static atomic_bool stays; /* this module stays in memory until the process ends */

/* on_exit() is the only way to learn the status, but its handler outlives a module that is closed,
 * so the module must stay in memory. Code that is linked into the program stays anyway. Called
 * without exit.c's lock, because a constructor that the loader runs may be opening a profiler. */
static void stay_loaded(void)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (atomic_load(&stays))
        return;
    bool module =
        dladdr1(&registered, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name;
    atomic_store(&stays,
                 !module || dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != NULL);
}

static bool exit_watch_status(void)
{
    return atomic_load(&stays) && on_exit(at_exit, NULL) == 0;
}
#else
static const atomic_bool stays = true; /* musl unloads nothing */

static void stay_loaded(void)
{
}

static bool exit_watch_status(void)
{
    return false;
}
#endif

/* Uses the status of sw_set_exit_status(). Also called when a module is closed. */
static void at_exit_without_status(void)
{
    at_exit(0, NULL);
}

/* A module in a namespace of its own (dlmopen()) has a C library of its own, and nobody calls the
 * exit() of that one. Destructors run in all namespaces. Elsewhere, nothing is open any more. */
__attribute__((destructor)) static void at_unload(void)
{
    if (swi_is_child())
        return;
    pthread_mutex_lock(&lock);
    bool left = open_profilers != NULL;
    pthread_mutex_unlock(&lock);
    if (left)
        at_exit_without_status();
}

static void exit_watch(void)
{
    if (registered)
        return;
    registered = exit_watch_status() || atexit(at_exit_without_status) == 0;
    /* Its handlers outlive a module that is closed, too. Without memory for one, it has none. */
    (void)(atomic_load(&stays) && at_quick_exit(at_quick));
}

void swi_exit_add(struct sw_profiler *sw, bool with_signals)
{
    stay_loaded();
    pthread_mutex_lock(&lock);
    exit_watch();
    sw->ending.next = open_profilers;
    open_profilers = sw;
    if (with_signals)
        swi_signals_start(&signal_calls);
    pthread_mutex_unlock(&lock);
}

/* ---- fork() ---------------------------------------------------------------------------------- */

/* Called before a fork. The lock is held only for short times. What was noted by now is folded, so
 * that the child knows it: unless another thread is folding, or has lost its way there. */
static void exit_fork(void)
{
    pthread_mutex_lock(&lock);
    for (struct sw_profiler *sw = open_profilers; sw; sw = sw->ending.next) {
        struct swi_fold_lock *fold = swi_fold_try(&sw->measured);
        if (fold)
            fold->fold(fold->arg);
        swi_fold_give(fold);
    }
}

static void exit_forked(void)
{
    pthread_mutex_unlock(&lock);
}

/* The child has no workers and owns no file, so its profilers are off. */
static void inherit(struct sw_profiler *sw)
{
    swi_inherited_off(sw);
    swi_pipeline_forget(sw->records.pipeline);
    swi_messages_child(&sw->records.messages);
}

/* Turns the profilers off in the child. Nobody holds the lock. */
static void exit_inherit(void)
{
    for (struct sw_profiler *sw = open_profilers; sw; sw = sw->ending.next)
        inherit(sw);
    while (open_profilers)
        move_to_ended(&open_profilers);
}

/* The child has one thread, however many the parent had. */
static void become(void)
{
    swi_inherited_child();
    swi_action_child();
    swi_user_counters_child();
    swi_named_events_child();
    swi_last_thread_child();
    swi_registered_child();
    swi_descriptor_child();
    swi_run_child();
    swi_stdout_child();
    swi_write_lock_child();
    swi_fault_child();
    swi_signals_child();
    swi_capture_signal_child();
    exit_inherit();
}

static void after_fork_child(void)
{
    exit_forked();
    swi_child_enter(become);
}

__attribute__((constructor)) static void fork_watch(void)
{
    pthread_atfork(exit_fork, exit_forked, after_fork_child);
}

void swi_process_enter(void)
{
    if (!swi_child_claim())
        return;
    /* In a child without fork handlers, another thread may have held it. */
    pthread_mutex_init(&lock, NULL);
    swi_child_enter(become);
}
