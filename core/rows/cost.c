/* SPDX-License-Identifier: MIT */
#include "core/rows/cost.h"
#include "core/rows/row.h"

enum {
    ALL = 32,     /* the first windows of a fit, which are all sampled */
    SPARSE = 256, /* later one of this many on average */
    FOLD = 32     /* windows that end when a chunk of events is full */
};

/* ---- windows --------------------------------------------------------------------------------- */

void swi_cost_reset(struct swi_cost *cost)
{
    cost->left = 1;
    cost->sampling = true;
    cost->timing_due = !cost->calling;
    cost->closing = false;
    cost->windows = 0;
    cost->random |= 1;
    cost->shortest = INT64_MAX;
}

void swi_cost_turn(struct swi_cost *cost, bool folded)
{
    cost->left = 1;
    cost->closing = cost->sampling;
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

int64_t swi_cost_rare_work_end(struct swi_cost *cost, int64_t now)
{
    int64_t ticks = --cost->depth == 0 && now > cost->began ? now - cost->began : 0;
    cost->rare += ticks;
    if (!cost->calling)
        return ticks;
    cost->found += ticks;
    return 0;
}

void swi_cost_found(struct swi_cost *cost, int64_t ticks)
{
    if (cost->depth)
        return;
    cost->found += ticks;
    cost->rare += ticks;
}

/* ---- calls ----------------------------------------------------------------------------------- */

void swi_cost_call_begin(struct swi_cost *cost, struct swi_timed_call *call)
{
    cost->calling = true;
    cost->timing_due = false;
    call->rare = cost->rare;
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

struct swi_timed_cost swi_cost_call_end(struct swi_cost *cost, const struct swi_timed_call *call,
                                        bool begun, int64_t empty, int64_t longest, int64_t now)
{
    int64_t rare = cost->rare - call->rare;
    int64_t took = call->ended - call->began - empty - rare + fetched(cost, call);
    took = took > 0 ? took : 0;
    /* Timing the call takes time as well. */
    int64_t rest = now - (call->entered ? call->entered : call->began) - rare - took;
    struct swi_timed_cost spent = {.ticks = took,
                                   .rest = cost->found + (rest > 0 ? rest : 0),
                                   .begun = begun,
                                   .alone = cost->windows < ALL};
    if (took > longest) { /* interrupted: it counts once and does not stand for others */
        spent.rest += took;
        spent.ticks = 0;
    }
    cost->found = 0;
    cost->calling = false;
    if (cost->closing)
        window_close(cost);
    cost->timing_due = cost->sampling;
    return spent;
}

/* ---- the sum --------------------------------------------------------------------------------- */

static void sum_add(struct swi_cost_sum *sum, const struct swi_cost_sum *more)
{
    sum->ticks = swi_ticks_sum(sum->ticks, more->ticks);
    sum->regions += more->regions;
}

void swi_spent_add(struct swi_spent *spent, enum swi_stratum stratum,
                   const struct swi_timed_cost *cost)
{
    struct swi_cost_sum *sums = cost->alone ? spent->alone : spent->sampled;
    spent->stratum = cost->begun ? stratum : spent->stratum;
    sum_add(&sums[spent->stratum], &(struct swi_cost_sum){cost->ticks, cost->begun});
    spent->rest = swi_ticks_sum(spent->rest, cost->rest > 0 ? cost->rest : 0);
}

/* Regions of a stratum that were not timed are assumed to cost as much as its samples; without
 * samples, as much as its first calls; without these, as much as everything that was timed. */
static double rate_of(const struct swi_spent *spent, int stratum, const struct swi_cost_sum *all)
{
    const struct swi_cost_sum *known[] = {&spent->sampled[stratum], &spent->alone[stratum], all};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i]->regions > 0)
            return (double)known[i]->ticks / (double)known[i]->regions;
    return 0;
}

double swi_spent_ticks(const struct swi_spent *spent, const int64_t regions[SWI_STRATA])
{
    struct swi_cost_sum all = {0, 0};
    double ticks = (double)spent->rest;
    for (int i = 0; i < SWI_STRATA; i++) {
        sum_add(&all, &spent->alone[i]);
        sum_add(&all, &spent->sampled[i]);
    }
    for (int i = 0; i < SWI_STRATA; i++) {
        int64_t others = regions[i] - spent->alone[i].regions;
        ticks += (double)spent->alone[i].ticks;
        ticks += others > 0 ? (double)others * rate_of(spent, i, &all) : 0;
    }
    return ticks;
}
