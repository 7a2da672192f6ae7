/* SPDX-License-Identifier: MIT */
#include "core/stragglers/late_group.h"
#include "core/stragglers/culprit.h"
#include "core/stragglers/late_rank.h"
#include "core/text/map.h"

#include <stdlib.h>
#include <string.h>

/* A pattern may miss one rank in ten, and have one more in ten. */
static bool nearly_all(size_t count, size_t of)
{
    return 10 * count >= 9 * of;
}

static int64_t number_of(const struct swi_lateness *f, size_t rank)
{
    return f->data->rank ? f->data->rank[rank] : (int64_t)rank;
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
        const char *name = f->data->host[r];
        host = swi_map_item(&hosts, &of, sizeof *of, name, strlen(name));
        if (!host)
            break;
        host->ranks++;
        host->late += f->row[r];
    }
    for (size_t r = 0; hosts.count < f->ranks && r < f->ranks; r++) {
        const char *name = f->data->host[r];
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
            group->first_host = f->data->host[r];
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
        int64_t number = number_of(f, r), stride = number - before;
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
        group->first = group->first < 0 ? number_of(f, r) : group->first;
        group->last = number_of(f, r);
        /* The rest of most ranks, by votes for and against. */
        int64_t own = stride > 0 ? group->last % stride : 0;
        rest = votes == 0 ? own : rest;
        votes = own == rest ? votes + 1 : votes - 1;
    }
    for (size_t r = 0; stride > 0 && r < f->ranks; r++) {
        int64_t number = number_of(f, r);
        if (number < group->first || number > group->last || number % stride != rest)
            continue;
        all++;
        late += f->row[r];
    }
    group->stride = nearly_all(late, group->ranks) && nearly_all(late, all) ? stride : 0;
}

bool swi_late_group_find(struct swi_lateness *f)
{
    const struct swi_straggler *found = f->found;
    struct swi_slow_group group = {.ranks = ranks_mark(f)};
    if (group.ranks < 1 + (size_t)found->named || 2 * group.ranks > f->ranks)
        return false;
    hosts_find(f, &group);
    stride_find(f, &group);
    swi_culprit_all_steps(f);
    swi_culprit_describe(f, &group.slow);
    /* Of two that are unlike, the slower one is named, and the other one once it is cured. */
    if (found->named && group.slow.gain < 2 * found->slow.gain)
        return false;
    f->found->group = group;
    return true;
}
