/* SPDX-License-Identifier: MIT */
#include "core/report/newest_now.h"

/* Copies all there is room for, because a count that is read now may be wrong. */
static void waiting_copy(struct swi_waiting_steps *to, const struct swi_waiting_steps *from)
{
    SWI_SET(to->steps, SWI_GET(from->steps));
    for (int i = 0; i < SWI_WAITING_STEPS; i++) {
        struct swi_waiting_step *step = &to->step[i];
        SWI_SET(step->first, SWI_GET(from->step[i].first));
        SWI_SET(step->count, SWI_GET(from->step[i].count));
        SWI_SET(step->phase, SWI_GET(from->step[i].phase));
        SWI_SET(step->samples, SWI_GET(from->step[i].samples));
        SWI_SET(step->draw, SWI_GET(from->step[i].draw));
        SWI_SET(step->batch, SWI_GET(from->step[i].batch));
        SWI_SET(step->number, SWI_GET(from->step[i].number));
        SWI_SET(step->end, SWI_GET(from->step[i].end));
    }
    for (int i = 0; i < SWI_WAITING_REGIONS; i++) {
        SWI_SET(to->region[i].row, swi_ended_row(&from->region[i]));
        SWI_SET(to->region[i].ticks, SWI_GET(from->region[i].ticks));
    }
}

static void waiting_add(struct swi_newest_steps *steps, const struct swi_waiting_steps *waiting)
{
    const struct swi_ended *ended = waiting->region;
    for (uint32_t i = 0; i < SWI_GET(waiting->steps); i++) {
        swi_newest_steps_waiting(steps, &waiting->step[i], ended);
        ended += SWI_GET(waiting->step[i].count);
    }
}

/* Returns false if the thread changes something meanwhile. */
static bool copy(struct swi_newest_steps *to, const struct swi_newest_steps *from,
                 const struct swi_thread *loop)
{
    struct swi_waiting_steps waiting;
    uint64_t before = atomic_load_explicit(&loop->sequence, memory_order_acquire);
    swi_newest_steps_copy(to, from);
    waiting_copy(&waiting, loop->waiting);
    SWI_FENCE(memory_order_acquire);
    if ((before & 1) || SWI_GET(loop->sequence) != before)
        return false;
    waiting_add(to, &waiting);
    return true;
}

struct swi_newest_steps *swi_newest_now(struct swi_measured *measured,
                                        const struct swi_thread *loop)
{
    enum { TRIES = 100 };
    const struct swi_newest_steps *newest = atomic_load(&measured->newest);
    struct swi_newest_steps *steps =
        newest && loop ? swi_newest_take(&measured->newest_pool) : NULL;
    for (int i = 0; steps && i < TRIES; i++)
        if (copy(steps, newest, loop))
            return steps;
    swi_newest_give_back(&measured->newest_pool, steps);
    return NULL;
}
