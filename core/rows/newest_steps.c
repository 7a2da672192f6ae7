/* SPDX-License-Identifier: MIT */
#include "core/rows/newest_steps.h"
#include "core/rows/shaped_actions.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static void empty(struct swi_newest_steps *steps)
{
    atomic_store(&steps->count, 0);
    SWI_SET(steps->samples, 0);
    SWI_SET(steps->between, 0);
    SWI_SET(steps->actions, 0);
    SWI_SET(steps->last_end, -1);
    SWI_SET(steps->first, true);
    steps->next_column = 0;
}

static struct swi_newest_steps *steps_new(void)
{
    return calloc(1, sizeof(struct swi_newest_steps));
}

/* Lets the kernel provide the pages of a range in one call. Changes no content, so another thread
 * may use the memory meanwhile. */
static void populate(void *from, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)from;
    uintptr_t first = (begin + page - 1) / page * page, end = (begin + size) / page * page;
    if (first < end)
        madvise((char *)from + (first - begin), end - first, MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)size;
#endif
}

/* Returns whether populate() works: for no bytes at all, the kernel only checks whether it knows
 * the request. */
static bool can_populate(void)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(NULL, 0, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

/* Writes to all pages, so that the kernel provides them now. */
static void touch(struct swi_newest_steps *steps)
{
    for (int i = 0; i < SWI_NEWEST_STEPS; i++)
        SWI_SET(steps->step[i].number, 0);
}

void swi_newest_prepare(struct swi_newest_pool *pool)
{
    for (int i = 0; i < SWI_NEWEST_READY; i++)
        swi_newest_give_back(pool, steps_new());
    struct swi_newest_steps *first = atomic_load(&pool->ready[0]);
    if (first && can_populate())
        atomic_store(&pool->unpopulated, first);
    else if (first)
        touch(first);
}

/* The entry may be in use. If it was freed meanwhile, the kernel only populates other memory or
 * fails. */
void swi_newest_populate(struct swi_newest_pool *pool)
{
    struct swi_newest_steps *first = atomic_load_explicit(&pool->unpopulated, memory_order_relaxed);
    if (!first)
        return;
    atomic_store_explicit(&pool->unpopulated, NULL, memory_order_relaxed);
    populate(first->step, sizeof first->step);
}

struct swi_newest_steps *swi_newest_take(struct swi_newest_pool *pool)
{
    struct swi_newest_steps *steps = NULL;
    for (int i = 0; !steps && i < SWI_NEWEST_READY; i++)
        steps = atomic_exchange(&pool->ready[i], NULL);
    steps = steps ? steps : steps_new();
    if (steps)
        empty(steps);
    return steps;
}

void swi_newest_give_back(struct swi_newest_pool *pool, struct swi_newest_steps *steps)
{
    for (int i = 0; steps && i < SWI_NEWEST_READY; i++) {
        struct swi_newest_steps *none = NULL;
        if (atomic_compare_exchange_strong(&pool->ready[i], &none, steps))
            return;
    }
    free(steps);
}

void swi_newest_fini(struct swi_newest_pool *pool)
{
    for (int i = 0; i < SWI_NEWEST_READY; i++)
        free(atomic_exchange(&pool->ready[i], NULL));
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Returns the column of an action. Actions that come too late share the last one. Most steps run
 * the same actions in the same order, so the search begins after the column that was found last. */
static int column_of(struct swi_newest_steps *steps, int action)
{
    int count = SWI_GET(steps->actions);
    for (int i = steps->next_column, tried = 0; tried < count; tried++, i++) {
        i = i < count ? i : 0;
        if (SWI_GET(steps->action[i]) == action)
            return i;
    }
    if (count == SWI_NEWEST_ACTIONS)
        return count - 1;
    SWI_SET(steps->action[count], count == SWI_NEWEST_ACTIONS - 1 ? SWI_NEWEST_REST : action);
    atomic_store_explicit(&steps->actions, count + 1, memory_order_release);
    return count;
}

static void region_add(struct swi_newest_steps *steps, struct swi_newest_step *step,
                       const struct swi_ended *ended)
{
    const struct swi_row *row = SWI_GET(ended->row);
    int64_t ticks = SWI_GET(ended->ticks);
    if (row->is_inner || row->action == SW_BATCH)
        return;
    int column = column_of(steps, swi_action_base(row->action));
    steps->next_column = column + 1;
    SWI_SET(steps->last[column], SWI_GET(steps->count));
    if (ticks > 0)
        SWI_SET(step->ticks[column], SWI_GET(step->ticks[column]) + ticks);
}

static void between_add(struct swi_newest_steps *steps, int64_t ticks, int64_t now)
{
    int64_t last = SWI_GET(steps->last_end), gap = now - last - ticks;
    if (last >= 0 && gap > 0)
        SWI_SET(steps->between, SWI_GET(steps->between) + gap);
    SWI_SET(steps->last_end, now);
    SWI_SET(steps->first, false);
}

/* A batch may claim any number of samples: the sum stops at the largest number. */
static int64_t sum_of(int64_t sum, int64_t samples)
{
    return __builtin_add_overflow(sum, samples, &sum) ? INT64_MAX : sum;
}

void swi_newest_steps_add(struct swi_newest_steps *steps, const struct swi_told_step *newest,
                          const struct swi_ended *ended, uint32_t count, int64_t now)
{
    int64_t number = SWI_GET(steps->count), samples = newest->samples > 0 ? newest->samples : 0;
    struct swi_newest_step *step = &steps->step[number % SWI_NEWEST_STEPS];
    for (int i = 0; i < SWI_NEWEST_ACTIONS; i++)
        SWI_SET(step->ticks[i], 0);
    SWI_SET(step->number, newest->number);
    SWI_SET(step->samples, samples);
    SWI_SET(step->first, SWI_GET(steps->first));
    SWI_SET(step->draw, newest->draw);
    SWI_SET(step->batch, newest->batch);
    for (uint32_t i = 0; i < count; i++)
        region_add(steps, step, &ended[i]);
    between_add(steps, newest->draw + newest->batch, now);
    SWI_SET(steps->samples, sum_of(SWI_GET(steps->samples), samples));
    atomic_store_explicit(&steps->count, number + 1, memory_order_release);
}

void swi_newest_steps_other(struct swi_newest_steps *steps, bool cancelled, int64_t now)
{
    SWI_SET(steps->last_end, cancelled ? -1 : now);
    SWI_SET(steps->first, SWI_GET(steps->first) && cancelled);
}

void swi_newest_steps_cut(struct swi_newest_steps *steps, bool begins)
{
    SWI_SET(steps->last_end, -1);
    SWI_SET(steps->first, SWI_GET(steps->first) || begins);
}

void swi_newest_steps_waiting(struct swi_newest_steps *steps, const struct swi_waiting_step *step,
                              const struct swi_ended *ended)
{
    uint32_t first = SWI_GET(step->first);
    const struct swi_told_step told = {.number = SWI_GET(step->number),
                                       .samples = SWI_GET(step->samples),
                                       .draw = SWI_GET(step->draw),
                                       .batch = SWI_GET(step->batch)};
    if (SWI_GET(step->phase) == SW_PHASE_TRAIN)
        swi_newest_steps_add(steps, &told, ended + first, SWI_GET(step->count) - first,
                             SWI_GET(step->end));
    else
        swi_newest_steps_other(steps, false, SWI_GET(step->end));
}

/* ---- a copy ---------------------------------------------------------------------------------- */

static void step_copy(struct swi_newest_step *to, const struct swi_newest_step *from)
{
    SWI_SET(to->number, SWI_GET(from->number));
    SWI_SET(to->samples, SWI_GET(from->samples));
    SWI_SET(to->first, SWI_GET(from->first));
    SWI_SET(to->draw, SWI_GET(from->draw));
    SWI_SET(to->batch, SWI_GET(from->batch));
    for (int i = 0; i < SWI_NEWEST_ACTIONS; i++)
        SWI_SET(to->ticks[i], SWI_GET(from->ticks[i]));
}

void swi_newest_steps_copy(struct swi_newest_steps *to, const struct swi_newest_steps *from)
{
    int64_t count = atomic_load_explicit(&from->count, memory_order_acquire);
    SWI_SET(to->count, count);
    SWI_SET(to->samples, SWI_GET(from->samples));
    SWI_SET(to->between, SWI_GET(from->between));
    SWI_SET(to->actions, atomic_load_explicit(&from->actions, memory_order_acquire));
    for (int i = 0; i < SWI_NEWEST_ACTIONS; i++) {
        SWI_SET(to->action[i], SWI_GET(from->action[i]));
        SWI_SET(to->last[i], SWI_GET(from->last[i]));
    }
    SWI_SET(to->last_end, SWI_GET(from->last_end));
    SWI_SET(to->first, SWI_GET(from->first));
    for (int64_t i = 0; i < count && i < SWI_NEWEST_STEPS; i++)
        step_copy(&to->step[i], &from->step[i]);
}
