/* SPDX-License-Identifier: MIT */
#include "core/loop/fold.h"
#include "core/loop/counting.h"
#include "core/loop/fold_regions.h"
#include "core/loop/log_fold.h"
#include "core/loop/misuse.h"
#include "core/loop/stack.h"
#include "core/loop/tracing.h"
#include "core/process/own_floats.h"
#include "core/records/metric_names.h"

#include <string.h>

/* ---- gaps of the clock ----------------------------------------------------------------------- */

static void loop_shift(struct sw_profiler *sw, const struct swi_gap *gap, int64_t now)
{
    SWI_SET(sw->measured.progress.fit_start,
            swi_gap_taken_out(gap, SWI_GET(sw->measured.progress.fit_start), now));
    sw->loop.values.sent_tick = swi_gap_taken_out(gap, sw->loop.values.sent_tick, now);
}

static void gap_take_out(struct sw_profiler *sw, struct swi_thread *thread,
                         const struct swi_gap *gap, int64_t now)
{
    for (struct swi_frame *frame = thread->stack + 1; frame <= thread->frame; frame++)
        frame->start = swi_gap_taken_out(gap, frame->start, now);
    if (thread->begun)
        thread->first_tick = swi_gap_taken_out(gap, thread->first_tick, now);
    struct swi_elapsed *elapsed = &thread->elapsed;
    elapsed->since = swi_gap_taken_out(gap, elapsed->since, now);
    elapsed->first = swi_gap_taken_out(gap, elapsed->first, now);
    elapsed->last = swi_gap_taken_out(gap, elapsed->last, now);
    if (thread->loop)
        loop_shift(sw, gap, now);
}

/* A counter that ran ahead shows where. Of one that stopped it is known only when the gap was
 * found: what has ended by then was not slept through. */
static bool is_behind(const struct swi_gap *gap, int64_t tick, int64_t now)
{
    return gap->shift < 0 && !gap->set_back ? tick >= gap->found
                                            : !swi_gap_is_before(gap, tick, now);
}

/* Takes the gaps of the clock that lie before an event out of what is open. now: its tick. */
static void gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    unsigned gaps = atomic_load(&sw->measured.clock.gaps);
    for (; thread->gaps != gaps; thread->gaps++) {
        struct swi_gap gap;
        if (!swi_clock_gap(&sw->measured.clock, thread->gaps, &gap))
            continue;
        if (!is_behind(&gap, now, swi_clock_tick(&sw->measured.clock)))
            return;
        gap_take_out(sw, thread, &gap, now);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void log_fold(struct sw_profiler *sw, struct swi_thread *thread,
                     const struct swi_event *event, uint64_t what)
{
    const char *name = swi_metric_name_of(sw->records.names, (unsigned)swi_event_action(what));
    double value;
    memcpy(&value, &event[1].tick, sizeof value);
    if (name)
        swi_log_fold(sw, thread, name, value, event->tick);
}

static uint64_t what_of(const struct swi_event *event)
{
    return atomic_load_explicit(&event->what, memory_order_acquire);
}

/* Takes what the thread read of its counters. Returns how many slots the event has. */
static uint32_t parts_take(struct sw_profiler *sw, struct swi_thread *thread,
                           const struct swi_event *event, const struct swi_event *end, bool counts)
{
    uint32_t slots = 1;
    bool counting = counts && (thread->counting || sw->measured.counters.chosen) &&
                    swi_counting_look(sw, thread);
    for (; event + slots < end; slots++) {
        uint64_t what = what_of(event + slots);
        if (swi_event_kind(what) != SWI_EVENT_PART)
            break;
        if (counting)
            swi_counting_take(thread, event[slots].tick, what);
    }
    return slots;
}

/* The thread that had this memory before has ended. */
static void inherited(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    if (!thread->loop)
        swi_regions_cancel(sw, thread, 0, now);
}

static int64_t samples_of(const struct swi_event *event, uint32_t slots, uint64_t what)
{
    uint64_t samples = swi_event_payload(what);
    return samples == SWI_PAYLOAD_MAX && slots > 1 ? event[slots - 1].tick : (int64_t)samples;
}

/* A crash may have written anything into a chunk. */
static int action_of(uint64_t what)
{
    int action = swi_event_action(what);
    return action < SWI_ACTIONS ? action : SWI_ACTION_OTHER;
}

static void fold_one(struct sw_profiler *sw, struct swi_thread *thread,
                     const struct swi_event *event, uint32_t slots, uint64_t what)
{
    int action = action_of(what);
    int64_t now = event->tick;
    uint64_t payload = swi_event_payload(what);
    if (now > swi_clock_ahead(&sw->measured.clock))
        swi_clock_look_before(&sw->measured.clock, now);
    if (swi_gap_is_pending(&sw->measured, thread))
        gaps_take_out(sw, thread, now);
    if (action != SW_BATCH && payload > thread->fits_noted)
        thread->fits_noted = payload;
    switch (swi_event_kind(what)) {
    case SWI_EVENT_BEGIN:
        swi_fold_begin(sw, thread, action, now);
        break;
    case SWI_EVENT_END:
        swi_fold_end(sw, thread, action, action == SW_BATCH ? samples_of(event, slots, what) : 0,
                     now);
        break;
    case SWI_EVENT_NEXT:
        swi_fold_next(sw, thread, action, now);
        break;
    case SWI_EVENT_CANCEL:
        swi_fold_cancel(sw, thread, action, now);
        break;
    case SWI_EVENT_INSIDE:
        swi_fold_inside(sw, thread, action, now);
        break;
    case SWI_EVENT_INHERITED:
        inherited(sw, thread, now);
        break;
    case SWI_EVENT_CLAIM:
        thread->claims = true;
        break;
    default:
        break;
    }
}

/* What has no action. */
static bool fold_other(struct sw_profiler *sw, struct swi_thread *thread,
                       const struct swi_event *event, uint64_t what)
{
    switch (swi_event_kind(what)) {
    case SWI_EVENT_LOG:
        log_fold(sw, thread, event, what);
        return true;
    case SWI_EVENT_COUNT:
        if (swi_event_action(what) < SWI_USER_COUNTERS)
            swi_counting_count(sw, thread, swi_event_action(what), event[1].tick);
        return true;
    case SWI_EVENT_FITS:
    case SWI_EVENT_PART:
        return true;
    default:
        return false;
    }
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* How far to fold. */
struct limit {
    int64_t upto;   /* tick */
    uint64_t fits;  /* no further than where the thread noted so many ended fits; UINT64_MAX: all */
    uint64_t until; /* until so many fits are folded; 0: all */
    int chunks;     /* at most; 0: all */
};

static void all_fold(struct sw_profiler *sw, const struct swi_thread *but,
                     const struct limit *limit);

/* Another thread has noted that a fit had ended: that end is folded first. */
static void fits_follow(struct sw_profiler *sw, const struct swi_thread *thread, uint64_t fits)
{
    const struct limit limit = {INT64_MAX, UINT64_MAX, fits, 0};
    if (sw->measured.fits_folded < fits)
        all_fold(sw, thread, &limit);
}

static const struct swi_event *chunk_end(const struct swi_thread *thread, bool last)
{
    const struct swi_chunk *chunk = thread->chunk;
    if (!last)
        return chunk->event + chunk->count;
    return chunk->event + (chunk->number ? SWI_CHUNK_EVENTS : SWI_FIRST_EVENTS) + SWI_SPARE_EVENTS;
}

/* Goes on to the next chunk if the thread has. */
static bool chunk_leave(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_chunk *chunk = thread->chunk;
    struct swi_chunk *next = atomic_load_explicit(&chunk->next, memory_order_acquire);
    if (!next || thread->at < chunk->event + chunk->count)
        return false;
    thread->chunk = next;
    thread->at = next->event;
    swi_chunk_give_back(&sw->measured.pool, chunk);
    return true;
}

static bool is_beyond(const struct swi_thread *thread, uint64_t what, const struct limit *limit)
{
    enum swi_event_kind kind = swi_event_kind(what);
    if (kind == SWI_EVENT_FITS)
        return swi_event_payload(what) >= limit->fits;
    return kind != SWI_EVENT_PART && thread->at->tick > limit->upto;
}

/* At the first event of a thread. */
static void thread_look(struct sw_profiler *sw, struct swi_thread *thread)
{
    thread->looked = true;
    swi_tracing_thread(sw, thread);
}

/* Returns whether there was an event. */
static bool fold_next(struct sw_profiler *sw, struct swi_thread *thread, const struct limit *limit)
{
    struct swi_event *event = thread->at;
    bool last = !atomic_load_explicit(&thread->chunk->next, memory_order_acquire);
    const struct swi_event *end = chunk_end(thread, last);
    uint64_t what = event < end ? what_of(event) : 0;
    if (!what || is_beyond(thread, what, limit))
        return false;
    if (!thread->looked)
        thread_look(sw, thread);
    if (swi_event_kind(what) == SWI_EVENT_FITS)
        fits_follow(sw, thread, swi_event_payload(what));
    bool counts = swi_event_kind(what) <= SWI_EVENT_NEXT;
    uint32_t slots = parts_take(sw, thread, event, end, counts);
    thread->at = event + slots;
    if (!fold_other(sw, thread, event, what))
        fold_one(sw, thread, event, slots, what);
    return true;
}

/* Most events are begins and ends of regions, of a thread that counts nothing. */
static bool is_usual(const struct sw_profiler *sw, const struct swi_thread *thread,
                     const struct limit *limit)
{
    return thread->looked && !thread->counting && !sw->measured.counters.chosen && !limit->until;
}

/* Folds these as far as they are nothing else; fold_next() goes on. */
static void usual_fold(struct sw_profiler *sw, struct swi_thread *thread, int64_t upto)
{
    bool last = !atomic_load_explicit(&thread->chunk->next, memory_order_acquire);
    const struct swi_event *end = chunk_end(thread, last);
    int64_t near = swi_clock_ahead(&sw->measured.clock);
    upto = upto < near ? upto : near;
    for (const struct swi_event *event = thread->at; event < end; event++) {
        uint64_t what = what_of(event);
        enum swi_event_kind kind = swi_event_kind(what);
        int action = swi_event_action(what);
        if (kind < SWI_EVENT_BEGIN || kind > SWI_EVENT_NEXT || swi_event_payload(what) ||
            action >= SWI_ACTIONS || event->tick > upto ||
            swi_gap_is_pending(&sw->measured, thread))
            return;
        thread->at = (struct swi_event *)event + 1;
        if (kind == SWI_EVENT_BEGIN)
            swi_fold_begin(sw, thread, action, event->tick);
        else if (kind == SWI_EVENT_END)
            swi_fold_end(sw, thread, action, 0, event->tick);
        else
            swi_fold_next(sw, thread, action, event->tick);
    }
}

static int chunks_now(const struct swi_thread *thread)
{
    int count = 1;
    const struct swi_chunk *chunk =
        atomic_load_explicit(&thread->chunk->next, memory_order_acquire);
    for (; chunk; chunk = atomic_load_explicit(&chunk->next, memory_order_acquire))
        count++;
    return count;
}

/* Whoever asks what was measured waits for what was noted so far, and for no more of a thread that
 * notes faster than it can be folded. */
static void thread_fold(struct sw_profiler *sw, struct swi_thread *thread,
                        const struct limit *limit)
{
    int chunks = limit->chunks || limit->until ? limit->chunks : chunks_now(thread);
    if (thread->folding)
        return;
    thread->folding = true;
    const struct swi_thread *around = swi_current.folded;
    swi_current.folded = thread;
    while (!limit->until || sw->measured.fits_folded < limit->until) {
        if (is_usual(sw, thread, limit))
            usual_fold(sw, thread, limit->upto);
        if (fold_next(sw, thread, limit))
            continue;
        if (!chunk_leave(sw, thread) || (chunks && --chunks == 0))
            break;
    }
    swi_current.folded = around;
    thread->folding = false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Returns whether the thread has chunks that are full. */
static bool has_more(const struct swi_thread *thread)
{
    return atomic_load(&thread->chunk->next) != NULL;
}

static bool has_any(const struct swi_thread *thread)
{
    return has_more(thread) || what_of(thread->at);
}

/* The others get no further than it did. */
static void loop_fold(struct sw_profiler *sw, struct swi_thread *loop, const struct limit *limit,
                      struct limit *others)
{
    thread_fold(sw, loop, limit);
    if (limit->chunks && has_any(loop) && loop->at->tick < others->upto)
        others->upto = loop->at->tick;
}

/* Returns which of the threads that were the loop's comes after one; NULL: no other has events. */
static struct swi_thread *loop_after(struct sw_profiler *sw, uint64_t order)
{
    struct swi_thread *next = NULL;
    uint64_t least = UINT64_MAX;
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread;
         thread = thread->list) {
        uint64_t of = atomic_load(&thread->claim_order);
        if (of > order && of < least && has_any(thread)) {
            next = thread;
            least = of;
        }
    }
    return next;
}

/* The loop's thread comes first, and any that was it since it was folded last: where it ends an
 * epoch, no other may be further. */
static void all_fold(struct sw_profiler *sw, const struct swi_thread *but,
                     const struct limit *limit)
{
    struct limit others = *limit;
    struct swi_thread *loop = loop_after(sw, 0);
    for (; loop; loop = loop_after(sw, atomic_load(&loop->claim_order)))
        if (loop != but)
            loop_fold(sw, loop, limit, &others);
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread; thread = thread->list)
        if (thread != but && !atomic_load(&thread->claim_order))
            thread_fold(sw, thread, &others);
}

/* Up to now: what happens while the loop's thread is folded comes later. A clock that the program
 * set is called by no other thread; and a counter that was set back says nothing. */
static struct limit limit_now(struct sw_profiler *sw, int chunks)
{
    struct swi_clock *clock = &sw->measured.clock;
    int64_t now = clock->set ? INT64_MAX : swi_clock_tick(clock);
    if (clock->counter && now < swi_clock_compared(clock))
        swi_clock_look(clock);
    return (struct limit){atomic_load(&clock->gaps) ? INT64_MAX : now, UINT64_MAX, 0, chunks};
}

static void everything_fold(void *profiler)
{
    SWI_OWN_FLOATS;
    SWI_OWN_MEMORY;
    struct sw_profiler *sw = profiler;
    SWI_RARE_WORK(&sw->measured);
    const struct limit limit = limit_now(sw, 0);
    all_fold(sw, NULL, &limit);
}

static void others_fold(void *profiler, const struct swi_thread *thread, int64_t upto,
                        uint64_t fits)
{
    const struct sw_profiler *sw = profiler;
    const struct limit limit = {atomic_load(&sw->measured.clock.gaps) ? INT64_MAX : upto, fits, 0,
                                0};
    all_fold(profiler, thread, &limit);
}

/* Unless another thread is folding. */
static void own_chunk_fold(void *profiler, struct swi_thread *thread)
{
    struct sw_profiler *sw = profiler;
    SWI_OWN_FLOATS;
    SWI_OWN_MEMORY;
    struct swi_fold_lock *lock = swi_fold_try(&sw->measured);
    if (!lock)
        return;
    SWI_RARE_WORK(&sw->measured);
    const struct limit limit = limit_now(sw, 0), some = limit_now(sw, 1);
    struct swi_thread *loop = loop_after(sw, 0);
    for (; loop; loop = loop_after(sw, atomic_load(&loop->claim_order)))
        if (loop != thread)
            thread_fold(sw, loop, &limit);
    thread_fold(sw, thread, &some);
    swi_fold_give(lock);
}

bool swi_fold_look(struct sw_profiler *sw)
{
    SWI_OWN_FLOATS;
    bool more = false;
    struct swi_fold_lock *lock = swi_fold_try(&sw->measured);
    if (!lock)
        return false;
    const struct limit limit = limit_now(sw, 1);
    all_fold(sw, NULL, &limit);
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread && !more;
         thread = thread->list)
        more = has_more(thread);
    swi_fold_give(lock);
    return more;
}

void swi_fold_init(struct sw_profiler *sw)
{
    const struct swi_fold_lock calls = {.fold = everything_fold,
                                        .others = others_fold,
                                        .own_chunk = own_chunk_fold,
                                        .after = swi_misuses_tell,
                                        .arg = sw};
    swi_fold_lock_init(&sw->measured.fold, &calls);
}
