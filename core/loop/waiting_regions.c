/* SPDX-License-Identifier: MIT */
#include "core/loop/waiting_regions.h"
#include "core/loop/step.h"

static void count_now(struct swi_thread *thread, uint32_t i)
{
    const struct swi_ended *ended = &thread->ended[i];
    if (thread->counting)
        swi_counter_use_fold(thread, i);
    swi_ended_add(ended->row, ended->ticks, ended->self);
}

static void move(struct swi_thread *thread, uint32_t to, uint32_t from)
{
    if (to == from)
        return;
    thread->ended[to] = thread->ended[from];
    if (thread->counting)
        swi_counter_use_shift(thread->counting, to, from);
}

/* The place behind the last one is free for exchanges: few regions change places. */
static void exchange(struct swi_thread *thread, uint32_t a, uint32_t b)
{
    uint32_t free = thread->ended_count;
    move(thread, free, a);
    move(thread, a, b);
    move(thread, b, free);
}

static bool is_of(const struct swi_thread *thread, uint32_t i, enum sw_phase phase)
{
    return thread->ended[i].row->phase == phase;
}

void swi_waiting_sort(struct swi_thread *thread)
{
    thread->step_from = 0;
    if (thread->ended_count == thread->ended_capacity && !swi_thread_grow_ended(thread))
        return;
    for (uint32_t i = 0; i < thread->ended_count; i++) {
        if (is_of(thread, i, thread->phase))
            continue;
        for (uint32_t k = i; k > thread->step_from; k--)
            exchange(thread, k, k - 1);
        thread->step_from++;
    }
}

void swi_waiting_clear(struct swi_thread *thread)
{
    thread->ended_count = thread->step_from;
    thread->step_from = 0;
    thread->batch_first = -1;
}

void swi_waiting_count(struct swi_thread *thread, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < thread->ended_count; i++) {
        if (thread->ended[i].row->action == SW_DRAW)
            move(thread, kept++, i);
        else
            count_now(thread, i);
    }
    thread->ended_count = kept;
}

void swi_waiting_discard_batch(struct swi_thread *thread, uint32_t first)
{
    for (uint32_t i = thread->step_from; i < thread->ended_count; i++) {
        if (i >= first || thread->ended[i].row->action == SW_DRAW)
            swi_thread_discard(thread, i);
        else
            count_now(thread, i);
    }
    swi_waiting_clear(thread);
}

void swi_waiting_discard(struct swi_thread *thread, int action)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < thread->ended_count; i++) {
        if ((action == SW_TRAIN && !is_of(thread, i, SW_PHASE_TRAIN)) ||
            (action == SW_VALID && !is_of(thread, i, SW_PHASE_VALID)))
            move(thread, kept++, i);
        else if (thread->ended[i].row->action == SW_DRAW)
            swi_thread_discard(thread, i);
        else
            count_now(thread, i);
    }
    thread->ended_count = kept;
}

/* Draws stay, if there are not too many of them: their batch may still come. */
void swi_waiting_full(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool left_out = thread->loop && swi_is_left_out(sw, thread);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < thread->ended_count; i++) {
        if (thread->ended[i].row->action == SW_DRAW)
            move(thread, kept++, i);
        else if (left_out)
            swi_dropped_add(sw, thread->ended[i].self);
        else
            count_now(thread, i);
    }
    thread->ended_count = kept;
    if (kept >= SWI_ENDED_MAX)
        swi_waiting_add(thread);
}

void swi_waiting_add(struct swi_thread *thread)
{
    for (uint32_t i = 0; i < thread->ended_count; i++)
        count_now(thread, i);
    thread->ended_count = 0;
}

void swi_reports_prepare(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread; thread = thread->list)
        if (!thread->loop)
            swi_waiting_add(thread);
}
