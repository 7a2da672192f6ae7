/* SPDX-License-Identifier: MIT */
#include "core/rows/cost.h"

enum {
    ALL = 32,     /* the first windows of a fit, which are all sampled */
    SPARSE = 256, /* later one of this many on average */
    FOLD = 32     /* windows that end when a chunk of events is full */
};

static void add(atomic_llong *sum, int64_t more)
{
    SWI_SET(*sum, SWI_GET(*sum) + more);
}

static void sum_add(struct swi_cost_sum *sum, int64_t ticks, int64_t regions)
{
    add(&sum->ticks, ticks);
    add(&sum->regions, regions);
}

static void sum_clear(struct swi_cost_sum *sum)
{
    SWI_SET(sum->ticks, 0);
    SWI_SET(sum->regions, 0);
}

/* ---- a fit ----------------------------------------------------------------------------------- */

static void sums_clear(struct swi_cost *cost)
{
    sum_clear(&cost->window);
    SWI_SET(cost->timing, 0);
    for (int i = 0; i < SWI_STRATA; i++) {
        sum_clear(&cost->all[i]);
        sum_clear(&cost->sampled[i]);
    }
}

/* `rare` is never reset, because the current call compares it with its value at the begin. */
void swi_cost_reset(struct swi_cost *cost)
{
    SWI_SET(cost->before, SWI_GET(cost->rare));
    sums_clear(cost);
    cost->left = 1;
    cost->sampling = true;
    cost->timing_due = !cost->calling;
    cost->closing = false;
    cost->windows = 0;
    cost->random |= 1;
    cost->shortest = INT64_MAX;
    cost->depth = 0;
}

void swi_cost_restart(struct swi_cost *cost)
{
    int depth = cost->depth;
    swi_cost_reset(cost);
    cost->depth = depth;
    add(&cost->before, -cost->found);
}

/* ---- windows --------------------------------------------------------------------------------- */

void swi_cost_turn(struct swi_cost *cost, enum swi_stratum stratum, bool folded)
{
    cost->left = 1;
    cost->closing = cost->sampling;
    cost->stratum = stratum;
    cost->weight = folded ? FOLD : 1;
    cost->sampling = true;
    cost->timing_due = !cost->calling;
}

/* Marsaglia's xorshift. */
static uint32_t random_next(struct swi_cost *cost)
{
    cost->random ^= cost->random << 13;
    cost->random ^= cost->random >> 17;
    cost->random ^= cost->random << 5;
    return cost->random;
}

/* Returns how many windows to skip. It grows, so that a short fit is measured well and a long one
 * is not slowed down. */
static uint32_t distance(struct swi_cost *cost)
{
    uint64_t mean = cost->windows / ALL < SPARSE ? cost->windows / ALL : SPARSE;
    return mean ? 1 + random_next(cost) % (2 * (uint32_t)mean) : 0;
}

static void window_close(struct swi_cost *cost)
{
    struct swi_cost_sum *sums = cost->windows < ALL ? cost->all : cost->sampled;
    sum_add(&sums[cost->stratum], SWI_GET(cost->window.ticks), SWI_GET(cost->window.regions));
    sum_clear(&cost->window);
    add(&cost->rare, SWI_GET(cost->timing));
    SWI_SET(cost->timing, 0);
    cost->closing = false;
    cost->windows += cost->weight;
    uint32_t out = distance(cost);
    cost->windows += (uint64_t)out * cost->weight;
    cost->sampling = !out;
    cost->left = out ? out : 1;
}

/* ---- rare ------------------------------------------------------------------------------------ */

void swi_cost_rare_work_begin(struct swi_cost *cost, int64_t now)
{
    if (cost->depth++ == 0)
        cost->began = now;
}

/* depth 0: a fit ended within the work and reset everything. */
void swi_cost_rare_work_end(struct swi_cost *cost, int64_t now)
{
    if (cost->depth && --cost->depth == 0 && now > cost->began)
        add(&cost->rare, now - cost->began);
}

void swi_cost_found(struct swi_cost *cost, int64_t ticks)
{
    if (cost->depth)
        return;
    cost->found = ticks;
    add(&cost->rare, ticks);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void swi_cost_call_begin(struct swi_cost *cost, struct swi_timed_call *call)
{
    cost->calling = true;
    cost->timing_due = false;
    call->rare = SWI_GET(cost->rare);
}

/* Returns what the call's entry took more than the shortest one. With cold caches, the entry
 * already fetches memory that the call needs, so the difference belongs to the call. */
static int64_t fetched(struct swi_cost *cost, const struct swi_timed_call *call)
{
    if (!call->entered)
        return 0;
    int64_t way = call->began > call->entered ? call->began - call->entered : 0;
    cost->shortest = way < cost->shortest ? way : cost->shortest;
    return way - cost->shortest;
}

/* Adds the duration of a call to the window. If the call was interrupted, it counts once and does
 * not stand for others. */
static void call_add(struct swi_cost *cost, int64_t took, int64_t longest)
{
    add(took > longest ? &cost->rare : &cost->window.ticks, took);
}

void swi_cost_call_end(struct swi_cost *cost, const struct swi_timed_call *call, bool begun,
                       int64_t empty, int64_t longest, int64_t now)
{
    int64_t rare = SWI_GET(cost->rare) - call->rare;
    int64_t took = call->ended - call->began - empty - rare + fetched(cost, call);
    took = took > 0 ? took : 0;
    call_add(cost, took, longest);
    add(&cost->window.regions, begun);
    /* Timing the call takes time as well. */
    int64_t rest = now - (call->entered ? call->entered : call->began) - rare - took;
    add(&cost->timing, rest > 0 ? rest : 0);
    cost->found = 0;
    cost->calling = false;
    if (cost->closing)
        window_close(cost);
    cost->timing_due = cost->sampling;
}

/* ---- the sum --------------------------------------------------------------------------------- */

struct plain_sum {
    double ticks, regions;
};

static void plain_add(struct plain_sum *sum, const struct swi_cost_sum *more)
{
    sum->ticks += (double)SWI_GET(more->ticks);
    sum->regions += (double)SWI_GET(more->regions);
}

/* Returns the ticks per region of the first sum that has any. */
static double rate_of(const struct plain_sum *sums, int count)
{
    for (int i = 0; i < count; i++)
        if (sums[i].regions > 0)
            return sums[i].ticks / sums[i].regions;
    return 0;
}

/* Regions of a stratum that were not timed are assumed to cost as much as its samples; without
 * samples, as much as its first windows; without these, as much as everything that was timed. */
static double rest_of(const struct swi_cost *cost, enum swi_stratum stratum,
                      const struct plain_sum *known_of_all, double regions)
{
    struct plain_sum known[3] = {{0, 0}, {0, 0}, *known_of_all};
    plain_add(&known[0], &cost->sampled[stratum]);
    plain_add(&known[1], &cost->all[stratum]);
    double rest = regions - known[1].regions;
    return rest > 0 ? rest * rate_of(known, 3) : 0;
}

/* The stratum of the current window is known only at its end. Until then, its regions are taken
 * from the first strata that have any. */
static void sum_copy(const struct swi_cost_sum *from, struct swi_cost_sum *to)
{
    SWI_SET(to->ticks, SWI_GET(from->ticks));
    SWI_SET(to->regions, SWI_GET(from->regions));
}

void swi_cost_copy(const struct swi_cost *from, struct swi_cost *to)
{
    SWI_SET(to->rare, SWI_GET(from->rare));
    SWI_SET(to->before, SWI_GET(from->before));
    SWI_SET(to->timing, SWI_GET(from->timing));
    sum_copy(&from->window, &to->window);
    for (int i = 0; i < SWI_STRATA; i++) {
        sum_copy(&from->all[i], &to->all[i]);
        sum_copy(&from->sampled[i], &to->sampled[i]);
    }
}

double swi_cost_ticks(const struct swi_cost *cost, const int64_t regions[SWI_STRATA])
{
    struct plain_sum current = {0, 0}, known = {0, 0};
    plain_add(&current, &cost->window);
    known = current;
    double ticks = current.ticks + (double)SWI_GET(cost->timing) +
                   (double)(SWI_GET(cost->rare) - SWI_GET(cost->before));
    for (int i = 0; i < SWI_STRATA; i++) {
        plain_add(&known, &cost->all[i]);
        plain_add(&known, &cost->sampled[i]);
        ticks += (double)SWI_GET(cost->all[i].ticks);
    }
    for (int i = 0; i < SWI_STRATA; i++) {
        double counted = (double)regions[i] - current.regions;
        current.regions = counted < 0 ? -counted : 0;
        ticks += rest_of(cost, (enum swi_stratum)i, &known, counted);
    }
    return ticks;
}
