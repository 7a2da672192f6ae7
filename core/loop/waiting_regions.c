/* SPDX-License-Identifier: MIT */
#include "core/loop/stack.h"
#include "core/loop/step.h"

static void count_now(struct swi_thread *thread, uint32_t i)
{
    const struct swi_ended *ended = &thread->ended[i];
    if (thread->counting)
        swi_counter_use_fold(thread, i, 0);
    swi_row_add(ended->row, ended->ticks, ended->self);
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

/* The frame of the open draw, which says where those that ended in it begin; if none is open, the
 * bottom of the stack. */
static struct swi_frame *open_draw(const struct swi_thread *thread)
{
    struct swi_frame *frame = thread->drawing ? thread->frame : thread->stack;
    while (frame > thread->stack && frame->action != SW_DRAW)
        frame--;
    return frame;
}

void swi_waiting_sort(struct swi_thread *thread)
{
    struct swi_frame *draw = open_draw(thread);
    uint32_t first = draw->first;
    thread->step_from = draw->first = 0;
    if (thread->ended_count == thread->ended_capacity && !swi_thread_grow_ended(thread))
        return;
    for (uint32_t i = 0; i < thread->ended_count; i++) {
        if (is_of(thread, i, thread->phase))
            continue;
        for (uint32_t k = i; k > thread->step_from; k--)
            exchange(thread, k, k - 1);
        thread->step_from++;
        draw->first += i < first;
    }
}

void swi_waiting_clear(struct swi_thread *thread)
{
    thread->ended_count = thread->step_from;
    thread->step_from = 0;
    thread->batch_first = -1;
}

/* ---- leaving the list ------------------------------------------------------------------------ */

enum fate { STAYS, COUNTS, LOST, GONE };

/* Asks for the fate of each, from `from` on. */
static void sift(struct swi_thread *thread, uint32_t from,
                 enum fate (*fate_of)(const struct swi_thread *, uint32_t i, int64_t arg),
                 int64_t arg)
{
    struct swi_frame *draw = open_draw(thread);
    uint32_t kept = from, first = draw->first;
    for (uint32_t i = from; i < thread->ended_count; i++) {
        enum fate fate = fate_of(thread, i, arg);
        if (fate == COUNTS)
            count_now(thread, i);
        else if (fate == LOST)
            swi_thread_discard(thread, i);
        else if (fate == STAYS)
            move(thread, kept++, i);
        draw->first -= fate != STAYS && i < first;
    }
    thread->ended_count = kept;
}

static enum fate draws_stay(const struct swi_thread *thread, uint32_t i, int64_t left_out)
{
    return thread->ended[i].row->action == SW_DRAW ? STAYS : left_out ? GONE : COUNTS;
}

static enum fate of_lost_batch(const struct swi_thread *thread, uint32_t i, int64_t first)
{
    return i >= first || thread->ended[i].row->action == SW_DRAW ? LOST : COUNTS;
}

static enum fate of_container(const struct swi_thread *thread, uint32_t i, int64_t action)
{
    if ((action == SW_TRAIN && !is_of(thread, i, SW_PHASE_TRAIN)) ||
        (action == SW_VALID && !is_of(thread, i, SW_PHASE_VALID)))
        return STAYS;
    return thread->ended[i].row->action == SW_DRAW ? LOST : COUNTS;
}

static enum fate all_count(const struct swi_thread *thread, uint32_t i, int64_t arg)
{
    (void)thread, (void)i, (void)arg;
    return COUNTS;
}

void swi_waiting_count(struct swi_thread *thread, uint32_t first)
{
    sift(thread, first, draws_stay, 0);
}

void swi_waiting_discard_batch(struct swi_thread *thread, uint32_t first)
{
    sift(thread, thread->step_from, of_lost_batch, first);
    swi_waiting_clear(thread);
}

void swi_waiting_discard(struct swi_thread *thread, int action)
{
    sift(thread, 0, of_container, action);
}

void swi_waiting_add(struct swi_thread *thread)
{
    sift(thread, 0, all_count, 0);
}

/* Before a batch that drop_first_batch leaves out. */
static void leave_out(struct sw_profiler *sw, const struct swi_thread *thread)
{
    for (uint32_t i = 0; i < thread->ended_count; i++)
        if (thread->ended[i].row->action != SW_DRAW)
            swi_dropped_add(sw, thread->ended[i].self);
}

/* Draws stay, if there are not too many of them: their batch may still come. */
void swi_waiting_full(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool left_out = thread->loop && swi_is_left_out(sw, thread);
    if (left_out)
        leave_out(sw, thread);
    sift(thread, 0, draws_stay, left_out);
    if (thread->ended_count >= SWI_ENDED_MAX)
        swi_waiting_add(thread);
}

void swi_reports_prepare(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread; thread = thread->list)
        if (!thread->loop)
            swi_waiting_add(thread);
}
