/* SPDX-License-Identifier: MIT */
#include "core/rows/thread.h"
#include "core/counters/counted_memory.h"
#include "core/rows/shaped_actions.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_FIRST = 16, ENDED_FIRST = 512 };

/* Octaves to keep ready when an action is called for the first time, so that later calls rarely or
 * never allocate. */
enum { OCTAVES_FIRST = 1024, OCTAVES_FILL = 64 };

/* What swi_thread_make_ready() prepares: enough for a typical loop. */
enum { OCTAVES_READY = 64, ACTIONS_READY = 128, ROWS_READY = 16 };

/* A thread and the memory that every begin and end uses. The layout lets a call with cold caches
 * touch few pages: what a begin needs is in one page, for the first actions, and the page table
 * entries of everything but the entries of later actions share a cache line. Few pages of the
 * entries are ever touched. */
struct block {
    struct {
        _Alignas(64) struct swi_row row;
    } ready[ROWS_READY];
    _Alignas(64) struct swi_ended ended[ENDED_FIRST];
    _Alignas(64) struct swi_waiting_steps waiting;
    _Alignas(4096) struct swi_thread thread;
    _Alignas(64) struct swi_frame stack[STACK_FIRST];
    _Alignas(64) struct swi_entry entry[SWI_ACTIONS];
};
enum { PAGE = 4096, PAGES_OF_A_LINE = 8 * PAGE, ACTIONS_NEAR = 32 };
_Static_assert(offsetof(struct block, entry[ACTIONS_NEAR]) <= offsetof(struct block, thread) + PAGE,
               "a thread, its first frames and the entries of its first actions fill a page");
_Static_assert(offsetof(struct block, thread) + PAGE <= PAGES_OF_A_LINE,
               "the entries of the page table of all before the later entries fill a cache line");
_Static_assert(offsetof(struct swi_thread, sequence) + sizeof(atomic_ullong) <= 64,
               "what every begin and end reads and writes of a thread fills a cache line");
_Static_assert(sizeof(struct swi_frame) == 64, "a frame fills a cache line");
_Static_assert(sizeof(struct swi_entry) == 64, "an entry fills a cache line");

static struct block *block_of(struct swi_thread *thread)
{
    return (struct block *)((char *)thread - offsetof(struct block, thread));
}

static void stack_free(struct swi_thread *thread, struct swi_frame *stack)
{
    if (stack != block_of(thread)->stack)
        free(stack);
}

static void ended_free(struct swi_thread *thread, struct swi_ended *ended)
{
    if (ended != block_of(thread)->ended)
        free(ended);
}

static void row_free(struct swi_thread *thread, struct swi_row *row)
{
    const struct block *block = block_of(thread);
    swi_row_fini(row);
    if ((const void *)row < (const void *)block->ready ||
        (const void *)row >= (const void *)(block->ready + ROWS_READY))
        free(row);
}

/* The block is large and sparse. Usually, calloc() gets new pages from the system and touches none.
 */
static struct swi_thread *block_new(void)
{
    char *memory = calloc(1, sizeof(struct block) + PAGES_OF_A_LINE);
    if (!memory)
        return NULL;
    char *start = memory + PAGES_OF_A_LINE - (uintptr_t)memory % PAGES_OF_A_LINE;
    struct block *block = (struct block *)start;
    block->thread.memory = memory;
    return &block->thread;
}

static void memory_use(struct swi_thread *thread)
{
    struct block *block = block_of(thread);
    atomic_init(&thread->ended, block->ended);
    atomic_init(&thread->next_ended, block->ended);
    thread->waiting = &block->waiting;
    thread->stack = block->stack;
    thread->entry = block->entry;
    for (int i = ROWS_READY; i-- > 0;) {
        block->ready[i].row.next = thread->rows_ready;
        thread->rows_ready = &block->ready[i].row;
    }
}

/* Makes the next begin of every action take the slow path, which finds its row. */
static void entries_clear(struct swi_thread *thread)
{
    for (int action = thread->fast_low; action < thread->fast_high; action++)
        memset(thread->entry[action].fast, 0, sizeof thread->entry[action].fast);
    thread->fast_low = SWI_ACTIONS;
    thread->fast_high = 0;
}

struct swi_thread *swi_thread_new(int number)
{
    struct swi_thread *thread = block_new();
    if (!thread)
        return NULL;
    thread->number = number;
    thread->window = -1;
    atomic_init(&thread->batch_first, -1);
    memory_use(thread);
    thread->ended_capacity = ENDED_FIRST;
    thread->fold_at = SWI_GET(thread->ended) + SWI_FOLD;
    thread->at_once = true;
    thread->cost.random = (uint32_t)number * 2654435761u;
    swi_cost_reset(&thread->cost);
    thread->frame_capacity = STACK_FIRST;
    thread->frame = thread->stack;
    thread->frame_limit = thread->stack + STACK_FIRST - 1;
    *thread->stack = (struct swi_frame){.action = -1, .plain = -1};
    entries_clear(thread);
    swi_thread_phase(thread, SW_PHASE_THREADS);
    return thread;
}

/* Touches memory so that the system provides its pages now. */
static void touch(void *memory, size_t bytes)
{
    volatile char *at = memory;
    for (size_t i = 0; i < bytes; i += 1024) {
        char byte = at[i];
        at[i] = byte;
    }
}

/* `fast` of threads whose begins and ends all take the slower way. Nothing is ever written to it.
 */
static struct swi_entry none[SWI_ACTIONS];

static void none_touch(void)
{
    const volatile char *at = (const char *)none;
    for (size_t i = 0; i < ACTIONS_READY * sizeof *none; i += 1024)
        (void)at[i];
}

void swi_thread_make_ready(struct swi_thread *thread)
{
    none_touch();
    swi_reserve_fill(&thread->reserve, OCTAVES_FIRST);
    swi_reserve_touch(&thread->reserve, OCTAVES_READY);
    touch(block_of(thread)->ready, sizeof block_of(thread)->ready);
    touch(thread->entry, ACTIONS_READY * sizeof *thread->entry);
}

static void rows_free(struct swi_thread *thread, struct swi_row *row)
{
    for (struct swi_row *next; row; row = next) {
        next = row->next;
        row_free(thread, row);
    }
}

void swi_thread_free(struct swi_thread *thread)
{
    if (!thread)
        return;
    rows_free(thread, SWI_GET(thread->rows));
    rows_free(thread, thread->rows_ready);
    swi_reserve_fini(&thread->reserve);
    swi_counting_free(SWI_GET(thread->counting));
    for (int i = 0; i < thread->outgrown_count; i++)
        ended_free(thread, thread->outgrown[i]);
    stack_free(thread, thread->stack);
    ended_free(thread, SWI_GET(thread->ended));
    free(thread->memory);
}

/* Returns a prepared row, or a new one. */
static struct swi_row *row_take(struct swi_thread *thread)
{
    struct swi_row *row = thread->rows_ready;
    if (!row)
        return swi_row_alloc();
    thread->rows_ready = row->next;
    row->next = NULL;
    return row;
}

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

static struct swi_row *row_add(struct swi_thread *thread, enum sw_phase phase, int action,
                               bool is_inner)
{
    SWI_OWN_MEMORY;
    struct swi_row *row = row_take(thread);
    struct swi_row *before = SWI_GET(thread->rows);
    if (!row)
        return NULL;
    swi_row_init(row, phase, action, &thread->reserve);
    row->is_inner = is_inner;
    row->lead = is_inner ? row : lead_find(row, before);
    row->number = before ? before->number + 1 : 0;
    row->made = made_next();
    SWI_SET(row->moment, SWI_GET(thread->moment));
    if (thread->reserve.left < OCTAVES_FILL)
        swi_reserve_fill(&thread->reserve, OCTAVES_FIRST);
    row->next = before;
    atomic_store_explicit(&thread->rows, row, memory_order_release);
    return row;
}

/* ---- moments --------------------------------------------------------------------------------- */

/* Returns whether a report that is still to be made needs the row. */
static bool is_to_keep(const struct swi_thread *thread, const struct swi_row *row)
{
    const struct swi_past *past = thread->past;
    uint64_t since = SWI_GET(thread->since);
    if (!past || !swi_past_waits(past, SWI_GET(thread->moment)) || swi_row_is_empty(row))
        return false;
    return swi_row_is_known(row, since) || swi_past_waits(past, since);
}

static void row_keep(struct swi_thread *thread, const struct swi_row *row, bool spare)
{
    struct swi_past *past = thread->past;
    uint64_t changed = SWI_GET(row->moment), until = SWI_GET(thread->moment);
    while (!swi_past_row(past, thread, row, changed, until, spare) && !spare)
        past->relieve(past->arg);
}

/* Called before a row changes for the first time after a moment. A reader checks the row's moment
 * before and after reading. */
static void row_renew(struct swi_thread *thread, struct swi_row *row, bool spare)
{
    uint64_t moment = SWI_GET(thread->moment);
    if (SWI_GET(row->moment) == moment)
        return;
    if (is_to_keep(thread, row))
        row_keep(thread, row, spare);
    bool known = swi_row_is_known(row, SWI_GET(thread->since));
    swi_thread_change(thread);
    SWI_SET(row->moment, moment);
    SWI_FENCE(memory_order_release);
    if (!known)
        swi_row_reset(row);
    swi_thread_changed(thread);
}

struct swi_row *swi_thread_look_row(struct swi_thread *thread, enum sw_phase phase, int action)
{
    struct swi_row **known = &thread->entry[action].known[phase];
    if (*known)
        row_renew(thread, *known, false);
    else
        *known = row_add(thread, phase, action, false);
    return *known;
}

struct swi_row *swi_thread_inner(struct swi_thread *thread, struct swi_row *row)
{
    if (row->inner)
        row_renew(thread, row->inner, false);
    else
        row->inner = row_add(thread, row->phase, row->action, true);
    return row->inner;
}

static void forget(struct swi_thread *thread, uint64_t since)
{
    SWI_SET(thread->since, since);
    swi_ended_count_set(thread, 0);
    SWI_SET(thread->misuses, 0);
    SWI_SET(thread->discarded, 0);
    SWI_SET(thread->discarded_ticks, 0);
    swi_elapsed_reset(&thread->elapsed);
    swi_cost_copy(&thread->cost, &thread->cost_before);
    swi_cost_reset(&thread->cost);
}

/* The rows of steps are looked at again before they change. */
static void waiting_forget(struct swi_waiting_steps *waiting)
{
    for (int i = 0; i < 2; i++) {
        SWI_SET(waiting->rows[i].own, NULL);
        SWI_SET(waiting->rows[i].whole, NULL);
    }
}

void swi_thread_at(struct swi_thread *thread, uint64_t moment, uint64_t since)
{
    entries_clear(thread);
    waiting_forget(thread->waiting);
    swi_thread_change(thread);
    atomic_store_explicit(&thread->moment, moment, memory_order_release);
    if (SWI_GET(thread->since) < since)
        forget(thread, since);
    swi_thread_changed(thread);
    for (int i = 0; i < swi_depth(thread); i++) {
        struct swi_frame *frame = &thread->frame[-i];
        row_renew(thread, frame->row, true);
        /* Its entry gets the row back when it ends. */
        if (frame->fast != &thread->unused)
            swi_thread_fast(thread, frame->row->phase, frame->action);
    }
}

void swi_thread_phase(struct swi_thread *thread, enum sw_phase phase)
{
    thread->phase = phase;
    thread->place = (uint64_t)phase << SWI_PLACE_PHASE | (uint64_t)(uint32_t)thread->number
                                                             << SWI_PLACE_THREAD;
    const struct swi_counting *counting = SWI_GET(thread->counting);
    struct swi_row **fast = &thread->entry->fast[phase];
    thread->apart = thread->tracing || thread->probe || counting;
    thread->fast = thread->tracing || thread->probe ? none->fast : fast;
    thread->traced = thread->tracing && !thread->probe && !counting ? fast : NULL;
}

bool swi_thread_grow_stack(struct swi_thread *thread)
{
    SWI_OWN_MEMORY;
    int capacity = 2 * thread->frame_capacity;
    size_t depth = (size_t)swi_depth(thread);
    if (capacity > SWI_DEPTH_MAX + 1)
        capacity = SWI_DEPTH_MAX + 1;
    if (capacity == thread->frame_capacity)
        return false;
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (counting && !swi_counting_room(counting, (size_t)capacity, thread->ended_capacity))
        return false;
    struct swi_frame *stack = malloc((size_t)capacity * sizeof *stack);
    if (!stack)
        return false;
    struct swi_frame *old = thread->stack;
    memcpy(stack, old, (depth + 1) * sizeof *stack);
    /* A signal handler may look at the innermost region meanwhile, so it must be valid at any time.
     */
    atomic_signal_fence(memory_order_release);
    thread->frame = stack + depth;
    thread->stack = stack;
    thread->frame_limit = stack + capacity - 1;
    thread->frame_capacity = capacity;
    atomic_signal_fence(memory_order_release);
    stack_free(thread, old);
    return true;
}

bool swi_thread_grow_ended(struct swi_thread *thread)
{
    SWI_OWN_MEMORY;
    uint32_t capacity = 2 * thread->ended_capacity, count = swi_ended_count(thread);
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (counting && !swi_counting_room(counting, (size_t)thread->frame_capacity, capacity))
        return false;
    struct swi_ended *old = SWI_GET(thread->ended);
    struct swi_ended *ended = thread->outgrown_count < 16 ? calloc(capacity, sizeof *ended) : NULL;
    if (!ended)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        SWI_SET(ended[i].row, SWI_GET(old[i].row));
        SWI_SET(ended[i].ticks, SWI_GET(old[i].ticks));
        SWI_SET(ended[i].self, SWI_GET(old[i].self));
    }
    thread->outgrown[thread->outgrown_count++] = old;
    swi_thread_change(thread);
    atomic_store_explicit(&thread->ended, ended, memory_order_release);
    swi_ended_count_set(thread, count);
    swi_thread_changed(thread);
    thread->ended_capacity = capacity;
    return true;
}

void swi_thread_fold(struct swi_thread *thread, uint32_t from, uint32_t to)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    for (uint32_t i = from; i < to && SWI_GET(thread->counting); i++)
        if (SWI_GET(ended[i].self) != SWI_COUNTED)
            swi_counter_use_fold(thread, i);
    for (uint32_t i = from; i < to; i++)
        swi_ended_add(SWI_GET(ended[i].row), SWI_GET(ended[i].ticks), SWI_GET(ended[i].self));
}

void swi_thread_discard(struct swi_thread *thread, uint32_t from, uint32_t to)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    int64_t ticks = SWI_GET(thread->discarded_ticks);
    for (uint32_t i = from; i < to; i++)
        ticks += SWI_GET(ended[i].self);
    SWI_SET(thread->discarded_ticks, ticks);
    SWI_SET(thread->discarded, SWI_GET(thread->discarded) + to - from);
}
