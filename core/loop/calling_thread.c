/* SPDX-License-Identifier: MIT */
/* Finds the state of the calling thread, and catches up with what it missed since it last looked.
 */
#include "core/loop/calling_thread.h"
#include "core/counters/counted_memory.h"
#include "core/loop/busy.h"
#include "core/loop/clock_gap.h"
#include "core/loop/counting.h"
#include "core/loop/ended_regions.h"
#include "core/loop/inherited_profiler.h"
#include "core/loop/notify_probe.h"
#include "core/loop/recent_profilers.h"
#include "core/loop/sampling.h"
#include "core/loop/stack.h"
#include "core/loop/tracing.h"
#include "core/loop/recording_thread.h"
#include "core/process/own_floats.h"

#include <unistd.h>

/* Returns the entry for what was used last: that of an old serial of `thread`, else the oldest. */
static struct swi_known *other_place(const struct swi_thread *thread)
{
    for (int i = 0; i < SWI_OTHERS; i++)
        if (swi_current.others[i].thread == thread)
            return &swi_current.others[i];
    return &swi_current.others[swi_current.oldest++ % SWI_OTHERS];
}

static void others_keep(const struct swi_thread *thread)
{
    if (!swi_current.serial || swi_current.thread == thread)
        return;
    struct swi_known *other = other_place(thread);
    other->serial = 0;
    atomic_signal_fence(memory_order_release);
    other->thread = swi_current.thread;
    atomic_signal_fence(memory_order_release);
    other->serial = swi_current.serial;
}

static void others_forget(void)
{
    for (int i = 0; i < SWI_OTHERS; i++)
        swi_current.others[i].serial = 0;
}

void swi_current_set(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint64_t serial = sw ? atomic_load(&sw->measured.serial) : 0;
    if (sw)
        others_keep(thread);
    else
        others_forget();
    /* Set before the serial: a signal handler that finds a serial must find its thread. */
    swi_current.serial = swi_current.counted = swi_current.waiting = 0;
    atomic_signal_fence(memory_order_release);
    swi_current.thread = thread;
    atomic_signal_fence(memory_order_release);
    swi_current.serial = serial;
    swi_current.counted = sw ? swi_counted_as(sw, thread, serial) : 0;
}

static bool is_mine(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    if (swi_current.acting_for == sw)
        return !thread->owner && thread->number == swi_current.acting_as;
    return thread->owner == &swi_current;
}

static struct swi_thread *thread_known(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = sw->measured.threads; thread; thread = thread->next)
        if (is_mine(sw, thread))
            return thread;
    return NULL;
}

/* If another thread gets the same memory, its id differs. */
static int own_id(void)
{
    if (!swi_current.id)
        swi_current.id = gettid();
    return swi_current.id;
}

void swi_thread_prepare(struct sw_profiler *sw)
{
    enum { CHUNKS = 4 }; /* the dispatcher makes more when they are needed */
    own_id();
    sw->prepared = swi_thread_new(0);
    sw->measured.ahead = sw->prepared;
    if (sw->prepared)
        swi_thread_make_ready(sw->prepared);
    /* Until its open() has run, a sink counts as wanting everything in its descriptor. */
    if (sw->prepared && swi_wants(&sw->records, SW_RECORD_REGIONS)) {
        swi_chunks_prepare(&sw->traces.pool, CHUNKS);
        swi_trace_set(sw, sw->prepared, atomic_load(&sw->recording.open));
    }
}

/* The first thread gets what sw_open() prepared. */
static struct swi_thread *thread_take(struct sw_profiler *sw, int number)
{
    struct swi_thread *prepared = sw->prepared;
    if (number || !prepared)
        return swi_thread_new(number);
    sw->prepared = NULL;
    return prepared;
}

static struct swi_thread *thread_add(struct sw_profiler *sw)
{
    bool acting = swi_current.acting_for == sw;
    struct swi_thread *thread =
        thread_take(sw, acting ? swi_current.acting_as : sw->measured.thread_count);
    if (!thread)
        return NULL;
    thread->owner = acting ? NULL : &swi_current;
    thread->owner_id = acting ? 0 : own_id();
    thread->past = &sw->measured.past;
    SWI_SET(thread->moment, SWI_GET(sw->measured.past.newest));
    SWI_SET(thread->since, sw->measured.fit_moment);
    thread->fits = sw->measured.fits;
    thread->pauses = sw->measured.pauses;
    thread->forgiven = thread->pauses > 0 ? SWI_FORGIVEN : 0;
    atomic_init(&thread->gaps, atomic_load(&sw->measured.clock.gaps));
    thread->next = sw->measured.threads;
    /* innermost.c walks the list without the lock. */
    __atomic_store_n(&sw->measured.threads, thread, __ATOMIC_RELEASE);
    sw->measured.thread_count++;
    return thread;
}

/* The thread that had this address before has ended, so the regions it left open never end. */
static void inherit(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!thread->owner || thread->owner_id == own_id())
        return;
    thread->owner_id = own_id();
    if (!thread->loop)
        swi_regions_cancel(sw, thread, 0, swi_clock_tick(&sw->measured.clock));
}

/* Another thread has ended an epoch or a fit. What this thread has measured so far belongs to that
 * report; what ends from now on belongs to the next one. */
static void moment_missed(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint64_t newest = atomic_load(&sw->measured.past.newest);
    if (SWI_GET(thread->moment) == newest)
        return;
    swi_ended_fold(sw, thread);
    SWI_SET(thread->trace_seen, swi_trace_published(atomic_load(&thread->trace)));
    swi_thread_at(thread, newest, sw->measured.fit_moment);
}

static void fit_missed(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->fits == sw->measured.fits)
        return;
    thread->fits = sw->measured.fits;
    swi_bottom_clear(thread);
    thread->begun = swi_depth(thread) > 0;
    thread->first_tick = thread->begun ? thread->stack[1].start : 0;
}

/* There was a pause while this thread had regions open. */
static void pause_missed(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->pauses == sw->measured.pauses)
        return;
    thread->pauses = sw->measured.pauses;
    thread->forgiven = swi_depth(thread) + SWI_FORGIVEN;
    swi_regions_discard(sw, thread, 0, swi_clock_tick(&sw->measured.clock));
}

/* Keeps the calling thread unknown to calls that may begin a region, so that the first one is
 * looked at. */
static void begin_await(void)
{
    swi_current.waiting = swi_current.serial;
    atomic_signal_fence(memory_order_release);
    swi_current.serial = swi_current.counted = 0;
}

/* begins: whether the call may begin a region. */
static struct swi_thread *thread_current(struct sw_profiler *sw, bool begins)
{
    struct swi_thread *thread = thread_known(sw);
    if (!thread)
        thread = thread_add(sw);
    if (!thread)
        return NULL;
    if (swi_clock_due(&sw->measured.clock, swi_clock_tick(&sw->measured.clock)))
        swi_clock_look(&sw->measured.clock);
    swi_gaps_take_out(sw, thread);
    inherit(sw, thread);
    moment_missed(sw, thread);
    fit_missed(sw, thread);
    pause_missed(sw, thread);
    swi_counting_look(sw, thread);
    if (begins && !thread->begun)
        thread->first_tick = swi_clock_tick(&sw->measured.clock);
    thread->begun |= begins;
    swi_probe_set(sw, thread);
    swi_recording_thread_look(sw, thread);
    swi_current_set(sw, thread);
    if (!thread->begun)
        begin_await();
    return thread;
}

/* Reading the counter would kill a thread for which it traps. */
static bool is_trapped(struct sw_profiler *sw)
{
    if (!sw->measured.clock.counter || !swi_counter_trapped())
        return false;
    if (!atomic_exchange(&sw->trap_said, true))
        swi_say(&sw->records.messages, SW_WARNING,
                "a thread is not measured because it cannot read the CPU's counter (PR_SET_TSC): "
                "set PR_SET_TSC before sw_open(), or set STEPWATCH_CLOCK=monotonic");
    return true;
}

static struct swi_thread *thread_find(struct sw_profiler *sw, bool begins)
{
    SWI_BUSY(sw);
    pthread_mutex_lock(&sw->measured.lock);
    struct swi_thread *thread = thread_current(sw, begins);
    pthread_mutex_unlock(&sw->measured.lock);
    return thread;
}

static struct swi_thread *find(struct sw_profiler *sw, bool begins)
{
    SWI_OWN_MEMORY;
    SWI_OWN_FLOATS;
    if (swi_current_recall(sw))
        return swi_current.thread;
    if (swi_is_copy() && !sw->measured.forked)
        swi_inherited_off(sw);
    if (sw->measured.forked)
        swi_inherited_called(sw);
    if (atomic_load(&sw->measured.dead) || atomic_load(&sw->measured.paused) || is_trapped(sw))
        return NULL;
    int64_t began = swi_cost_now(&sw->measured.clock);
    struct swi_thread *thread = thread_find(sw, begins);
    if (!thread)
        swi_no_memory(&sw->records, "what a thread measures");
    else
        swi_cost_found(&thread->cost, swi_cost_now(&sw->measured.clock) - began);
    return thread;
}

struct swi_thread *swi_thread_find(struct sw_profiler *sw)
{
    return find(sw, true);
}

struct swi_thread *swi_thread_look_up(struct sw_profiler *sw)
{
    bool awaits = swi_current.waiting == atomic_load(&sw->measured.serial);
    return awaits && !swi_is_copied(&sw->measured) ? swi_current.thread : find(sw, false);
}

void sw_set_thread(struct sw_profiler *sw, int n)
{
    if (!sw || (swi_current.acting_for == sw && swi_current.acting_as == n))
        return;
    swi_current.acting_for = sw;
    swi_current.acting_as = n;
    swi_current_set(NULL, NULL);
}
