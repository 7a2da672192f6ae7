/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged.h"

bool merged_waits(const struct merged *merged, int action)
{
    for (size_t i = 0; i < merged->waits; i++)
        if (merged->waiting[i] == action)
            return true;
    return false;
}

bool merged_has(const struct merged *merged, int64_t rank)
{
    size_t low = 0, high = merged->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (merged->log[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < merged->count && merged->log[low].rank == rank;
}

/* Returns the log of a rank. The logs are sorted by rank. */
static const struct rank_log *log_of(const struct merged *merged, int64_t rank)
{
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].rank == rank)
            return &merged->log[i];
    return &merged->log[0];
}

bool merged_partial(const struct merged *merged, const struct merged_row *row,
                    struct merged_partial *partial)
{
    int64_t others = (int64_t)merged->count - row->ranks;
    if (!row->ranks || !others)
        return false;
    partial->has = row->ranks <= others;
    partial->path = log_of(merged, partial->has ? row->with : row->without)->path;
    return true;
}

const char *merged_phase(const struct merged *merged, const struct merged_row *row)
{
    return names_text(&merged->names, row->phase);
}

const char *merged_action(const struct merged *merged, const struct merged_row *row)
{
    return names_text(&merged->names, row->action);
}

const char *merged_shape(const struct merged *merged, const struct merged_row *row)
{
    return row->shape < 0 ? "" : names_text(&merged->names, row->shape);
}

static struct merged_totals totals_of_ranks(const struct merged *merged,
                                            const struct merged_row *row)
{
    return (struct merged_totals){.min = (double)row->min,
                                  .mean =
                                      (double)((long double)row->sum / (long double)merged->count),
                                  .max = (double)row->max,
                                  .min_at = row->min_rank,
                                  .max_at = row->max_rank};
}

static struct merged_totals totals_of_nodes(const struct merged *merged,
                                            const struct merged_row *row)
{
    struct merged_totals totals = {.min_at = -1};
    size_t nodes = 0;
    for (size_t i = 0; i < merged->nodes; i++) {
        if (!merged->node[i].ranks)
            continue;
        double mean = (double)((long double)row->of_node[i] / (long double)merged->node[i].ranks);
        if (totals.min_at < 0 || mean < totals.min) {
            totals.min = mean;
            totals.min_at = (int64_t)i;
        }
        if (nodes == 0 || mean > totals.max) {
            totals.max = mean;
            totals.max_at = (int64_t)i;
        }
        totals.mean += mean;
        nodes++;
    }
    totals.mean /= (double)nodes;
    return totals;
}

struct merged_totals merged_totals(const struct merged *merged, const struct merged_row *row)
{
    struct merged_totals totals =
        merged->by_node ? totals_of_nodes(merged, row) : totals_of_ranks(merged, row);
    totals.imbalance = totals.mean > 0 ? totals.max / totals.mean - 1 : 0;
    return totals;
}

double merged_wait(const struct merged *merged, const struct merged_row *row)
{
    return (double)((long double)row->max * (long double)merged->count - (long double)row->sum);
}
