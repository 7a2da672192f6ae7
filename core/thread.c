/* SPDX-License-Identifier: MIT */
#include "core/thread.h"
#include "core/action.h"

#include <stdlib.h>

enum { STACK_FIRST = 32, ENDED_FIRST = 512, ROWS_FIRST = 64 };

struct swi_thread *swi_thread_new(int number)
{
    struct swi_thread *thread = aligned_alloc(64, (sizeof *thread + 63) / 64 * 64);
    if (!thread)
        return NULL;
    *thread = (struct swi_thread){.number = number, .fold_at = SWI_FOLD, .phase = SW_PHASE_THREADS};
    thread->frame = calloc(STACK_FIRST, sizeof *thread->frame);
    struct swi_ended *ended = calloc(ENDED_FIRST, sizeof *ended);
    atomic_init(&thread->ended, ended);
    atomic_init(&thread->batch_first, -1);
    if (!thread->frame || !ended) {
        swi_thread_free(thread);
        return NULL;
    }
    thread->frame_capacity = STACK_FIRST;
    thread->ended_capacity = ENDED_FIRST;
    thread->frame->action = -1;
    return thread;
}

void swi_thread_free(struct swi_thread *thread)
{
    if (!thread)
        return;
    for (struct swi_row *row = SWI_GET(thread->rows), *next; row; row = next) {
        next = row->next;
        free(row);
    }
    for (int i = 0; i < 4; i++)
        free(thread->table[i]);
    for (int i = 0; i < thread->outgrown_count; i++)
        free(thread->outgrown[i]);
    free(thread->frame ? thread->frame - thread->depth : NULL);
    free(SWI_GET(thread->ended));
    free(thread->trace);
    free(thread);
}

static uint32_t capacity_for(int action)
{
    uint32_t capacity = ROWS_FIRST;
    while (capacity <= (uint32_t)action)
        capacity *= 2;
    return capacity;
}

static bool table_grow(struct swi_thread *thread, int action)
{
    uint32_t capacity = capacity_for(action);
    for (int i = 0; i < 4; i++) {
        struct swi_row **table = realloc(thread->table[i], capacity * sizeof(*table));
        if (!table)
            return false;
        thread->table[i] = table;
        for (uint32_t k = thread->row_capacity; k < capacity; k++)
            table[k] = NULL;
    }
    thread->row_capacity = capacity;
    thread->row = thread->table[thread->phase];
    return true;
}

struct swi_row *swi_thread_row(struct swi_thread *thread, enum sw_phase phase, int action)
{
    if (action < 0 || action >= SWI_ACTIONS)
        action = SWI_ACTION_OTHER;
    if ((uint32_t)action >= thread->row_capacity && !table_grow(thread, action))
        return NULL;
    struct swi_row **row = &thread->table[phase][action];
    if (*row || !(*row = swi_row_new(phase, action)))
        return *row;
    (*row)->next = SWI_GET(thread->rows);
    atomic_store_explicit(&thread->rows, *row, memory_order_release);
    return *row;
}

void swi_thread_phase(struct swi_thread *thread, enum sw_phase phase)
{
    thread->phase = phase;
    thread->row = thread->table[phase];
}

bool swi_thread_grow_stack(struct swi_thread *thread)
{
    struct swi_frame *stack = thread->frame - thread->depth;
    int capacity = 2 * thread->frame_capacity;
    if (capacity > SWI_DEPTH_MAX + 1)
        capacity = SWI_DEPTH_MAX + 1;
    if (capacity == thread->frame_capacity)
        return false;
    stack = realloc(stack, (size_t)capacity * sizeof *stack);
    if (!stack)
        return false;
    thread->frame = stack + thread->depth;
    thread->frame_capacity = capacity;
    return true;
}

bool swi_thread_grow_ended(struct swi_thread *thread)
{
    uint32_t capacity = 2 * thread->ended_capacity, count = SWI_GET(thread->ended_count);
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
    atomic_store_explicit(&thread->ended, ended, memory_order_release);
    thread->ended_capacity = capacity;
    return true;
}

void swi_thread_fold(struct swi_thread *thread, uint32_t from, uint32_t to)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    for (uint32_t i = from; i < to; i++)
        swi_row_add(SWI_GET(ended[i].row), SWI_GET(ended[i].ticks), SWI_GET(ended[i].self));
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

void swi_thread_reset(struct swi_thread *thread)
{
    for (struct swi_row *row = SWI_GET(thread->rows); row; row = row->next)
        swi_row_reset(row);
    SWI_SET(thread->ended_count, 0);
    SWI_SET(thread->misuses, 0);
    SWI_SET(thread->discarded, 0);
    SWI_SET(thread->discarded_ticks, 0);
}
