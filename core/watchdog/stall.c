/* SPDX-License-Identifier: MIT */
#include "core/watchdog/stall.h"

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

static bool has_steps(enum swi_place place)
{
    return place == SWI_PLACE_STEP || place == SWI_PLACE_VALID_STEP;
}

static struct swi_stall_steps *steps_of(struct swi_stall *stall, enum swi_place place)
{
    return &stall->steps[place == SWI_PLACE_VALID_STEP];
}

/* Steps between two looks are assumed to take equally long. */
static void steps_add(struct swi_stall_steps *steps, int64_t count, int64_t ns)
{
    int64_t each = count > SWI_STALL_STEPS ? SWI_STALL_STEPS : count;
    for (int64_t i = 0; i < each; i++)
        steps->ring[(steps->count + i) % SWI_STALL_STEPS] = ns / count;
    steps->count += count;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void steps_know(struct swi_stall_steps *steps)
{
    int64_t sorted[SWI_STALL_STEPS];
    bool few = steps->count < STEPS_RENEWED && steps->count > steps->known;
    if (!few && steps->count - steps->known < STEPS_RENEWED)
        return;
    int64_t count = steps->count < SWI_STALL_STEPS ? steps->count : SWI_STALL_STEPS;
    memcpy(sorted, steps->ring, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    steps->high_ns = sorted[99 * (count - 1) / 100];
    steps->usual_ns = sorted[(count - 1) / 2];
    steps->known = steps->count;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns the place of steps. A short phase may begin and end between two looks. */
static enum swi_place place_of_steps(const struct swi_stall *stall, enum swi_place now)
{
    return has_steps(stall->place) ? stall->place : has_steps(now) ? now : SWI_PLACE_STEP;
}

static void enter(struct swi_stall *stall, enum swi_place place, int64_t now_ns)
{
    int64_t took = now_ns - stall->since_ns;
    if (!has_steps(stall->place) && took > stall->longest_ns[stall->place])
        stall->longest_ns[stall->place] = took;
    if (stall->first_ns < 0 && has_steps(place))
        stall->first_ns = now_ns;
    stall->place = place;
}

bool swi_stall_look(struct swi_stall *stall, enum swi_place place, int64_t steps, int64_t now_ns)
{
    bool over = stall->told && (steps > 0 || place != stall->place);
    if (steps > 0)
        steps_add(steps_of(stall, place_of_steps(stall, place)), steps, now_ns - stall->since_ns);
    if (place != stall->place)
        enter(stall, place, now_ns);
    else if (steps <= 0)
        return false;
    if (over)
        stall->told_since_ns = stall->since_ns;
    stall->since_ns = now_ns;
    stall->told = false;
    return over;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t stretch_limit(const struct swi_stall *stall)
{
    int64_t longest = stall->longest_ns[stall->place];
    if (!has_steps(stall->place) && longest > SECOND)
        return largest(STRETCH_NS, STRETCH_FACTOR * longest);
    int64_t since_first = stall->first_ns < 0 ? 0 : stall->since_ns - stall->first_ns;
    return largest(STRETCH_NS, FIRST_FACTOR * since_first);
}

/* Returns how long the loop may take where it is. */
static int64_t limit_of(struct swi_stall *stall)
{
    if (stall->place == SWI_PLACE_AWAY)
        return INT64_MAX;
    if (stall->place == SWI_PLACE_START)
        return START_FACTOR * STRETCH_NS;
    if (!has_steps(stall->place) || steps_of(stall, stall->place)->count < STEPS_LEAST)
        return stretch_limit(stall);
    struct swi_stall_steps *steps = steps_of(stall, stall->place);
    steps_know(steps);
    return largest(stall->timeout_ns, STEPS_FACTOR * steps->high_ns);
}

bool swi_stall_begins(struct swi_stall *stall, int64_t now_ns)
{
    if (stall->told || now_ns - stall->since_ns <= limit_of(stall))
        return false;
    return stall->told = true;
}

void swi_stall_leave_out(struct swi_stall *stall, int64_t ns)
{
    stall->since_ns += ns;
    if (stall->first_ns >= 0)
        stall->first_ns += ns;
}
