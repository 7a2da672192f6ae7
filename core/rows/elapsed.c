/* SPDX-License-Identifier: MIT */
#include "core/rows/elapsed.h"

static int64_t marked(const struct swi_elapsed *elapsed)
{
    return elapsed->ticks[0] + elapsed->ticks[1];
}

void swi_elapsed_run(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t now)
{
    enum sw_phase before = (enum sw_phase)elapsed->running;
    if (phase == before)
        return;
    if (before != SW_PHASE_FIT)
        elapsed->ticks[swi_elapsed_index(before)] += now - elapsed->since;
    elapsed->running = (int)phase;
    elapsed->since = now;
}

void swi_elapsed_bare(struct swi_elapsed *elapsed, int64_t ticks, int64_t now)
{
    if (!elapsed->bare) {
        elapsed->bare = true;
        elapsed->first = now - ticks;
        elapsed->before = marked(elapsed);
    }
    elapsed->last = now;
    elapsed->between = marked(elapsed) - elapsed->before;
}

void swi_elapsed_shift(struct swi_elapsed *elapsed, int64_t paused)
{
    elapsed->since += paused;
    elapsed->first += paused;
    elapsed->last += paused;
}

void swi_elapsed_reset(struct swi_elapsed *elapsed)
{
    elapsed->steps = 0;
    for (int i = 0; i < 2; i++) {
        elapsed->samples[i] = 0;
        elapsed->ticks[i] = 0;
    }
    elapsed->running = SW_PHASE_FIT;
    elapsed->bare = false;
}

void swi_elapsed_copy(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy)
{
    copy->steps = elapsed->steps;
    for (int i = 0; i < 2; i++) {
        copy->samples[i] = elapsed->samples[i];
        copy->ticks[i] = elapsed->ticks[i];
    }
    if (elapsed->bare)
        copy->ticks[0] += elapsed->last - elapsed->first - elapsed->between;
    copy->running = (enum sw_phase)elapsed->running;
    copy->since = elapsed->since;
}

/* Works on a copy that no other thread sees. */
void swi_elapsed_copy_with(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy,
                           enum sw_phase phase, int64_t samples, int64_t ticks, int64_t now)
{
    struct swi_elapsed next = {.before = elapsed->before};
    for (int i = 0; i < 2; i++) {
        next.samples[i] = elapsed->samples[i];
        next.ticks[i] = elapsed->ticks[i];
    }
    next.steps = elapsed->steps;
    next.running = elapsed->running;
    next.since = elapsed->since;
    next.bare = elapsed->bare;
    next.first = elapsed->first;
    next.last = elapsed->last;
    next.between = elapsed->between;
    swi_elapsed_step(&next, phase, samples);
    if (next.running == SW_PHASE_FIT)
        swi_elapsed_bare(&next, ticks, now);
    swi_elapsed_copy(&next, copy);
}

int64_t swi_elapsed_ticks(const struct swi_elapsed_copy *copy, int phase, int64_t now)
{
    bool running = copy->running != SW_PHASE_FIT && swi_elapsed_index(copy->running) == phase;
    return copy->ticks[phase] + (running ? now - copy->since : 0);
}
