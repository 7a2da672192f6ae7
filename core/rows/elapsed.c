/* SPDX-License-Identifier: MIT */
#include "core/rows/elapsed.h"

static int64_t marked(const struct swi_elapsed *elapsed)
{
    return SWI_GET(elapsed->ticks[0]) + SWI_GET(elapsed->ticks[1]);
}

void swi_elapsed_run(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t now)
{
    enum sw_phase before = (enum sw_phase)SWI_GET(elapsed->running);
    if (phase == before)
        return;
    if (before != SW_PHASE_FIT)
        SWI_ADD(elapsed->ticks[swi_elapsed_index(before)], now - SWI_GET(elapsed->since));
    SWI_SET(elapsed->running, (int)phase);
    SWI_SET(elapsed->since, now);
}

void swi_elapsed_bare(struct swi_elapsed *elapsed, int64_t ticks, int64_t now)
{
    if (!SWI_GET(elapsed->bare)) {
        SWI_SET(elapsed->bare, true);
        SWI_SET(elapsed->first, now - ticks);
        elapsed->before = marked(elapsed);
    }
    SWI_SET(elapsed->last, now);
    SWI_SET(elapsed->between, marked(elapsed) - elapsed->before);
}

void swi_elapsed_shift(struct swi_elapsed *elapsed, int64_t paused)
{
    SWI_ADD(elapsed->since, paused);
    SWI_ADD(elapsed->first, paused);
    SWI_ADD(elapsed->last, paused);
}

void swi_elapsed_reset(struct swi_elapsed *elapsed)
{
    SWI_SET(elapsed->steps, 0);
    for (int i = 0; i < 2; i++) {
        SWI_SET(elapsed->samples[i], 0);
        SWI_SET(elapsed->ticks[i], 0);
    }
    SWI_SET(elapsed->running, SW_PHASE_FIT);
    SWI_SET(elapsed->bare, false);
}

void swi_elapsed_copy(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy)
{
    copy->steps = SWI_GET(elapsed->steps);
    for (int i = 0; i < 2; i++) {
        copy->samples[i] = SWI_GET(elapsed->samples[i]);
        copy->ticks[i] = SWI_GET(elapsed->ticks[i]);
    }
    if (SWI_GET(elapsed->bare))
        copy->ticks[0] +=
            SWI_GET(elapsed->last) - SWI_GET(elapsed->first) - SWI_GET(elapsed->between);
    copy->running = (enum sw_phase)SWI_GET(elapsed->running);
    copy->since = SWI_GET(elapsed->since);
}

/* Works on a copy that no other thread sees. */
void swi_elapsed_copy_with(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy,
                           enum sw_phase phase, int64_t samples, int64_t ticks, int64_t now)
{
    struct swi_elapsed next = {.before = elapsed->before};
    for (int i = 0; i < 2; i++) {
        atomic_init(&next.samples[i], SWI_GET(elapsed->samples[i]));
        atomic_init(&next.ticks[i], SWI_GET(elapsed->ticks[i]));
    }
    atomic_init(&next.steps, SWI_GET(elapsed->steps));
    atomic_init(&next.running, SWI_GET(elapsed->running));
    atomic_init(&next.since, SWI_GET(elapsed->since));
    atomic_init(&next.bare, SWI_GET(elapsed->bare));
    atomic_init(&next.first, SWI_GET(elapsed->first));
    atomic_init(&next.last, SWI_GET(elapsed->last));
    atomic_init(&next.between, SWI_GET(elapsed->between));
    swi_elapsed_step(&next, phase, samples);
    if (SWI_GET(next.running) == SW_PHASE_FIT)
        swi_elapsed_bare(&next, ticks, now);
    swi_elapsed_copy(&next, copy);
}

int64_t swi_elapsed_ticks(const struct swi_elapsed_copy *copy, int phase, int64_t now)
{
    bool running = copy->running != SW_PHASE_FIT && swi_elapsed_index(copy->running) == phase;
    return copy->ticks[phase] + (running ? now - copy->since : 0);
}
