/* SPDX-License-Identifier: MIT */
/* Finds the state of the calling thread, and catches up with what it missed since it last looked.
 */
#include "core/loop/calling_thread.h"
#include "core/counters/counted_memory.h"
#include "core/loop/counting.h"
#include "core/loop/misuse.h"
#include "core/loop/near_stack.h"
#include "core/loop/note_event.h"
#include "core/loop/recording_windows.h"
#include "core/loop/timed_calls.h"
#include "core/process/own_floats.h"
#include "core/process/signals.h"

#include <unistd.h>

/* ---- calls in a signal handler that interrupted a slow call of the same thread --------------- */

/* The thread is still busy, because this takes locks. */
static void refused_tell(struct sw_profiler *sw)
{
    struct swi_known *known = swi_known_of(&sw->measured);
    struct swi_thread *thread = known->serial ? known->thread : NULL;
    int refused = swi_current.refused, action = swi_current.refused_action;
    swi_current.refused = 0;
    if (thread)
        swi_misuses_in_handlers(sw, thread, action, refused);
}

void swi_busy_end(struct sw_profiler *const *sw)
{
    if (swi_current.busy == 1 && SWI_UNLIKELY(swi_current.refused != 0))
        refused_tell(*sw);
    atomic_signal_fence(memory_order_seq_cst);
    if (--swi_current.busy == 0 && swi_thread_is_known(*sw))
        swi_known_look_again(*sw, swi_thread_known(*sw));
}

/* ---- finds the state of the calling thread --------------------------------------------------- */

/* Sets which state the calling thread's next call of the profiler finds at once. */
static void known_set(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_known *known = swi_known_of(&sw->measured);
    uint64_t serial = atomic_load(&sw->measured.serial);
    /* Set before the serial: a signal handler that finds a serial must find its thread. */
    known->serial = known->counted = 0;
    atomic_signal_fence(memory_order_release);
    known->thread = thread;
    swi_current.newest = sw->measured.place;
    atomic_signal_fence(memory_order_release);
    known->serial = serial;
    known->counted = swi_counted_as(sw, thread, serial);
}

void swi_known_forget(void)
{
    for (int i = 0; i < SWI_KNOWN_PLACES; i++)
        swi_current.known[i].serial = swi_current.known[i].counted = 0;
}

static bool is_mine(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    bool own = thread->owner == &swi_current;
    if (swi_current.acting_for == sw)
        return (own || !thread->owner) && thread->number == swi_current.acting_as;
    return own;
}

static struct swi_thread *thread_known(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = sw->measured.threads; thread; thread = thread->list)
        if (is_mine(sw, thread))
            return thread;
    return NULL;
}

/* If another thread gets the same memory, its id differs. sw_open() asks the kernel for the thread
 * that calls it, so that its first region need not. */
static int own_id(void)
{
    if (!swi_current.id) {
        swi_current.id = gettid();
        swi_current.blocked = swi_signals_blocked();
    }
    return swi_current.id;
}

void swi_thread_prepare(struct sw_profiler *sw)
{
    own_id();
    if (swi_thread_init(&sw->first, &sw->room, 0))
        sw->prepared = &sw->first;
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
    thread->profiler = sw;
    thread->owner = acting ? NULL : &swi_current;
    thread->owner_id = acting ? 0 : own_id();
    thread->blocked = acting ? swi_signals_blocked() : swi_current.blocked;
    thread->fits = sw->measured.fits;
    thread->fits_seen = atomic_load(&sw->measured.fits_ended);
    thread->pauses_seen = sw->measured.pauses;
    thread->ends_excused = thread->pauses_seen > 0 ? SWI_ENDS_EXCUSED : 0;
    thread->gaps = atomic_load(&sw->measured.clock.gaps);
    swi_sampling_wait(sw, thread);
    thread->list = sw->measured.threads;
    /* Others walk the list without the lock. */
    __atomic_store_n(&sw->measured.threads, thread, __ATOMIC_RELEASE);
    sw->measured.thread_count++;
    return thread;
}

/* Notes an event with the lock held: if the chunk is full, the next event looks. */
static void note(struct swi_thread *thread, int64_t tick, enum swi_event_kind kind,
                 uint64_t payload)
{
    swi_event_fill(swi_event_take(thread, 1), tick, swi_event_what(kind, 0, payload));
}

/* The thread that had this address before has ended, so the regions it left open never end. */
static void inherit(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!thread->owner || thread->owner_id == own_id())
        return;
    thread->owner_id = own_id();
    if (thread->claimed)
        return;
    swi_near_clear(thread);
    note(thread, swi_clock_tick(&sw->measured.clock), SWI_EVENT_INHERITED, 0);
}

/* Another thread has ended a fit. What this thread has noted so far belongs to it. */
static void fit_missed(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint64_t fits = atomic_load(&sw->measured.fits_ended);
    if (thread->fits_seen == fits)
        return;
    thread->fits_seen = fits;
    note(thread, swi_clock_tick(&sw->measured.clock), SWI_EVENT_FITS, fits);
    swi_sampling_restart(sw, thread);
    if (thread->reading)
        thread->reading->whole = true;
}

/* There was a pause while this thread had regions open: they are discarded (run_control.c). */
static void pause_missed(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (thread->pauses_seen != sw->measured.pauses)
        swi_near_clear(thread);
    thread->pauses_seen = sw->measured.pauses;
}

static struct swi_thread *thread_current(struct sw_profiler *sw)
{
    struct swi_thread *thread = thread_known(sw);
    if (!thread)
        thread = thread_add(sw);
    if (!thread)
        return NULL;
    swi_windows_start(sw, swi_clock_tick(&sw->measured.clock));
    inherit(sw, thread);
    fit_missed(sw, thread);
    pause_missed(sw, thread);
    swi_counter_reading_look(sw, thread);
    swi_probe_set(sw, thread);
    swi_sampling_wait(sw, thread);
    known_set(sw, thread);
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

static struct swi_thread *thread_find(struct sw_profiler *sw)
{
    SWI_BUSY(sw);
    pthread_mutex_lock(&sw->measured.lock);
    struct swi_thread *thread = thread_current(sw);
    pthread_mutex_unlock(&sw->measured.lock);
    return thread;
}

struct swi_thread *swi_thread_find(struct sw_profiler *sw)
{
    SWI_OWN_MEMORY;
    SWI_OWN_FLOATS;
    if (swi_is_copy() && !sw->measured.forked)
        swi_inherited_off(sw);
    if (sw->measured.forked)
        swi_inherited_called(sw);
    if (atomic_load(&sw->measured.dead) || atomic_load(&sw->measured.paused) || is_trapped(sw))
        return NULL;
    int64_t began = swi_cost_now(&sw->measured.clock);
    struct swi_thread *thread = thread_find(sw);
    if (!thread)
        swi_no_memory(&sw->records, "what a thread measures");
    else
        swi_cost_found(&thread->cost, swi_cost_now(&sw->measured.clock) - began);
    return thread;
}

/* All that was called so far comes before what follows, whatever the clock says: a program may set
 * one that stands. */
void sw_set_thread(struct sw_profiler *sw, int n)
{
    if (!sw || (swi_current.acting_for == sw && swi_current.acting_as == n))
        return;
    {
        SWI_FOLDED(&sw->measured);
    }
    swi_current.acting_for = sw;
    swi_current.acting_as = n;
    swi_known_forget();
}

void swi_loop_begin(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_thread *nobody = NULL;
    if (!atomic_compare_exchange_strong(&sw->measured.claim, &nobody, thread))
        return;
    thread->claimed = true;
    if (!atomic_load_explicit(&thread->claim_order, memory_order_relaxed))
        atomic_store(&thread->claim_order, atomic_fetch_add(&sw->measured.claims, 1) + 1);
    swi_note_event(thread, swi_clock_tick(&sw->measured.clock),
                   swi_event_what(SWI_EVENT_CLAIM, 0, 0));
    swi_sampling_wait(sw, thread);
}

/* The other threads note it at their next call, which the new serial makes look. */
uint64_t swi_loop_leave(struct sw_profiler *sw, struct swi_thread *thread)
{
    if (!thread->claimed)
        return 0;
    uint64_t fits = atomic_fetch_add(&sw->measured.fits_ended, 1) + 1;
    thread->claimed = false;
    thread->in_fit = false;
    thread->was_around = thread->top > thread->near;
    thread->fits_seen = fits;
    swi_sampling_restart(sw, thread);
    return fits;
}

void swi_loop_left(struct sw_profiler *sw)
{
    atomic_store(&sw->measured.claim, NULL);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
}
