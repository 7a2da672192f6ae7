/* SPDX-License-Identifier: MIT */
#include "core/watchdog/stall.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

/* With this many steps, the limit depends on them: this many times what 99 % of them take. */
enum { STEPS_LEAST = 20, STEPS_FACTOR = 20, STEPS_RENEWED = 64 };

/* Limits of a stretch without steps: a minimum, and how many times the longest one before. For the
 * first one it is a multiple of the time since the first step. */
#define STRETCH_NS (600 * SECOND)
enum { STRETCH_FACTOR = 5, FIRST_FACTOR = 3, START_FACTOR = 3 };

void swi_stall_init(struct swi_stall *stall, int64_t timeout_ns, int64_t now_ns)
{
    memset(stall, 0, sizeof *stall);
    stall->timeout_ns = timeout_ns;
    stall->since_ns = now_ns;
    stall->first_ns = -1;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool has_steps(enum swi_stage stage)
{
    return stage == SWI_STAGE_STEP || stage == SWI_STAGE_VALID_STEP;
}

static struct swi_stall_steps *steps_of(struct swi_stall *stall, enum swi_stage stage)
{
    return &stall->steps[stage == SWI_STAGE_VALID_STEP];
}

/* Steps between two looks are assumed to take equally long. */
static void steps_add(struct swi_stall_steps *steps, int64_t count, int64_t ns)
{
    int64_t each = count > SWI_STALL_STEPS ? SWI_STALL_STEPS : count;
    for (int64_t i = 0; i < each; i++)
        steps->ring[(steps->count + i) % SWI_STALL_STEPS] = ns / count;
    steps->count += count;
}

static void steps_know(struct swi_stall_steps *steps)
{
    int64_t sorted[SWI_STALL_STEPS];
    bool few = steps->count < STEPS_RENEWED && steps->count > steps->known;
    if (!few && steps->count - steps->known < STEPS_RENEWED)
        return;
    int64_t count = steps->count < SWI_STALL_STEPS ? steps->count : SWI_STALL_STEPS;
    memcpy(sorted, steps->ring, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, swi_by_integer);
    steps->high_ns = sorted[99 * (count - 1) / 100];
    steps->usual_ns = sorted[(count - 1) / 2];
    steps->known = steps->count;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns the place of steps. A short phase may begin and end between two looks. */
static enum swi_stage stage_of_steps(const struct swi_stall *stall, enum swi_stage now)
{
    return has_steps(stall->stage) ? stall->stage : has_steps(now) ? now : SWI_STAGE_STEP;
}

static void enter(struct swi_stall *stall, enum swi_stage stage, int64_t now_ns)
{
    int64_t took = now_ns - stall->since_ns;
    if (!has_steps(stall->stage) && took > stall->longest_ns[stall->stage])
        stall->longest_ns[stall->stage] = took;
    if (stall->first_ns < 0 && has_steps(stage))
        stall->first_ns = now_ns;
    stall->stage = stage;
}

bool swi_stall_check(struct swi_stall *stall, enum swi_stage stage, int64_t steps, int64_t now_ns)
{
    bool over = stall->reported && (steps > 0 || stage != stall->stage);
    if (steps > 0)
        steps_add(steps_of(stall, stage_of_steps(stall, stage)), steps, now_ns - stall->since_ns);
    if (stage != stall->stage)
        enter(stall, stage, now_ns);
    else if (steps <= 0)
        return false;
    if (over)
        stall->reported_since_ns = stall->since_ns;
    stall->since_ns = now_ns;
    stall->reported = false;
    return over;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t stretch_limit(const struct swi_stall *stall)
{
    int64_t longest = stall->longest_ns[stall->stage];
    if (!has_steps(stall->stage) && longest > SECOND)
        return largest(STRETCH_NS, STRETCH_FACTOR * longest);
    int64_t since_first = stall->first_ns < 0 ? 0 : stall->since_ns - stall->first_ns;
    return largest(STRETCH_NS, FIRST_FACTOR * since_first);
}

/* Returns how long the loop may take where it is. */
static int64_t limit_of(struct swi_stall *stall)
{
    if (stall->stage == SWI_STAGE_AWAY)
        return INT64_MAX;
    if (stall->stage == SWI_STAGE_START)
        return START_FACTOR * STRETCH_NS;
    if (!has_steps(stall->stage) || steps_of(stall, stall->stage)->count < STEPS_LEAST)
        return stretch_limit(stall);
    struct swi_stall_steps *steps = steps_of(stall, stall->stage);
    steps_know(steps);
    return largest(stall->timeout_ns, STEPS_FACTOR * steps->high_ns);
}

bool swi_stall_begins(struct swi_stall *stall, int64_t now_ns)
{
    if (stall->reported || now_ns - stall->since_ns <= limit_of(stall))
        return false;
    return stall->reported = true;
}

void swi_stall_leave_out(struct swi_stall *stall, int64_t ns)
{
    stall->since_ns += ns;
    if (stall->first_ns >= 0)
        stall->first_ns += ns;
}
