/* SPDX-License-Identifier: MIT */
#include "core/report/snapshot.h"
#include "core/clock/deadline.h"
#include "core/trace/trace.h"

#include <sched.h>
#include <stdlib.h>

enum { TRIES = 50, OCTAVES_MORE = 64 };
#define PATIENCE_NS INT64_C(500000000)
#define PAUSE_NS 20000

/* ---- room ------------------------------------------------------------------------------------ */

static size_t octaves_of(const struct swi_row *row)
{
    const struct swi_rates *rates = atomic_load_explicit(&row->rates, memory_order_acquire);
    return swi_histogram_copy(&row->histogram, NULL, 0) +
           (rates ? swi_histogram_copy(&rates->histogram, NULL, 0) : 0);
}

/* Of each row, and of each region that waits. Few threads count. */
static void uses_measure(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    const struct swi_counting *counting =
        atomic_load_explicit(&thread->counting, memory_order_acquire);
    size_t slots = 0;
    if (!counting)
        return;
    while (slots < SWI_BANKS && atomic_load(&counting->bank[slots].ended))
        slots++;
    slots *= SWI_BANK;
    snapshot->use_room = slots * (snapshot->row_room + snapshot->ended_room);
}

/* Measures what is there now and adds some room, because it may grow before it is copied. */
static void room_measure(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    const struct swi_row *row = atomic_load_explicit(&thread->rows, memory_order_acquire);
    snapshot->row_room = 8;
    snapshot->octave_room = OCTAVES_MORE;
    for (; row && snapshot->with_rows; row = row->next) {
        snapshot->row_room++;
        snapshot->octave_room += octaves_of(row);
    }
    struct swi_ended *next = atomic_load_explicit(&thread->next_ended, memory_order_acquire);
    struct swi_ended *ended = atomic_load_explicit(&thread->ended, memory_order_acquire);
    size_t ends = ((uintptr_t)next - (uintptr_t)ended) / sizeof *ended;
    snapshot->ended_room = 2 * SWI_FOLD + (ends < SWI_ENDED_MAX ? ends : SWI_ENDED_MAX) +
                           SWI_WAITING_REGIONS + 2 * SWI_WAITING_STEPS;
    uses_measure(snapshot, thread);
}

static bool room_make(struct swi_snapshot *snapshot, struct swi_thread *thread, bool with_rows)
{
    *snapshot = (struct swi_snapshot){.with_rows = with_rows};
    room_measure(snapshot, thread);
    snapshot->row = malloc(snapshot->row_room * sizeof *snapshot->row);
    snapshot->octave = malloc(snapshot->octave_room * sizeof *snapshot->octave);
    snapshot->ended = malloc(snapshot->ended_room * sizeof *snapshot->ended);
    snapshot->use = malloc((snapshot->use_room + 1) * sizeof *snapshot->use);
    return snapshot->row && snapshot->octave && snapshot->ended && snapshot->use;
}

void swi_snapshot_fini(struct swi_snapshot *snapshot)
{
    free(snapshot->row);
    free(snapshot->octave);
    free(snapshot->ended);
    free(snapshot->use);
    *snapshot = (struct swi_snapshot){0};
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Copies the octaves that fit. Returns how many were copied. */
static size_t octaves_copy(struct swi_snapshot *snapshot, const struct swi_histogram *histogram)
{
    size_t room = snapshot->octave_room - snapshot->octaves;
    size_t count = swi_histogram_copy(histogram, snapshot->octave + snapshot->octaves, room);
    snapshot->whole = snapshot->whole && count <= room;
    snapshot->octaves += count <= room ? count : room;
    return count <= room ? count : room;
}

/* Returns how many of `count` uses, which were copied behind the others, have room. */
static size_t uses_keep(struct swi_snapshot *snapshot, size_t count)
{
    size_t room = snapshot->use_room - snapshot->uses;
    snapshot->whole = snapshot->whole && count <= room;
    count = count <= room ? count : room;
    snapshot->uses += count;
    return count;
}

static size_t row_uses_copy(struct swi_snapshot *snapshot, const struct swi_row *row)
{
    return uses_keep(snapshot, swi_row_counter_use_copy(row, snapshot->use + snapshot->uses,
                                                        snapshot->use_room - snapshot->uses));
}

static void row_copy(struct swi_snapshot *snapshot, const struct swi_row *row)
{
    struct swi_snapshot_row *to = &snapshot->row[snapshot->rows++];
    const struct swi_rates *rates = atomic_load_explicit(&row->rates, memory_order_acquire);
    to->row = row;
    swi_row_copy(row, &to->copy);
    to->octaves_at = snapshot->octaves;
    to->durations = octaves_copy(snapshot, &row->histogram);
    to->rates = rates ? octaves_copy(snapshot, &rates->histogram) : 0;
    to->uses_at = snapshot->uses;
    to->uses = row_uses_copy(snapshot, row);
}

static void rows_copy(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    const struct swi_row *row = atomic_load_explicit(&thread->rows, memory_order_acquire);
    snapshot->rows = snapshot->octaves = 0;
    for (; row && snapshot->rows < snapshot->row_room; row = row->next)
        if (swi_row_is_known(row, snapshot->since))
            row_copy(snapshot, row);
    snapshot->whole = snapshot->whole && !row;
}

/* Draws, and what waits with them, are left out, because their step may still be discarded; so are
 * regions in an open batch. */
static bool is_kept(const struct swi_ended *ended, const struct swi_row *row)
{
    return row && (!swi_ended_waits(ended) || row->phase == SW_PHASE_THREADS);
}

/* Of what is in the sums of its row already, they have the counts as well. */
static size_t ended_uses_copy(struct swi_snapshot *snapshot, struct swi_thread *thread,
                              const struct swi_ended *ended, size_t i)
{
    const struct swi_counting *counting =
        atomic_load_explicit(&thread->counting, memory_order_acquire);
    if (!counting || SWI_GET(ended->self) == SWI_COUNTED)
        return 0;
    return uses_keep(snapshot,
                     swi_ended_counts_copy(counting, (uint32_t)i, snapshot->use + snapshot->uses,
                                           snapshot->use_room - snapshot->uses));
}

static void ended_add(struct swi_snapshot *snapshot, struct swi_thread *thread,
                      const struct swi_ended *ended, size_t i)
{
    struct swi_snapshot_ended *to = &snapshot->ended[snapshot->ended_count];
    *to = (struct swi_snapshot_ended){.row = SWI_GET(ended->row),
                                      .ticks = SWI_GET(ended->ticks),
                                      .self = SWI_GET(ended->self),
                                      .is_call = true,
                                      .order = snapshot->ended_count,
                                      .uses_at = snapshot->uses};
    to->uses = ended_uses_copy(snapshot, thread, ended, i);
    snapshot->ended_count++;
}

static void ended_copy(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    struct swi_ended *next = atomic_load_explicit(&thread->next_ended, memory_order_acquire);
    int batch = SWI_GET(thread->batch_first);
    struct swi_ended *ended = atomic_load_explicit(&thread->ended, memory_order_acquire);
    size_t count = ((uintptr_t)next - (uintptr_t)ended) / sizeof *ended;
    size_t end = batch >= 0 && (size_t)batch < count ? (size_t)batch : count;
    size_t room = snapshot->ended_room - snapshot->ended_count;
    snapshot->whole = snapshot->whole && end <= room;
    for (size_t i = 0; i < end && i < room; i++) {
        const struct swi_row *row = SWI_GET(ended[i].row);
        if (is_kept(&ended[i], row))
            ended_add(snapshot, thread, &ended[i], i);
    }
}

/* ---- steps that wait ------------------------------------------------------------------------- */

/* Several calls of one action share the samples of the step (core/loop/step.c). */
static size_t calls_of(const struct swi_ended *ended, uint32_t first, uint32_t count,
                       const struct swi_row *row)
{
    size_t calls = 0;
    for (uint32_t i = first; i < count; i++) {
        const struct swi_row *other = swi_ended_row(&ended[i]);
        calls += other && other->lead == row->lead;
    }
    return calls;
}

static void waiting_rate(struct swi_snapshot_ended *to, const struct swi_waiting_step *step,
                         const struct swi_ended *ended, uint32_t i)
{
    uint32_t first = SWI_GET(step->first), count = SWI_GET(step->count);
    int64_t samples = SWI_GET(step->samples), batch = SWI_GET(step->batch);
    if (i >= first) {
        size_t calls = calls_of(ended, first, count, to->row);
        to->rate = swi_rate(samples, to->ticks) / (double)(calls ? calls : 1);
        to->rated = to->rate > 0 && to->row->action != SW_ZERO_GRAD && !to->row->is_inner;
    } else if (i == SWI_GET(step->last_draw)) {
        to->rate = swi_draw_rate(samples, SWI_GET(step->draw), batch);
        to->rated = samples > 0 && batch > 0;
    }
}

static void waiting_region_add(struct swi_snapshot *snapshot, const struct swi_waiting_step *step,
                               const struct swi_ended *ended, uint32_t i)
{
    struct swi_snapshot_ended *to = &snapshot->ended[snapshot->ended_count];
    const struct swi_row *row = swi_ended_row(&ended[i]);
    int64_t ticks = SWI_GET(ended[i].ticks);
    if (!row)
        return; /* torn */
    *to = (struct swi_snapshot_ended){.row = row,
                                      .ticks = ticks > 0 ? ticks : 0,
                                      .self = SWI_GET(ended[i].self),
                                      .is_call = true,
                                      .order = snapshot->ended_count};
    waiting_rate(to, step, ended, i);
    snapshot->ended_count++;
}

/* Adds the step itself, or its rate to train or valid as a whole. */
static void waiting_whole_add(struct swi_snapshot *snapshot, const struct swi_waiting_step *step,
                              const struct swi_row *row, bool is_call)
{
    int64_t ticks = SWI_GET(step->draw) + SWI_GET(step->batch);
    double rate = swi_rate(SWI_GET(step->samples), ticks);
    if (row)
        snapshot->ended[snapshot->ended_count] =
            (struct swi_snapshot_ended){.row = row,
                                        .ticks = ticks,
                                        .is_call = is_call,
                                        .rate = rate,
                                        .rated = rate > 0,
                                        .order = snapshot->ended_count};
    snapshot->ended_count += row != NULL;
}

static void waiting_step_add(struct swi_snapshot *snapshot, const struct swi_waiting_steps *waiting,
                             const struct swi_waiting_step *step, const struct swi_ended *ended)
{
    int phase = SWI_GET(step->phase) != SW_PHASE_TRAIN;
    for (uint32_t i = 0; i < SWI_GET(step->count); i++)
        waiting_region_add(snapshot, step, ended, i);
    waiting_whole_add(snapshot, step,
                      atomic_load_explicit(&waiting->rows[phase].own, memory_order_acquire), true);
    waiting_whole_add(snapshot, step,
                      atomic_load_explicit(&waiting->rows[phase].whole, memory_order_acquire),
                      false);
}

static void waiting_copy(struct swi_snapshot *snapshot, const struct swi_waiting_steps *waiting)
{
    uint32_t steps = SWI_GET(waiting->steps), at = 0;
    snapshot->ended_count = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const struct swi_waiting_step *step = &waiting->step[i];
        uint32_t count = SWI_GET(step->count);
        bool fits = count <= SWI_WAITING_REGIONS - at &&
                    snapshot->ended_count + count + 2 <= snapshot->ended_room;
        snapshot->whole = snapshot->whole && fits;
        if (!fits)
            return;
        waiting_step_add(snapshot, waiting, step, waiting->region + at);
        at += count;
    }
}

/* Returns false if the thread changed something meanwhile. */
static bool copy(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    uint64_t before = atomic_load_explicit(&thread->sequence, memory_order_acquire);
    snapshot->whole = true;
    snapshot->uses = 0;
    snapshot->moment = atomic_load_explicit(&thread->moment, memory_order_acquire);
    snapshot->since = SWI_GET(thread->since);
    if (snapshot->with_rows)
        rows_copy(snapshot, thread);
    waiting_copy(snapshot, thread->waiting);
    ended_copy(snapshot, thread);
    swi_elapsed_copy(&thread->elapsed, &snapshot->elapsed);
    snapshot->traced = swi_trace_published(atomic_load(&thread->trace));
    SWI_FENCE(memory_order_acquire);
    snapshot->sequence = before;
    return !(before & 1) && SWI_GET(thread->sequence) == before;
}

void swi_snapshot_give(struct swi_thread *thread)
{
    struct swi_snapshot *snapshot = atomic_exchange(&thread->asked, NULL);
    if (!snapshot)
        return;
    copy(snapshot, thread);
    atomic_store_explicit(&snapshot->given, true, memory_order_release);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static bool try_some(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    for (int i = 0; i < TRIES; i++) {
        if (copy(snapshot, thread))
            return true;
        sched_yield();
    }
    return false;
}

/* Each reader asks with its own snapshot, one reader at a time. */
static bool ask(struct swi_snapshot *asked, struct swi_thread *thread)
{
    struct swi_snapshot *nobodys = NULL;
    return atomic_compare_exchange_strong(&thread->asked, &nobodys, asked);
}

/* Withdraws the request. If the thread is already making the copy, waits until it is done, which is
 * soon. */
static void withdraw(struct swi_snapshot *asked, struct swi_thread *thread)
{
    struct swi_snapshot *own = asked;
    if (atomic_compare_exchange_strong(&thread->asked, &own, NULL))
        return;
    while (!atomic_load_explicit(&asked->given, memory_order_acquire))
        pause_briefly();
}

/* Waits until the thread has answered or has stopped changing its rows. */
static bool await(struct swi_snapshot *snapshot, struct swi_snapshot *asked,
                  struct swi_thread *thread)
{
    struct swi_deadline deadline = swi_deadline_in(PATIENCE_NS);
    bool any = ask(asked, thread), copied = false;
    while (!copied && !atomic_load_explicit(&asked->given, memory_order_acquire) &&
           !swi_deadline_passed(&deadline)) {
        pause_briefly();
        any = any || ask(asked, thread);
        copied = copy(snapshot, thread);
    }
    if (any)
        withdraw(asked, thread);
    return copied;
}

static void swap(struct swi_snapshot *a, struct swi_snapshot *b)
{
    struct swi_snapshot other = *a;
    *a = *b;
    *b = other;
}

static enum swi_snapshot_rc ask_and_await(struct swi_snapshot *snapshot, struct swi_thread *thread)
{
    struct swi_snapshot asked;
    if (!room_make(&asked, thread, snapshot->with_rows)) {
        swi_snapshot_fini(&asked);
        return SWI_SNAPSHOT_NO_MEMORY;
    }
    bool copied = await(snapshot, &asked, thread), given = asked.given;
    if (!copied && given)
        swap(snapshot, &asked);
    swi_snapshot_fini(&asked);
    return copied || given ? SWI_SNAPSHOT_WHOLE : SWI_SNAPSHOT_TORN;
}

static int by_row(const void *a, const void *b)
{
    const struct swi_snapshot_ended *x = a, *y = b;
    if (x->row->number != y->row->number)
        return x->row->number < y->row->number ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

enum swi_snapshot_rc swi_snapshot_take(struct swi_snapshot *snapshot, struct swi_thread *thread,
                                       bool with_rows)
{
    enum swi_snapshot_rc rc = SWI_SNAPSHOT_WHOLE;
    *snapshot = (struct swi_snapshot){0};
    do {
        swi_snapshot_fini(snapshot);
        if (!room_make(snapshot, thread, with_rows))
            return SWI_SNAPSHOT_NO_MEMORY;
        if (!try_some(snapshot, thread))
            rc = ask_and_await(snapshot, thread);
    } while (rc == SWI_SNAPSHOT_WHOLE && !snapshot->whole);
    qsort(snapshot->ended, snapshot->ended_count, sizeof *snapshot->ended, by_row);
    return rc;
}
