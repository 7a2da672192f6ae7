/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns of the steps -------------------------------------------------------------------- */

/* For the balance, more columns are added up in groups: 48 MiB. */
enum { GROUPS_MAX = 1 << 20 };

/* The search has four values of its own for each rank and step. */
size_t columns_cost(size_t ranks, size_t actions)
{
    return ranks * (actions + 4) * sizeof(double);
}

static size_t parts_of(size_t count, size_t each)
{
    return (count + each - 1) / each;
}

bool columns_make(struct columns *columns, size_t count, double weight, size_t ranks,
                  size_t actions)
{
    size_t most = COLUMNS_MEMORY / columns_cost(ranks, actions);
    *columns = (struct columns){.count = count, .weight = weight, .ranks = ranks};
    columns->block = count > most ? parts_of(count, most ? most : 1) : 1;
    columns->blocks = parts_of(count, columns->block);
    columns->group = count > GROUPS_MAX ? parts_of(count, GROUPS_MAX) : 1;
    columns->groups = parts_of(count, columns->group);
    double **room[] = {&columns->work,     &columns->wait,    &columns->most_work,
                       &columns->sum_work, &columns->longest, &columns->least_wait};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        *room[i] = calloc(columns->groups + 1, sizeof(double));
        columns->failed = columns->failed || !*room[i];
    }
    return !columns->failed;
}

static struct column_action *action_new(struct columns *columns, int name)
{
    struct column_action *grown = realloc(columns->action, (columns->actions + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    columns->action = grown;
    grown += columns->actions;
    *grown = (struct column_action){.name = name};
    grown->value = calloc(columns->ranks * columns->blocks + 1, sizeof(double));
    columns->actions += grown->value != NULL;
    return grown->value ? grown : NULL;
}

static struct column_action *action_of(struct columns *columns, int name)
{
    for (size_t i = 0; i < columns->actions; i++)
        if (columns->action[i].name == name)
            return &columns->action[i];
    struct column_action *action = action_new(columns, name);
    columns->failed = columns->failed || !action;
    return action;
}

void columns_put(struct columns *columns, int action, size_t column, double ns, bool waits)
{
    struct column_action *values = action_of(columns, action);
    double *sums = waits ? columns->wait : columns->work;
    if (!values)
        return;
    if (columns->block == 1) {
        values->value[columns->read * columns->blocks + column] += ns;
    } else {
        size_t block = column / columns->block, left = columns->count - block * columns->block;
        size_t of_block = left < columns->block ? left : columns->block;
        values->value[columns->read * columns->blocks + block] += ns / (double)of_block;
    }
    sums[columns->group == 1 ? column : column / columns->group] += ns * columns->weight;
}

void columns_fold(struct columns *columns)
{
    double total = 0;
    bool is_first = columns->read++ == 0;
    for (size_t s = 0; s < columns->groups; s++) {
        double work = columns->work[s], wait = columns->wait[s];
        columns->most_work[s] = is_first ? work : fmax(columns->most_work[s], work);
        columns->longest[s] = is_first ? work + wait : fmax(columns->longest[s], work + wait);
        columns->least_wait[s] = is_first ? wait : fmin(columns->least_wait[s], wait);
        columns->sum_work[s] += work;
        columns->work[s] = columns->wait[s] = 0;
        total += work;
    }
    columns->work_sum += total;
    columns->work_max = is_first ? total : fmax(columns->work_max, total);
}

void columns_free(struct columns *columns)
{
    for (size_t i = 0; i < columns->actions; i++)
        free(columns->action[i].value);
    free(columns->action);
    free(columns->work);
    free(columns->wait);
    free(columns->most_work);
    free(columns->sum_work);
    free(columns->longest);
    free(columns->least_wait);
    *columns = (struct columns){0};
}

struct balance columns_balance(const struct columns *columns)
{
    struct balance balance = {.load_balance = 1, .parallel_efficiency = 1};
    double lost = 0, longest = 0, least = 0, ranks = (double)columns->read;
    for (size_t s = 0; s < columns->groups; s++) {
        lost += columns->most_work[s] - columns->sum_work[s] / ranks;
        balance.wait_ns += columns->most_work[s] * ranks - columns->sum_work[s];
        longest += columns->longest[s];
        least += columns->least_wait[s];
    }
    double mean = columns->work_sum / ranks;
    if (columns->work_max > 0)
        balance.load_balance = mean / columns->work_max;
    if (longest > 0) {
        balance.parallel_efficiency = mean / longest;
        balance.lost = lost / longest;
        balance.lost_totals = (columns->work_max - mean) / longest;
        balance.communication = least / longest;
    }
    return balance;
}

/* ---- counters of the ranks ------------------------------------------------------------------- */

static size_t index_of(const struct rank_uses *uses, int name)
{
    size_t i = 0;
    while (i < uses->count && uses->counter[i].name != name)
        i++;
    return i;
}

const struct merged_counter *rank_uses_find(const struct rank_uses *uses, int name)
{
    size_t i = index_of(uses, name);
    return i < uses->count ? &uses->counter[i] : NULL;
}

const struct merged_counter *rank_uses_get(struct rank_uses *uses, int name)
{
    size_t i = index_of(uses, name);
    if (i < uses->count)
        return &uses->counter[i];
    struct merged_counter *grown =
        realloc(uses->counter, (uses->count + 1) * sizeof *uses->counter);
    if (!grown)
        return NULL;
    uses->counter = grown;
    grown[uses->count] = (struct merged_counter){.name = name};
    return &grown[uses->count++];
}

static bool order_room(struct rank_uses *uses)
{
    size_t *grown = realloc(uses->order, (uses->named + 1) * sizeof *grown);
    if (!grown)
        return false;
    uses->order = grown;
    return true;
}

bool rank_uses_name(struct rank_uses *uses, struct name_table *names,
                    const struct log_value *counter)
{
    int name = names_add(names, log_string(counter, "name", ""));
    if (name < 0 || !rank_uses_get(uses, name) || !order_room(uses))
        return false;
    size_t i = index_of(uses, name);
    snprintf(uses->counter[i].unit, sizeof uses->counter[i].unit, "%s",
             log_string(counter, "unit", ""));
    uses->counter[i].peak = strcmp(log_string(counter, "kind", ""), "peak") == 0;
    uses->order[uses->named++] = i;
    return true;
}

bool rank_uses_begin(struct rank_uses *uses, struct name_table *names,
                     const struct log_value *named)
{
    uses->named = 0;
    for (const struct log_value *c = log_first(named); c; c = log_after(named, c))
        if (!rank_uses_name(uses, names, c))
            return false;
    return true;
}

const struct merged_counter *rank_uses_at(const struct rank_uses *uses, size_t index)
{
    return index < uses->named ? &uses->counter[uses->order[index]] : NULL;
}

void rank_uses_add(struct rank_uses *uses, int phase, int action,
                   const struct merged_counter *counter, int64_t total)
{
    struct merged_row *row = merged_rows_get(&uses->rows, phase, action, counter->name);
    if (!row)
        return;
    if (!counter->peak)
        row->of_rank = (int64_t)((uint64_t)row->of_rank + (uint64_t)total);
    else if (!row->calls_of_rank || total > row->of_rank)
        row->of_rank = total;
    row->calls_of_rank++;
    row->calls++;
}

void rank_uses_free(struct rank_uses *uses)
{
    merged_rows_free(&uses->rows);
    free(uses->counter);
    free(uses->order);
    *uses = (struct rank_uses){.rows = {.first = -1}};
}

/* ---- the merged run -------------------------------------------------------------------------- */

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
