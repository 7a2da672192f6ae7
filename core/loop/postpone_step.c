/* SPDX-License-Identifier: MIT */
#include "core/loop/postpone_step.h"

SWI_HOT bool swi_step_can_be_postponed(const struct sw_profiler *sw,
                                       const struct swi_thread *thread, const struct swi_step *step)
{
    const struct swi_waiting_steps *waiting = thread->waiting;
    bool training = step->phase == SW_PHASE_TRAIN;
    return !thread->apart && !thread->batch_folded && !step->leave_out &&
           SWI_GET(waiting->rows[!training].own) != NULL &&
           SWI_GET(waiting->steps) < SWI_WAITING_STEPS &&
           SWI_GET(waiting->regions) + step->count <= SWI_WAITING_REGIONS &&
           (!training || sw->loop.window.left > waiting->training + 1);
}

static inline void ended_copy(struct swi_ended *to, const struct swi_ended *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        atomic_store_explicit(&to[i].row, SWI_GET(from[i].row), memory_order_release);
        SWI_SET(to[i].ticks, SWI_GET(from[i].ticks));
        SWI_SET(to[i].self, SWI_GET(from[i].self));
    }
}

SWI_HOT void swi_step_postpone(struct swi_waiting_steps *waiting, const struct swi_step *step)
{
    uint32_t number = SWI_GET(waiting->steps), at = SWI_GET(waiting->regions);
    struct swi_waiting_step *to = &waiting->step[number];
    SWI_SET(to->first, step->first);
    SWI_SET(to->count, step->count);
    SWI_SET(to->last_draw, step->last_draw);
    SWI_SET(to->phase, (int)step->phase);
    SWI_SET(to->samples, step->samples);
    SWI_SET(to->draw, step->draw);
    SWI_SET(to->batch, step->batch);
    SWI_SET(to->number, step->number);
    SWI_SET(to->end, step->end);
    ended_copy(waiting->region + at, step->ended, step->count);
    SWI_SET(waiting->steps, number + 1);
    SWI_SET(waiting->regions, at + step->count);
    waiting->training += step->phase == SW_PHASE_TRAIN;
}

struct swi_step swi_waiting_step_at(struct swi_waiting_steps *waiting, uint32_t number, uint32_t at)
{
    const struct swi_waiting_step *from = &waiting->step[number];
    return (struct swi_step){.ended = waiting->region + at,
                             .first = SWI_GET(from->first),
                             .count = SWI_GET(from->count),
                             .phase = (enum sw_phase)SWI_GET(from->phase),
                             .samples = SWI_GET(from->samples),
                             .draw = SWI_GET(from->draw),
                             .batch = SWI_GET(from->batch),
                             .number = SWI_GET(from->number),
                             .end = SWI_GET(from->end),
                             .last_draw = SWI_GET(from->last_draw)};
}

void swi_waiting_clear(struct swi_waiting_steps *waiting)
{
    SWI_SET(waiting->steps, 0);
    SWI_SET(waiting->regions, 0);
    waiting->training = 0;
}
