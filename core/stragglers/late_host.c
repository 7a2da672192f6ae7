/* SPDX-License-Identifier: MIT */
#include "core/stragglers/late_host.h"
#include "core/stragglers/culprit.h"
#include "core/stragglers/medians.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t rows_of_host(struct swi_lateness *f, const char *host)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranks; r++)
        count += f->row[r] = strcmp(f->data->host[r], host) == 0;
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
    const char *const *host = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int by = strcmp(host[x], host[y]);
    return by ? by : x < y ? -1 : x > y;
}

/* Returns how many entries of f->order, from this one on, are on the same host. */
static size_t same_host(const struct swi_lateness *f, size_t from)
{
    const char *const *host = f->data->host;
    size_t end = from + 1;
    while (end < f->ranks && strcmp(host[f->order[end]], host[f->order[from]]) == 0)
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
    qsort_r(f->order, f->ranks, sizeof *f->order, by_host, (void *)f->data->host);
    for (size_t from = 0, count; from < f->ranks; from += count) {
        count = same_host(f, from);
        (*hosts)++;
        for (size_t i = 0; i < count; i++)
            f->column[i] = f->usual[f->order[from + i]];
        double median = swi_median_of(f->column, count);
        if (median > most) {
            most = median;
            latest = f->data->host[f->order[from]];
        }
    }
    return latest;
}

bool swi_late_host_find(struct swi_lateness *f)
{
    size_t hosts;
    const char *host = latest_host(f, &hosts);
    if (hosts < 2 || f->ranks <= hosts || rows_of_host(f, host) < 2)
        return false;
    double within = fmax(fmax(usual_spread(f, false), usual_spread(f, true)), 1e-12);
    if (usual_median(f, true) - usual_median(f, false) < SWI_LEAST_EFFECT * f->step ||
        gap_of(f) <= within)
        return false;
    double confidence = swi_culprit_leads(f);
    if (confidence < SWI_LEAST_CONFIDENCE)
        return false;
    swi_culprit_all_steps(f);
    for (size_t r = f->ranks; r-- > 0;)
        f->found->rank = f->row[r] ? r : f->found->rank;
    f->found->host = host;
    swi_culprit_name(f, "host", confidence);
    return true;
}
