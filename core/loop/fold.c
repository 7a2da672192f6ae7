/* SPDX-License-Identifier: MIT */
#include "core/loop/fold.h"
#include "core/loop/misuse.h"
#include "core/loop/timed_calls.h"
#include "core/process/own_floats.h"
#include "core/process/own_thread.h"

/* ---- a thread -------------------------------------------------------------------------------- */

static void all_fold(struct sw_profiler *sw, const struct swi_thread *but,
                     const struct swi_fold_limit *limit);

static uint64_t what_of(const struct swi_event *event)
{
    return atomic_load_explicit(&event->what, memory_order_acquire);
}

static const struct swi_event *chunk_end(const struct swi_thread *thread)
{
    const struct swi_chunk *chunk = thread->chunk;
    if (atomic_load_explicit(&chunk->next, memory_order_acquire))
        return chunk->event + chunk->count;
    return chunk->event + (chunk->number ? SWI_CHUNK_EVENTS : SWI_FIRST_EVENTS) + SWI_SPARE_EVENTS;
}

/* Returns the end of what the thread has published in the chunk. */
static const struct swi_event *published(const struct swi_thread *thread)
{
    const struct swi_event *event = thread->at, *end = chunk_end(thread);
    while (event < end && what_of(event))
        event++;
    return event;
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

static bool clock_look(struct swi_clock *clock, int64_t tick, bool hurried)
{
    if (hurried)
        return swi_clock_look_unless_held(clock, tick);
    swi_clock_look_before(clock, tick);
    return true;
}

/* Another thread has noted that a fit had ended: that end is folded first. */
static void fits_follow(struct sw_profiler *sw, const struct swi_thread *thread, uint64_t fits,
                        bool hurried)
{
    const struct swi_fold_limit limit = {
        .upto = INT64_MAX, .fits = UINT64_MAX, .until = fits, .hurried = hurried};
    if (sw->measured.fits_folded < fits)
        all_fold(sw, thread, &limit);
}

/* Folds what is published in the chunk. Returns whether there was any. */
static bool chunk_fold(struct sw_profiler *sw, struct swi_thread *thread,
                       const struct swi_fold_limit *limit)
{
    struct swi_clock *clock = &sw->measured.clock;
    const struct swi_event *begin = thread->at, *end = published(thread);
    struct swi_fold_limit to = *limit;
    enum swi_fold_stop stop;
    to.compared = swi_clock_ahead(clock);
    while ((stop = swi_fold_events(sw, thread, &thread->at, end, &to)) != SWI_FOLD_DONE) {
        int64_t tick = thread->at->tick;
        if (stop == SWI_FOLD_FOLLOW) {
            to.followed = swi_event_payload(what_of(thread->at));
            fits_follow(sw, thread, to.followed, limit->hurried);
            continue;
        }
        if (!clock_look(clock, tick, limit->hurried))
            break;
        to.compared = swi_clock_ahead(clock) > tick ? swi_clock_ahead(clock) : tick;
    }
    return thread->at != begin;
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
                        const struct swi_fold_limit *limit)
{
    int chunks = limit->chunks || limit->until ? limit->chunks : chunks_now(thread);
    if (thread->folding)
        return;
    thread->folding = true;
    const struct swi_thread *around = swi_current.folded;
    swi_current.folded = thread;
    while (!limit->until || sw->measured.fits_folded < limit->until) {
        if (chunk_fold(sw, thread, limit))
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
static void loop_fold(struct sw_profiler *sw, struct swi_thread *loop,
                      const struct swi_fold_limit *limit, struct swi_fold_limit *others)
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
                     const struct swi_fold_limit *limit)
{
    struct swi_fold_limit others = *limit;
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
static struct swi_fold_limit limit_now(struct sw_profiler *sw, int chunks, bool hurried)
{
    struct swi_clock *clock = &sw->measured.clock;
    int64_t now = clock->set ? INT64_MAX : swi_clock_tick(clock);
    if (clock->counter && now < swi_clock_compared(clock))
        clock_look(clock, INT64_MAX, hurried);
    return (struct swi_fold_limit){.upto = atomic_load(&clock->gaps) ? INT64_MAX : now,
                                   .fits = UINT64_MAX,
                                   .chunks = chunks,
                                   .hurried = hurried};
}

static void everything_fold(void *profiler)
{
    SWI_OWN_FLOATS;
    SWI_OWN_MEMORY;
    struct sw_profiler *sw = profiler;
    SWI_RARE_WORK(&sw->measured);
    if (!atomic_load(&sw->measured.progress.fit_open))
        sw->measured.own_threads_ns = swi_own_threads_ns();
    const struct swi_fold_limit limit = limit_now(sw, 0, false);
    all_fold(sw, NULL, &limit);
}

static void others_fold(void *profiler, const struct swi_thread *thread, int64_t upto,
                        uint64_t fits)
{
    const struct sw_profiler *sw = profiler;
    const struct swi_fold_limit limit = {
        .upto = atomic_load(&sw->measured.clock.gaps) ? INT64_MAX : upto, .fits = fits};
    all_fold(profiler, thread, &limit);
}

/* Returns how many chunks a thread folds after it has taken another one: all that are too many. If
 * it folded one, they would become ever more, as there are new ones while the dispatcher folds. */
static int surplus(struct sw_profiler *sw)
{
    enum { MOST = 64 };
    uint32_t used = atomic_load(&sw->measured.pool.used), most = sw->measured.own_folds;
    return used <= most ? 1 : used - most < MOST ? (int)(used - most) : MOST;
}

/* Not if another thread is folding, unless the thread waits; and not in the middle of a fold of its
 * own. */
static void own_chunks_fold(void *profiler, struct swi_thread *thread, bool waits)
{
    struct sw_profiler *sw = profiler;
    SWI_OWN_FLOATS;
    SWI_OWN_MEMORY;
    if (swi_fold_is_own(&sw->measured))
        return;
    struct swi_fold_lock *lock = waits ? swi_fold_take(&sw->measured) : swi_fold_try(&sw->measured);
    if (!lock)
        return;
    SWI_RARE_WORK(&sw->measured);
    swi_current.filled = thread;
    struct swi_fold_limit limit = limit_now(sw, 0, true);
    struct swi_thread *loop = loop_after(sw, 0);
    for (; loop; loop = loop_after(sw, atomic_load(&loop->claim_order)))
        if (loop != thread)
            thread_fold(sw, loop, &limit);
    limit.chunks = surplus(sw);
    thread_fold(sw, thread, &limit);
    swi_fold_give(lock);
    swi_current.filled = NULL;
}

bool swi_fold_look(struct sw_profiler *sw)
{
    SWI_OWN_FLOATS;
    bool more = false;
    struct swi_fold_lock *lock = swi_fold_try(&sw->measured);
    if (!lock)
        return false;
    sw->measured.own_threads_ns = swi_own_threads_ns();
    const struct swi_fold_limit limit = limit_now(sw, 1, false);
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
                                        .own_chunks = own_chunks_fold,
                                        .after = swi_misuses_tell,
                                        .rare = swi_timed_rare,
                                        .arg = sw};
    swi_fold_lock_init(&sw->measured.fold, &calls);
    sw->measured.left_out = INT64_MIN;
}
