/* SPDX-License-Identifier: MIT */
/* In a collective, the rank that arrives last waits least. So a rank is late by how much less it
 * waits than the median rank. This also covers time outside of all actions. The thresholds were
 * tried on simulated runs with known slow ranks. */
#include "core/stragglers/straggler.h"

#include "core/stragglers/lateness.h"
#include "core/stragglers/order_statistics.h"
#include "core/text/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a host whose ranks are all later than those of the others ------------------------------- */

static size_t rows_of_host(struct swi_lateness *f, const char *host)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranks; r++)
        count += f->row[r] = strcmp(f->data->place[r].host, host) == 0;
    return count;
}

/* Collects the usual lateness of the ranks whose f->row equals mine in f->column. Returns how many
 * they are. */
static size_t usual_of(struct swi_lateness *f, bool mine)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranks; r++)
        if (f->row[r] == mine)
            f->column[count++] = f->usual[r];
    return count;
}

static double usual_median(struct swi_lateness *f, bool mine)
{
    return swi_median_of(f->column, usual_of(f, mine));
}

static double usual_spread(struct swi_lateness *f, bool mine)
{
    return swi_spread_of(f->column, usual_of(f, mine));
}

/* Returns the distance between the earliest of the host's ranks and the latest of all others. */
static double gap_of(const struct swi_lateness *f)
{
    double mine = INFINITY, others = -INFINITY;
    for (size_t r = 0; r < f->ranks; r++) {
        mine = f->row[r] ? fmin(mine, f->usual[r]) : mine;
        others = f->row[r] ? others : fmax(others, f->usual[r]);
    }
    return mine - others;
}

static int by_host(const void *a, const void *b, void *arg)
{
    const struct swi_rank_place *place = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int by = strcmp(place[x].host, place[y].host);
    return by ? by : x < y ? -1 : x > y;
}

/* Returns how many entries of f->order, from this one on, are on the same host. */
static size_t same_host(const struct swi_lateness *f, size_t from)
{
    const struct swi_rank_place *place = f->data->place;
    size_t end = from + 1;
    while (end < f->ranks && strcmp(place[f->order[end]].host, place[f->order[from]].host) == 0)
        end++;
    return end - from;
}

/* Returns the host that is usually the latest, and sets how many hosts there are. If several are
 * equally late, the first by name is used. Ranks are sorted by host first, because there may be
 * thousands of both. */
static const char *latest_host(struct swi_lateness *f, size_t *hosts)
{
    const char *latest = NULL;
    double most = -INFINITY;
    *hosts = 0;
    for (size_t r = 0; r < f->ranks; r++)
        f->order[r] = r;
    qsort_r(f->order, f->ranks, sizeof *f->order, by_host, (void *)f->data->place);
    for (size_t from = 0, count; from < f->ranks; from += count) {
        count = same_host(f, from);
        (*hosts)++;
        for (size_t i = 0; i < count; i++)
            f->column[i] = f->usual[f->order[from + i]];
        double median = swi_median_of(f->column, count);
        if (median > most) {
            most = median;
            latest = f->data->place[f->order[from]].host;
        }
    }
    return latest;
}

/* Looks for one. Returns true if it is found, and names it in f->found. */
static bool late_host_find(struct swi_lateness *f)
{
    size_t hosts;
    const char *host = latest_host(f, &hosts);
    if (hosts < 2 || f->ranks <= hosts || rows_of_host(f, host) < 2)
        return false;
    double within = fmax(fmax(usual_spread(f, false), usual_spread(f, true)), 1e-12);
    if (usual_median(f, true) - usual_median(f, false) < SWI_LEAST_EFFECT * f->step ||
        gap_of(f) <= within)
        return false;
    double confidence = swi_slowest_leads(f);
    if (confidence < SWI_LEAST_CONFIDENCE)
        return false;
    swi_slowest_all_steps(f);
    for (size_t r = f->ranks; r-- > 0;)
        f->found->rank = f->row[r] ? r : f->found->rank;
    f->found->host = host;
    swi_slowest_name(f, "host", confidence);
    return true;
}

/* ---- all ranks that are slow in most steps: those of some hosts, every eighth, or others ----- */

/* If several are equally slow, or others have delays, no rank leads all others. */

/* A pattern may miss one rank in ten, and have one more in ten. */
static bool nearly_all(size_t count, size_t of)
{
    return 10 * count >= 9 * of;
}

/* Marks the ranks that are usually late, and returns how many they are. */
static size_t ranks_mark(struct swi_lateness *f)
{
    double bound = swi_late_bound(f);
    size_t count = 0;
    for (size_t r = 0; r < f->ranks; r++)
        count += f->row[r] = f->usual[r] >= bound;
    return count;
}

/* ---- all ranks of some hosts ---- */

struct host_ranks {
    size_t ranks, late;
};

static void hosts_find(const struct swi_lateness *f, struct swi_slow_group *group)
{
    struct swi_map hosts = {0};
    struct host_ranks *of = NULL, *host;
    size_t late = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        const char *name = f->data->place[r].host;
        host = swi_map_item(&hosts, &of, sizeof *of, name, strlen(name));
        if (!host)
            break;
        host->ranks++;
        host->late += f->row[r];
    }
    for (size_t r = 0; hosts.count < f->ranks && r < f->ranks; r++) {
        const char *name = f->data->place[r].host;
        ptrdiff_t number = swi_map_find(&hosts, name, strlen(name));
        if (!f->row[r] || number < 0 || !nearly_all(of[number].late, of[number].ranks))
            continue;
        late++;
        /* A host counts once. */
        group->hosts += of[number].ranks > 0;
        of[number].ranks = 0;
        group->first_host = group->first_host ? group->first_host : name;
        group->last_host = name;
    }
    if (!nearly_all(late, group->ranks))
        group->hosts = 0;
    for (size_t r = 0; !group->hosts && r < f->ranks; r++)
        if (f->row[r]) {
            group->first_host = f->data->place[r].host;
            break;
        }
    free(of);
    swi_map_free(&hosts);
}

/* ---- every so many-th rank ---- */

/* Returns the distance between most ranks of the group and the next one. */
static int64_t stride_of(const struct swi_lateness *f, size_t ranks)
{
    struct swi_map strides = {0};
    size_t *times = NULL, most = 0;
    int64_t before = -1, found = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        if (!f->row[r])
            continue;
        int64_t number = f->data->place[r].rank, stride = number - before;
        size_t *same = before < 0
                           ? NULL
                           : swi_map_item(&strides, &times, sizeof *times, &stride, sizeof stride);
        if (same && ++*same > most) {
            most = *same;
            found = stride;
        }
        before = number;
    }
    free(times);
    swi_map_free(&strides);
    return ranks > 2 && 2 * most >= ranks - 1 ? found : 0;
}

/* Sets the first and the last rank, and the stride if nearly all ranks follow it, and nearly all
 * that follow it are late. */
static void stride_find(const struct swi_lateness *f, struct swi_slow_group *group)
{
    int64_t stride = stride_of(f, group->ranks), rest = -1;
    size_t late = 0, all = 0, votes = 0;
    group->first = -1;
    for (size_t r = 0; r < f->ranks; r++) {
        if (!f->row[r])
            continue;
        group->first = group->first < 0 ? f->data->place[r].rank : group->first;
        group->last = f->data->place[r].rank;
        /* The rest of most ranks, by votes for and against. */
        int64_t own = stride > 0 ? group->last % stride : 0;
        rest = votes == 0 ? own : rest;
        votes = own == rest ? votes + 1 : votes - 1;
    }
    for (size_t r = 0; stride > 0 && r < f->ranks; r++) {
        int64_t number = f->data->place[r].rank;
        if (number < group->first || number > group->last || number % stride != rest)
            continue;
        all++;
        late += f->row[r];
    }
    group->stride = nearly_all(late, group->ranks) && nearly_all(late, all) ? stride : 0;
}

/* Looks for more ranks than those that f->found names. Returns true if there are: then f->row marks
 * them, and f->found->group describes them. The verdict is left as it is. */
static bool late_group_find(struct swi_lateness *f)
{
    const struct swi_straggler *found = f->found;
    struct swi_slow_group group = {.ranks = ranks_mark(f)};
    if (group.ranks < 1 + (size_t)found->named || 2 * group.ranks > f->ranks)
        return false;
    hosts_find(f, &group);
    stride_find(f, &group);
    swi_slowest_all_steps(f);
    swi_slowest_describe(f, &group.slow);
    /* Of two that are unlike, the slower one is named, and the other one once it is cured. */
    if (found->named && group.slow.gain < 2 * found->slow.gain)
        return false;
    f->found->group = group;
    return true;
}

/* ---- finds the rank or host that keeps the others waiting ------------------------------------ */

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
            double work = swi_lateness_work(f, r, s), idle = swi_lateness_at(f, f->idle, r, s);
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
        work += swi_lateness_work(f, r, step) / (double)f->ranks;
        idle += swi_lateness_at(f, f->idle, r, step) / (double)f->ranks;
    }
    for (size_t r = 0; r < f->ranks; r++) {
        double a = swi_lateness_work(f, r, step) - work,
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
        for (size_t r = 0; r < f->ranks; r++)
            f->column[r] = swi_lateness_work(f, r, s);
        double middle = swi_median_of(f->column, f->ranks), most = 0;
        for (size_t r = 0; r < f->ranks; r++)
            most = fmax(most, fabs(swi_lateness_work(f, r, s) - middle));
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
    bool host = late_host_find(f), always = host || swi_late_rank_find(f);
    size_t high = always ? 0 : swi_late_steps_find(f);
    bool named = always || swi_sometimes_late_find(f, high);
    if (!named)
        f->found->verdict = nobody(f, high);
    if (!host && !late_group_find(f)) {
        memset(f->row, 0, f->ranks * sizeof *f->row);
        f->row[f->found->rank] = named;
    }
    swi_rank_delays_find(f);
}

static bool has_wait(const struct swi_rank_durations *data)
{
    for (size_t a = 0; a < data->actions; a++)
        if (data->action[a].waits)
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
