/* SPDX-License-Identifier: MIT */
#include "core/rows/thread.h"
#include "core/rows/fold_memory.h"

#include "core/counters/counted_memory.h"
#include "core/rows/action.h"

#include <stdlib.h>
#include <string.h>

/* ---- how many samples went through train and valid ------------------------------------------- */

static int64_t marked(const struct swi_elapsed *elapsed)
{
    return elapsed->ticks[0] + elapsed->ticks[1];
}

static void elapsed_add(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t ticks)
{
    int64_t *sum = &elapsed->ticks[swi_elapsed_index(phase)];
    *sum = swi_ticks_sum(*sum, ticks);
}

void swi_elapsed_run(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t now)
{
    enum sw_phase before = (enum sw_phase)elapsed->running;
    if (phase == before)
        return;
    if (before != SW_PHASE_FIT)
        elapsed_add(elapsed, before, swi_ticks_between(elapsed->since, now));
    elapsed->running = (int)phase;
    elapsed->since = now;
}

/* Of steps outside of train and valid. */
static void bare_add(struct swi_elapsed *elapsed, int64_t ticks, int64_t now)
{
    if (!elapsed->bare) {
        elapsed->bare = true;
        elapsed->first = now - ticks;
        elapsed->before = marked(elapsed);
    }
    elapsed->last = now;
    elapsed->between = marked(elapsed) - elapsed->before;
}

void swi_elapsed_step(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t samples,
                      int64_t steps, int64_t ticks, int64_t now)
{
    const int64_t most = INT64_C(1) << 40;
    elapsed->steps += steps;
    if (samples > 0)
        elapsed->samples[swi_elapsed_index(phase)] += samples < most ? samples : most;
    if (elapsed->running == SW_PHASE_FIT)
        bare_add(elapsed, ticks, now);
}

void swi_elapsed_shift(struct swi_elapsed *elapsed, int64_t paused)
{
    elapsed->since += paused;
    elapsed->first += paused;
    elapsed->last += paused;
}

static void elapsed_reset(struct swi_elapsed *elapsed)
{
    elapsed->steps = 0;
    for (int i = 0; i < 2; i++) {
        elapsed->samples[i] = 0;
        elapsed->ticks[i] = 0;
    }
    elapsed->running = SW_PHASE_FIT;
    elapsed->bare = false;
}

int64_t swi_elapsed_ticks(const struct swi_elapsed *elapsed, int phase, int64_t now)
{
    int64_t ticks = elapsed->ticks[phase];
    if (phase == 0 && elapsed->bare)
        ticks = swi_ticks_sum(
            ticks,
            swi_ticks_between(elapsed->between, swi_ticks_between(elapsed->first, elapsed->last)));
    enum sw_phase running = (enum sw_phase)elapsed->running;
    bool runs = running != SW_PHASE_FIT && swi_elapsed_index(running) == phase;
    return ticks + (runs ? now - elapsed->since : 0);
}

/* ---- a thread of the program ----------------------------------------------------------------- */

/* Octaves are kept ready, so that later calls rarely or never allocate. Their memory is used one by
 * one. */
enum { STACK_FIRST = 16, ENDED_FIRST = 64, OCTAVES_FIRST = 1024, OCTAVES_LEAST = 64 };

static bool room_make(struct swi_thread *thread)
{
    thread->stack = swi_fold_alloc(STACK_FIRST * sizeof *thread->stack);
    thread->ended = swi_fold_alloc(ENDED_FIRST * sizeof *thread->ended);
    thread->frame_capacity = STACK_FIRST;
    thread->ended_capacity = ENDED_FIRST;
    return thread->stack && thread->ended;
}

bool swi_thread_init(struct swi_thread *thread, struct swi_thread_room *room, int number)
{
    if (!room_make(thread)) {
        swi_thread_free(thread, NULL);
        return false;
    }
    thread->number = number;
    thread->window = -1;
    thread->batch_first = -1;
    thread->chunk = thread->last_chunk = (struct swi_chunk *)room->first;
    thread->at = thread->next = thread->chunk->event;
    thread->limit = thread->next + SWI_FIRST_EVENTS;
    thread->near[0] = SWI_NEAR_NONE;
    thread->top = thread->near;
    thread->entry = room->entry;
    thread->frame = thread->stack;
    *thread->stack = (struct swi_frame){.action = -1};
    thread->cost.random = (uint32_t)number * 2654435761u;
    swi_cost_reset(&thread->cost);
    swi_thread_phase(thread, SW_PHASE_THREADS);
    return true;
}

struct swi_thread *swi_thread_new(int number)
{
    struct block {
        struct swi_thread thread;
        struct swi_thread_room room;
    };
    char *memory = calloc(1, sizeof(struct block) + _Alignof(struct block));
    if (!memory)
        return NULL;
    struct block *block = swi_aligned(memory, _Alignof(struct block));
    block->thread.memory = memory;
    return swi_thread_init(&block->thread, &block->room, number) ? &block->thread : NULL;
}

static void rows_free(struct swi_row *row)
{
    for (struct swi_row *next; row; row = next) {
        next = row->next;
        swi_fold_free(row->rates);
        swi_fold_free(row->uses);
        swi_fold_free(row);
    }
}

void swi_thread_free(struct swi_thread *thread, struct swi_event_pool *pool)
{
    if (!thread)
        return;
    for (struct swi_chunk *chunk = thread->chunk, *next; chunk && pool; chunk = next) {
        next = atomic_load(&chunk->next);
        swi_chunk_give_back(pool, chunk);
    }
    rows_free(thread->rows);
    swi_reserve_fini(&thread->reserve);
    swi_counting_free(thread->counting);
    free(thread->reading);
    swi_fold_free(thread->stack);
    swi_fold_free(thread->ended);
    free(thread->memory);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row is made at the first begin of its action, so this is the order of the first begins too. */
static uint32_t made_next(void)
{
    static atomic_uint rows_made;
    return atomic_fetch_add_explicit(&rows_made, 1, memory_order_relaxed);
}

static struct swi_row *lead_find(struct swi_row *row, const struct swi_row *before)
{
    int base = swi_action_base(row->action);
    for (; before && swi_shaped_any(); before = before->next)
        if (!before->is_inner && before->phase == row->phase &&
            swi_action_base(before->action) == base)
            return before->lead;
    return row;
}

static struct swi_row *row_new(struct swi_thread *thread, enum sw_phase phase, int action,
                               bool is_inner)
{
    SWI_OWN_MEMORY;
    struct swi_row *row = swi_fold_alloc(sizeof *row);
    if (!row)
        return NULL;
    row->phase = phase;
    row->action = action;
    row->reserve = &thread->reserve;
    swi_histogram_init(&row->histogram);
    row->is_inner = is_inner;
    row->lead = is_inner ? row : lead_find(row, thread->rows);
    row->number = thread->rows ? thread->rows->number + 1 : 0;
    row->made = made_next();
    row->fit = thread->fits;
    if (thread->reserve.left < OCTAVES_LEAST)
        swi_reserve_fill(&thread->reserve, OCTAVES_FIRST);
    row->next = thread->rows;
    return thread->rows = row;
}

static void rates_reset(struct swi_rates *rates)
{
    rates->count = 0;
    rates->sum = 0;
    rates->squares = 0;
    swi_histogram_reset(&rates->histogram);
}

/* Forgets all calls. */
static void row_reset(struct swi_row *row)
{
    struct swi_durations *d = &row->durations;
    struct swi_rates *rates = row->rates;
    d->count = 0;
    d->sum = 0;
    d->squares = 0;
    d->self = 0;
    swi_histogram_reset(&row->histogram);
    swi_row_counter_use_reset(row);
    if (rates)
        rates_reset(rates);
}

static struct swi_row *row_renew(const struct swi_thread *thread, struct swi_row *row)
{
    if (row->fit != thread->fits) {
        row_reset(row);
        row->fit = thread->fits;
    }
    return row;
}

struct swi_row *swi_thread_row_ready(struct swi_thread *thread, enum sw_phase phase, int action)
{
    int known = (unsigned)action < SWI_ACTIONS ? action : SWI_ACTION_OTHER;
    struct swi_row **row = &thread->entry[known].row[phase];
    if (!*row)
        *row = row_new(thread, phase, known, false);
    return *row ? row_renew(thread, *row) : NULL;
}

struct swi_row *swi_thread_inner(struct swi_thread *thread, struct swi_row *row)
{
    if (!row->inner)
        row->inner = row_new(thread, row->phase, row->action, true);
    return row->inner ? row_renew(thread, row->inner) : NULL;
}

void swi_thread_next_fit(struct swi_thread *thread, uint64_t fits)
{
    thread->fits = fits;
    thread->ended_count = 0;
    thread->misuses = thread->discarded = thread->discarded_ticks = 0;
    thread->spent = (struct swi_spent){0};
    elapsed_reset(&thread->elapsed);
    for (int i = 0; i < swi_depth(thread); i++)
        row_renew(thread, thread->frame[-i].row);
}

/* ---- room ------------------------------------------------------------------------------------ */

bool swi_thread_grow_stack(struct swi_thread *thread)
{
    SWI_OWN_MEMORY;
    int capacity = 2 * thread->frame_capacity, depth = swi_depth(thread);
    if (capacity > SWI_DEPTH_MAX + 1)
        capacity = SWI_DEPTH_MAX + 1;
    if (capacity == thread->frame_capacity)
        return false;
    struct swi_counting *counting = thread->counting;
    if (counting && !swi_counting_room(counting, (size_t)capacity, thread->ended_capacity))
        return false;
    struct swi_frame *stack =
        swi_fold_grow(thread->stack, (size_t)thread->frame_capacity * sizeof *stack,
                      (size_t)capacity * sizeof *stack);
    if (!stack)
        return false;
    thread->stack = stack;
    thread->frame = stack + depth;
    thread->frame_capacity = capacity;
    return true;
}

bool swi_thread_grow_ended(struct swi_thread *thread)
{
    SWI_OWN_MEMORY;
    uint32_t capacity = 2 * thread->ended_capacity;
    struct swi_counting *counting = thread->counting;
    if (counting && !swi_counting_room(counting, (size_t)thread->frame_capacity, capacity))
        return false;
    struct swi_ended *ended = swi_fold_grow(thread->ended, thread->ended_capacity * sizeof *ended,
                                            capacity * sizeof *ended);
    if (!ended)
        return false;
    thread->ended = ended;
    thread->ended_capacity = capacity;
    return true;
}
