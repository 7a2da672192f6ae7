/* SPDX-License-Identifier: MIT */
/* In a collective, the rank that arrives last waits least. So a rank is late by how much less it
 * waits than the median rank. This also covers time outside of all actions. The thresholds were
 * tried on simulated runs with known culprits. */
#include "core/stragglers/straggler.h"
#include "core/stragglers/culprit.h"
#include "core/stragglers/late_host.h"
#include "core/stragglers/late_group.h"
#include "core/stragglers/late_in_steps.h"
#include "core/stragglers/late_rank.h"
#include "core/stragglers/medians.h"

#include <math.h>
#include <string.h>

/* Below this correlation of work and wait, work explains the waits. */
static const double MIRROR = -0.5;
static const double COMMUNICATION = 0.25; /* of a step */

/* ---- the waits ---- */

static void shares_find(struct swi_lateness *f)
{
    double lost = 0, shared = 0;
    f->whole = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double most = -INFINITY, longest = -INFINITY, least = INFINITY, sum = 0;
        for (size_t r = 0; r < f->ranks; r++) {
            double work = swi_lateness_at(f, f->work, r, s),
                   idle = swi_lateness_at(f, f->idle, r, s);
            most = fmax(most, work);
            longest = fmax(longest, work + idle);
            least = fmin(least, idle);
            sum += work;
        }
        lost += most - sum / (double)f->ranks;
        shared += least;
        f->whole += longest;
    }
    f->found->lost = lost / f->whole;
    f->found->communication = shared / f->whole;
}

/* Returns the correlation between work and wait of the ranks in a step; NAN if one of them is
 * constant. */
static double correlation(const struct swi_lateness *f, size_t step)
{
    double work = 0, idle = 0, both = 0, works = 0, idles = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        work += swi_lateness_at(f, f->work, r, step) / (double)f->ranks;
        idle += swi_lateness_at(f, f->idle, r, step) / (double)f->ranks;
    }
    for (size_t r = 0; r < f->ranks; r++) {
        double a = swi_lateness_at(f, f->work, r, step) - work,
               b = swi_lateness_at(f, f->idle, r, step) - idle;
        both += a * b;
        works += a * a;
        idles += b * b;
    }
    double norm = sqrt(works * idles);
    return norm > 0 ? both / norm : NAN;
}

static double mirror(struct swi_lateness *f)
{
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double found = correlation(f, s);
        if (!isnan(found))
            f->column[count++] = found;
    }
    return count ? swi_median_of(f->column, count) : -1;
}

/* Returns whether work differs between ranks in at least half of the steps. */
static bool work_differs(struct swi_lateness *f)
{
    size_t steps = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double middle = swi_lateness_median(f, f->work, s), most = 0;
        for (size_t r = 0; r < f->ranks; r++)
            most = fmax(most, fabs(swi_lateness_at(f, f->work, r, s) - middle));
        steps += most >= SWI_LEAST_EFFECT * f->step;
    }
    return (double)steps >= 0.5 * (double)f->steps;
}

/* ---- the whole ---- */

static const char *nobody(const struct swi_lateness *f, size_t high)
{
    const struct swi_straggler *found = f->found;
    if ((double)high >= 0.5 * (double)f->steps)
        return "rotating";
    if (found->communication >= COMMUNICATION && found->communication >= found->lost)
        return "communication";
    return found->lost >= SWI_LEAST_EFFECT ? "spread" : "balanced";
}

static void find(struct swi_lateness *f)
{
    shares_find(f);
    f->found->mirror = mirror(f);
    f->found->has_shares = true;
    if (f->found->mirror > MIRROR && work_differs(f)) {
        f->found->why = "waits";
        return;
    }
    bool host = swi_late_host_find(f), always = host || swi_late_rank_find(f);
    size_t high = always ? 0 : swi_late_steps_find(f);
    bool named = always || swi_sometimes_late_find(f, high);
    if (!named)
        f->found->verdict = nobody(f, high);
    if (!host && !swi_late_group_find(f)) {
        memset(f->row, 0, f->ranks * sizeof *f->row);
        f->row[f->found->rank] = named;
    }
    swi_rank_delays_find(f);
}

static bool has_wait(const struct swi_rank_durations *data)
{
    for (size_t a = 0; a < data->actions; a++)
        if (data->wait[a])
            return true;
    return false;
}

bool swi_straggler_find(struct swi_straggler *found, const struct swi_rank_durations *data)
{
    *found = (struct swi_straggler){.verdict = "abstain"};
    if (!has_wait(data))
        found->why = "no wait";
    else if (data->ranks < 2 || data->steps < 3)
        found->why = "too little";
    if (found->why)
        return true;
    struct swi_lateness f;
    bool fine = swi_lateness_init(&f, found, data);
    if (fine)
        find(&f);
    swi_lateness_fini(&f);
    return fine;
}
