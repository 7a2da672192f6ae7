/* SPDX-License-Identifier: MIT */
#include "core/elapsed.h"

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
    for (int i = 0; i < 2; i++) {
        SWI_SET(elapsed->samples[i], 0);
        SWI_SET(elapsed->ticks[i], 0);
    }
    SWI_SET(elapsed->running, SW_PHASE_FIT);
    SWI_SET(elapsed->bare, false);
}

void swi_elapsed_copy(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy)
{
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

int64_t swi_elapsed_ticks(const struct swi_elapsed_copy *copy, int phase, int64_t now)
{
    bool running = copy->running != SW_PHASE_FIT && swi_elapsed_index(copy->running) == phase;
    return copy->ticks[phase] + (running ? now - copy->since : 0);
}
