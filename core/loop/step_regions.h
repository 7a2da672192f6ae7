/* SPDX-License-Identifier: MIT */
/* step_regions.h - the regions of a step that is being evaluated. */
#ifndef CORE_LOOP_STEP_REGIONS_H
#define CORE_LOOP_STEP_REGIONS_H

#include "core/loop/step_slow.h"

/* A step that is being evaluated. Its regions are ended[0 .. count): before `first`, its draws,
 * what ran in them and waits (swi_ended_waits()), and what ran between two steps; from `first`,
 * what ran in the batch; last, the batch itself. */
struct swi_step {
    struct swi_ended *ended;
    uint32_t first;
    uint32_t count;
    enum sw_phase phase;
    int64_t samples;
    int64_t draw;
    int64_t batch;
    int64_t number;     /* of the training step */
    int64_t end;        /* tick */
    uint32_t last_draw; /* UINT32_MAX: none */
    bool leave_out;     /* drop_first_batch, and it is the phase's first */
    bool repeated; /* an action may have run more than once: its row's step_calls says how often */
};

static inline int swi_step_action(const struct swi_step *step, uint32_t i)
{
    return SWI_GET(step->ended[i].row)->action;
}

static inline int64_t swi_step_ticks(const struct swi_step *step, uint32_t i)
{
    int64_t ticks = SWI_GET(step->ended[i].ticks);
    return ticks > 0 ? ticks : 0;
}

/* drop_first_batch leaves out the first batch of a phase, its draws and what ran in them. */
static inline bool swi_step_leaves_out(const struct swi_step *step, uint32_t i)
{
    return SWI_UNLIKELY(step->leave_out) && (i >= step->first || swi_ended_waits(&step->ended[i]));
}

static inline void swi_dropped_add(struct sw_profiler *sw, int64_t self)
{
    SWI_SET(sw->measured.progress.dropped_ticks,
            SWI_GET(sw->measured.progress.dropped_ticks) + self);
}

static SWI_INLINE struct swi_step swi_step_of(const struct sw_profiler *sw,
                                              struct swi_thread *thread, uint32_t first,
                                              int64_t samples, int64_t now)
{
    struct swi_step step = {.ended = SWI_GET(thread->ended),
                            .first = first,
                            .count = swi_ended_count(thread),
                            .phase = thread->phase,
                            .samples = samples,
                            .number = SWI_GET(sw->measured.progress.step),
                            .end = now,
                            .last_draw = UINT32_MAX};
    for (uint32_t i = 0; i < first; i++)
        if (swi_step_action(&step, i) == SW_DRAW) {
            step.draw += swi_step_ticks(&step, i);
            step.last_draw = i;
        }
    step.leave_out = sw->measured.chosen.drop && sw->loop.batches[step.phase] == 0;
    return step;
}

static inline struct swi_step_parts swi_step_parts_of(const struct swi_step *step)
{
    return (struct swi_step_parts){step->first, step->count, step->samples, step->leave_out};
}

#endif
