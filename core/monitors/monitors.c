/* SPDX-License-Identifier: MIT */
#include "core/monitors/monitors.h"

#include "core/clock/deadline.h"
#include "core/clock/now.h"
#include "core/plugins/search.h"
#include "core/process/own_thread.h"
#include "core/records/metric_record.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- how much energy was used until when ----------------------------------------------------- */

enum { SWI_ENERGIES = 512 };

/* Readings of a sum that grows, by ticks. One thread adds, any thread asks. */
struct energies {
    pthread_mutex_t lock;
    size_t count;
    struct energy {
        int64_t tick;
        double joules;
    } item[SWI_ENERGIES];
};

/* The first one stays, so that the run has its beginning. */
static void thin_out(struct energies *energies)
{
    size_t kept = 0;
    for (size_t i = 0; i < energies->count; i += 2)
        energies->item[kept++] = energies->item[i];
    energies->count = kept;
}

/* Adds a reading. If the list is full, drops every second reading first. */
static void energies_add(struct energies *energies, int64_t tick, double joules)
{
    pthread_mutex_lock(&energies->lock);
    if (energies->count == SWI_ENERGIES)
        thin_out(energies);
    energies->item[energies->count++] = (struct energy){tick, joules};
    pthread_mutex_unlock(&energies->lock);
}

/* Gets the tick of the newest reading. Returns false if there is none. */
static bool energies_newest(struct energies *energies, int64_t *tick)
{
    pthread_mutex_lock(&energies->lock);
    bool any = energies->count > 0;
    *tick = any ? energies->item[energies->count - 1].tick : 0;
    pthread_mutex_unlock(&energies->lock);
    return any;
}

/* The line through the two readings around a tick, or through the nearest two. */
static double at(const struct energies *energies, int64_t tick)
{
    size_t i = 1;
    while (i + 1 < energies->count && energies->item[i].tick < tick)
        i++;
    const struct energy *a = &energies->item[i - 1], *b = &energies->item[i];
    double length = (double)(b->tick - a->tick);
    double share = length > 0 ? (double)(tick - a->tick) / length : 0;
    return a->joules + share * (b->joules - a->joules);
}

/* The energy from one tick to another, as if it was used evenly between two readings, and after the
 * last one as between the last two. 0 if there are not two readings. */
static double energies_between(struct energies *energies, int64_t from, int64_t to)
{
    pthread_mutex_lock(&energies->lock);
    double joules = energies->count >= 2 ? at(energies, to) - at(energies, from) : 0;
    pthread_mutex_unlock(&energies->lock);
    return joules > 0 ? joules : 0;
}

/* ---- the monitors of a profiler, and the one thread that samples all of them ----------------- */

/* Until then the program may say that it replays a run. */
#define HELD_NS INT64_C(100000000)
/* A report waits so long for a sample. */
#define ANSWER_NS INT64_C(1000000000)

struct swi_monitors {
    size_t count;
    struct swi_monitor *item;
    struct swi_recorder *records;
    struct swi_environment *environment;
    struct swi_values_sampled values; /* the thread's */
    struct energies energies;
    pthread_t thread;
    bool started;
    atomic_bool abandoned;
    _Atomic(const char *) busy; /* the monitor whose code runs; NULL: none */

    pthread_mutex_t lock;  /* for what follows */
    pthread_mutex_t clock; /* held while the thread reads the clock of the profiler */
    pthread_cond_t change;
    bool stopping;
    bool asked;    /* for a sample now */
    bool silent;   /* it gave no answer in time: it is not asked again */
    bool given_up; /* without a last sample */
    bool done;
};

/* ---- loading --------------------------------------------------------------------------------- */

static struct swi_monitors *monitors_new(const struct swi_settings *settings,
                                         struct swi_mistakes *mistakes)
{
    struct swi_monitors *monitors = calloc(1, sizeof *monitors);
    struct swi_monitor *item = calloc(settings->monitor_count, sizeof *item);
    if (!monitors || !item) {
        swi_mistakes_add(mistakes, &settings->monitor->where, "monitors: out of memory");
        free(monitors);
        free(item);
        return NULL;
    }
    monitors->item = item;
    monitors->count = settings->monitor_count;
    pthread_mutex_init(&monitors->lock, NULL);
    pthread_mutex_init(&monitors->clock, NULL);
    swi_cond_init(&monitors->change);
    pthread_mutex_init(&monitors->energies.lock, NULL);
    return monitors;
}

static struct swi_monitors *load(const struct swi_settings *settings, struct swi_recorder *records,
                                 bool trial, struct swi_mistakes *mistakes)
{
    struct swi_monitors *monitors =
        settings->monitor_count ? monitors_new(settings, mistakes) : NULL;
    struct swi_search search;
    swi_search_begin(&search, settings);
    for (size_t i = 0; monitors && i < monitors->count; i++) {
        struct swi_monitor *monitor = &monitors->item[i];
        monitor->messages = records ? &records->messages : NULL;
        monitor->abandoned = &monitors->abandoned;
        swi_monitor_load(monitor, &search, &settings->monitor[i], trial, mistakes);
    }
    swi_search_end(&search);
    if (monitors)
        monitors->records = records;
    return monitors;
}

struct swi_monitors *swi_monitors_load(const struct swi_settings *settings,
                                       struct swi_recorder *records, struct swi_mistakes *mistakes)
{
    return load(settings, records, false, mistakes);
}

void swi_monitors_check(const struct swi_settings *settings, bool trial,
                        struct swi_mistakes *mistakes)
{
    swi_monitors_free(load(settings, NULL, trial, mistakes));
}

void swi_monitors_free(struct swi_monitors *monitors)
{
    if (!monitors)
        return;
    for (size_t i = 0; i < monitors->count; i++)
        swi_monitor_fini(&monitors->item[i]);
    swi_values_fini(&monitors->values);
    pthread_mutex_destroy(&monitors->energies.lock);
    swi_environment_free(monitors->environment);
    pthread_cond_destroy(&monitors->change);
    pthread_mutex_destroy(&monitors->lock);
    pthread_mutex_destroy(&monitors->clock);
    free(monitors->item);
    free(monitors);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* What ends a wait of the thread. */
enum woken { BY_TIME, BY_QUESTION, BY_STOP };

/* Waits until a time of CLOCK_MONOTONIC, until somebody asks, or until the monitors stop. */
static enum woken wait_until(struct swi_monitors *monitors, int64_t until_ns)
{
    int64_t left = until_ns - swi_now_ns();
    struct swi_deadline deadline = swi_deadline_in(left > 0 ? left : 0);
    int rc = 0;
    pthread_mutex_lock(&monitors->lock);
    while (!monitors->stopping && !monitors->asked && rc == 0)
        rc = swi_deadline_wait(&monitors->change, &monitors->lock, &deadline);
    enum woken woken = monitors->stopping ? BY_STOP : monitors->asked ? BY_QUESTION : BY_TIME;
    pthread_mutex_unlock(&monitors->lock);
    return woken;
}

static void answer(struct swi_monitors *monitors)
{
    pthread_mutex_lock(&monitors->lock);
    monitors->asked = false;
    pthread_cond_broadcast(&monitors->change);
    pthread_mutex_unlock(&monitors->lock);
}

static bool is_given_up(struct swi_monitors *monitors)
{
    pthread_mutex_lock(&monitors->lock);
    bool given_up = monitors->given_up;
    pthread_mutex_unlock(&monitors->lock);
    return given_up;
}

static void open_all(struct swi_monitors *monitors)
{
    for (size_t i = 0; i < monitors->count; i++) {
        struct swi_monitor *monitor = &monitors->item[i];
        monitor->seen.run = &monitors->records->run;
        monitor->environment = monitors->environment;
        monitor->values = &monitors->values;
        atomic_store(&monitors->busy, monitor->name);
        swi_monitor_open(monitor);
        atomic_store(&monitors->busy, NULL);
    }
}

/* What was missed is not caught up. */
static int64_t due_next(const struct swi_monitor *monitor, int64_t now_ns)
{
    int64_t next = monitor->due_ns + monitor->interval_ns;
    return monitor->due_ns && next > now_ns ? next : now_ns + monitor->interval_ns;
}

static void energy_note(struct swi_monitors *monitors, int64_t tick)
{
    bool any = false;
    double joules = 0;
    for (size_t i = 0; i < monitors->count; i++) {
        any |= monitors->item[i].has_energy;
        joules += monitors->item[i].joules;
    }
    if (any)
        energies_add(&monitors->energies, tick, joules);
}

/* Which monitors are sampled. */
enum which { THE_DUE, ALL, ALL_LAST };

/* Returns when it did. */
static struct swi_sampled_at sample(struct swi_monitors *monitors, enum which which)
{
    int64_t now_ns = swi_now_ns();
    pthread_mutex_lock(&monitors->clock);
    struct swi_sampled_at at = swi_sampled_now(monitors->records);
    pthread_mutex_unlock(&monitors->clock);
    for (size_t i = 0; i < monitors->count; i++) {
        struct swi_monitor *monitor = &monitors->item[i];
        if (!monitor->open || (which == THE_DUE && monitor->due_ns > now_ns))
            continue;
        if (monitor->due_ns <= now_ns)
            monitor->due_ns = due_next(monitor, now_ns);
        atomic_store(&monitors->busy, monitor->name);
        swi_monitor_sample(monitor, now_ns, which == ALL_LAST);
        atomic_store(&monitors->busy, NULL);
    }
    energy_note(monitors, at.tick);
    return at;
}

/* A thread that was left alone by now gives nothing: its sinks have ended. */
static void hand_over(struct swi_monitors *monitors, struct swi_sampled_at at)
{
    struct swi_values_sampled *values = &monitors->values;
    bool wanted = !atomic_load(&monitors->abandoned) && !is_given_up(monitors);
    pthread_mutex_lock(&monitors->clock);
    if (wanted)
        swi_recorder_sample(monitors->records, values->item, values->count, at);
    pthread_mutex_unlock(&monitors->clock);
    swi_values_clear(values);
}

static int64_t earliest(const struct swi_monitors *monitors)
{
    int64_t due = INT64_MAX / 2;
    for (size_t i = 0; i < monitors->count; i++)
        if (monitors->item[i].open && monitors->item[i].due_ns < due)
            due = monitors->item[i].due_ns;
    return due;
}

static void close_all(struct swi_monitors *monitors)
{
    for (size_t i = 0; i < monitors->count; i++) {
        atomic_store(&monitors->busy, monitors->item[i].name);
        swi_monitor_close(&monitors->item[i]);
        atomic_store(&monitors->busy, NULL);
    }
}

static void sample_all_the_time(struct swi_monitors *monitors)
{
    struct swi_sampled_at at = sample(monitors, ALL);
    enum woken woken = wait_until(monitors, swi_now_ns() + HELD_NS);
    hand_over(monitors, at);
    while (woken != BY_STOP) {
        woken = wait_until(monitors, earliest(monitors));
        if (woken != BY_STOP)
            hand_over(monitors, sample(monitors, woken == BY_TIME ? THE_DUE : ALL));
        if (woken == BY_QUESTION)
            answer(monitors);
    }
    if (!is_given_up(monitors))
        hand_over(monitors, sample(monitors, ALL_LAST));
}

static void *monitors_main(void *arg)
{
    struct swi_monitors *monitors = arg;
    pthread_setname_np(pthread_self(), "stepwatch-mon");
    open_all(monitors);
    sample_all_the_time(monitors);
    close_all(monitors);
    pthread_mutex_lock(&monitors->lock);
    monitors->done = true;
    pthread_cond_broadcast(&monitors->change);
    pthread_mutex_unlock(&monitors->lock);
    return NULL;
}

void swi_monitors_clock_hold(struct swi_monitors *monitors)
{
    if (monitors)
        pthread_mutex_lock(&monitors->clock);
}

void swi_monitors_clock_release(struct swi_monitors *monitors)
{
    if (monitors)
        pthread_mutex_unlock(&monitors->clock);
}

int swi_monitors_start(struct swi_monitors *monitors, struct sw_error *err)
{
    if (!monitors)
        return 0;
    monitors->environment = swi_environment_take();
    if (!monitors->environment)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the monitors");
    int rc = swi_own_thread_start(&monitors->thread, monitors_main, monitors);
    monitors->started = rc == 0;
    if (rc == 0)
        return 0;
    return sw_error_set(err, SW_EIO, "cannot start a thread for the monitors: %s",
                        swi_own_thread_error(rc));
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* Has a sample taken now. A source that hangs is not waited for. */
static void ask(struct swi_monitors *monitors)
{
    struct swi_deadline deadline = swi_deadline_in(ANSWER_NS);
    int rc = 0;
    pthread_mutex_lock(&monitors->lock);
    monitors->asked = !monitors->stopping && !monitors->silent;
    pthread_cond_broadcast(&monitors->change);
    while (monitors->asked && !monitors->stopping && rc == 0)
        rc = swi_deadline_wait(&monitors->change, &monitors->lock, &deadline);
    monitors->silent = monitors->silent || rc != 0;
    pthread_mutex_unlock(&monitors->lock);
}

double swi_monitors_energy(void *arg, int64_t from, int64_t to, bool exact)
{
    struct swi_monitors *monitors = arg;
    int64_t newest;
    if (!monitors || !energies_newest(&monitors->energies, &newest))
        return 0;
    if (exact && newest < to)
        ask(monitors);
    return energies_between(&monitors->energies, from, to);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void stop_begin(struct swi_monitors *monitors, bool given_up)
{
    pthread_mutex_lock(&monitors->lock);
    monitors->stopping = true;
    monitors->given_up = monitors->given_up || given_up;
    pthread_cond_broadcast(&monitors->change);
    pthread_mutex_unlock(&monitors->lock);
}

void swi_monitors_give_up(struct swi_monitors *monitors)
{
    if (monitors)
        stop_begin(monitors, true);
}

static bool is_done(struct swi_monitors *monitors, const struct swi_deadline *deadline)
{
    int rc = 0;
    pthread_mutex_lock(&monitors->lock);
    while (!monitors->done && rc == 0)
        rc = swi_deadline_wait(&monitors->change, &monitors->lock, deadline);
    bool done = monitors->done;
    pthread_mutex_unlock(&monitors->lock);
    return done;
}

bool swi_monitors_stop(struct swi_monitors *monitors, int64_t timeout_ns, const char **busy)
{
    if (!monitors || !monitors->started)
        return true;
    struct swi_deadline deadline = swi_deadline_in(timeout_ns);
    bool self = pthread_equal(pthread_self(), monitors->thread); /* it called exit() */
    stop_begin(monitors, false);
    if (!self && is_done(monitors, &deadline) && swi_deadline_join(monitors->thread, &deadline)) {
        monitors->started = false;
        return true;
    }
    atomic_store(&monitors->abandoned, true);
    *busy = atomic_load(&monitors->busy);
    if (!self)
        pthread_detach(monitors->thread);
    monitors->started = false;
    return false;
}
