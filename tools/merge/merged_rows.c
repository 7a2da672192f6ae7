/* SPDX-License-Identifier: MIT */
/* The time of all ranks and of all nodes in each action of each phase, and their counters. */
#include "core/text/vec.h"
#include "tools/merge/merged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

int merged_number(struct merged *merged, const char *text, size_t size)
{
    int number = (int)swi_map_add(&merged->names, text, size);
    merged->failed = merged->failed || number < 0;
    return number;
}

int merged_name(struct merged *merged, const char *text)
{
    return merged_number(merged, text, strlen(text));
}

bool merged_waits(const struct merged *merged, int action)
{
    for (size_t i = 0; i < merged->waits; i++)
        if (merged->waiting[i] == action)
            return true;
    return false;
}

/* ---- finding a row ---- */

/* The ranks before this one have no calls of it. */
static bool row_begin(struct merged_rows *rows, struct merged_row *row)
{
    row->with = -1;
    row->all.min_rank = row->all.max_rank = row->without = rows->first;
    row->of_node = rows->nodes ? calloc(rows->nodes, sizeof *row->of_node) : NULL;
    return row->of_node || !rows->nodes;
}

static struct merged_row *rows_get(struct merged *merged, struct merged_rows *rows, int phase,
                                   int action, int shape)
{
    const int names[3] = {phase, action, shape};
    struct merged_row *row =
        swi_map_item(&rows->places, &rows->item, sizeof *row, names, sizeof names);
    if (row && rows->places.count > rows->count) {
        *row = (struct merged_row){.phase = phase, .action = action, .shape = shape};
        if (!row_begin(rows, row)) {
            swi_map_undo(&rows->places);
            row = NULL;
        }
    }
    rows->count = rows->places.count;
    merged->failed = merged->failed || !row;
    return row;
}

struct merged_row *merged_row(struct merged *merged, int phase, int action, int shape)
{
    return rows_get(merged, &merged->rows, phase, action, shape);
}

/* ---- adding to it ---- */

static void equal_add(struct merged_row *row, int64_t ns, int64_t calls)
{
    if (!calls)
        return;
    bool is_first = !row->all.calls && !row->own.calls;
    row->call_min = is_first || ns < row->call_min ? ns : row->call_min;
    row->call_max = is_first || ns > row->call_max ? ns : row->call_max;
    row->own.calls += calls;
    row->own.called += (swi_rank_ns)ns * calls;
    row->own.squares += (swi_rank_ns)ns * ns * calls;
    swi_duration_bins_add(&row->bins, ns, calls);
}

void merged_row_calls(struct merged_row *row, int64_t ns, int64_t calls, bool inner)
{
    int64_t each = calls == 1 ? ns : ns / calls, longer = ns - each * calls;
    equal_add(row, each, calls - longer);
    equal_add(row, each + 1, longer);
    row->own.total += inner ? 0 : ns;
}

static void row_fold(struct merged_row *row, const struct rank_log *log)
{
    swi_rank_sum_own(&row->own, log->rank);
    if (row->own.ranks && row->with < 0)
        row->with = log->rank;
    if (!row->own.ranks && row->without < 0)
        row->without = log->rank;
    if (row->of_node)
        row->of_node[log->node] += row->own.total;
    if (row->all.min_rank < 0)
        row->all = row->own;
    else
        swi_rank_sum_add(&row->all, &row->own);
    row->own = (struct swi_rank_sum){0};
}

static void rows_fold(struct merged_rows *rows, const struct rank_log *log)
{
    for (size_t i = 0; i < rows->count; i++)
        row_fold(&rows->item[i], log);
    rows->first = rows->first < 0 ? log->rank : rows->first;
}

void merged_rows_fold(struct merged *merged, const struct rank_log *log)
{
    rows_fold(&merged->rows, log);
    rows_fold(&merged->uses.rows, log);
}

/* ---- counters ---- */

struct merged_counter *merged_counter(struct merged *merged, int name)
{
    struct rank_uses *uses = &merged->uses;
    for (size_t i = 0; i < uses->count; i++)
        if (uses->counter[i].name == name)
            return &uses->counter[i];
    merged->failed =
        merged->failed || !swi_vec_room(&uses->counter, uses->count, sizeof *uses->counter);
    if (merged->failed)
        return NULL;
    uses->counter[uses->count] = (struct merged_counter){.name = name};
    return &uses->counter[uses->count++];
}

void merged_uses_name(struct merged *merged, const struct log_value *counter)
{
    struct rank_uses *uses = &merged->uses;
    struct merged_counter *known =
        merged_counter(merged, merged_name(merged, log_string(counter, "name", "")));
    merged->failed =
        merged->failed || !swi_vec_room(&uses->order, uses->named, sizeof *uses->order);
    if (merged->failed || !known)
        return;
    snprintf(known->unit, sizeof known->unit, "%s", log_string(counter, "unit", ""));
    known->peak = strcmp(log_string(counter, "kind", ""), "peak") == 0;
    uses->order[uses->named++] = (size_t)(known - uses->counter);
}

void merged_uses_begin(struct merged *merged, const struct rank_log *log)
{
    merged->uses.named = 0;
    const struct log_value *counters = log_get(log->head, "counters");
    for (const struct log_value *c = log_first(counters); c; c = log_after(counters, c))
        merged_uses_name(merged, c);
}

void merged_uses_add(struct merged *merged, int phase, int action,
                     const struct merged_counter *counter, int64_t total, int64_t calls)
{
    struct merged_row *row = rows_get(merged, &merged->uses.rows, phase, action, counter->name);
    if (!row)
        return;
    struct swi_rank_sum *own = &row->own;
    if (!counter->peak)
        own->total = (int64_t)((uint64_t)own->total + (uint64_t)total);
    else if (!own->calls || total > own->total)
        own->total = total;
    own->calls += calls;
}

/* ---- the whole ---- */

static void rows_free(struct merged_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        swi_duration_bins_free(&rows->item[i].bins);
        free(rows->item[i].of_node);
    }
    free(rows->item);
    swi_map_free(&rows->places);
    *rows = (struct merged_rows){.first = -1};
}

void merged_rows_free(struct merged *merged)
{
    rows_free(&merged->rows);
    rows_free(&merged->uses.rows);
    free(merged->uses.counter);
    free(merged->uses.order);
}

void merged_rows_begin(struct merged *merged)
{
    rows_free(&merged->rows);
    rows_free(&merged->uses.rows);
    merged->rows.nodes = merged->uses.rows.nodes = merged->by_node ? merged->nodes : 0;
}

/* By node, the values of a row are means of the node's ranks. */
static void nodes_compare(const struct merged *merged, struct merged_row *row)
{
    struct sw_ranks_row *is = &row->is;
    double sum = 0;
    int64_t nodes = 0;
    for (size_t i = 0; i < merged->nodes; i++) {
        const struct merged_node *node = &merged->node[i];
        if (!node->ranks)
            continue;
        double mean = (double)((long double)row->of_node[i] / (long double)node->ranks);
        if (!nodes || mean < is->min_ns) {
            is->min_ns = mean;
            is->min_rank = (int64_t)i;
        }
        if (!nodes || mean > is->max_ns) {
            is->max_ns = mean;
            is->max_rank = (int64_t)i;
        }
        sum += mean;
        nodes++;
    }
    is->mean_ns = sum / (double)nodes;
    is->imbalance = is->mean_ns > 0 ? is->max_ns / is->mean_ns - 1 : 0;
}

static void row_end(struct merged *merged, struct merged_row *row)
{
    const struct swi_map_name *names = merged->names.name;
    row->is = swi_rank_sum_row(&row->all, (int64_t)merged->count);
    row->is.phase = names[row->phase].text;
    row->is.action = names[row->action].text;
    row->third = row->shape < 0 ? "" : names[row->shape].text;
    row->wait_ns = (double)((long double)row->all.most * (long double)merged->count -
                            (long double)row->all.total);
    if (merged->by_node)
        nodes_compare(merged, row);
    if (!row->unbinned)
        swi_ranks_row_bins(&row->is, &row->bins);
}

static int by_name(const void *a, const void *b)
{
    const struct merged_row *first = a, *second = b;
    int by = strcmp(first->is.phase, second->is.phase);
    by = by ? by : strcmp(first->is.action, second->is.action);
    if (by || first->shape < 0 || second->shape < 0)
        return by ? by : (first->shape >= 0) - (second->shape >= 0);
    return strcmp(first->third, second->third);
}

static void rows_end(struct merged *merged, struct merged_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        row_end(merged, &rows->item[i]);
    if (rows->count)
        qsort(rows->item, rows->count, sizeof *rows->item, by_name);
    swi_map_free(&rows->places);
}

void merged_rows_end(struct merged *merged)
{
    struct merged_rows *uses = &merged->uses.rows;
    rows_end(merged, &merged->rows);
    rows_end(merged, uses);
    for (size_t i = 0; i < uses->count; i++) {
        struct merged_row *row = &uses->item[i];
        row->counter = merged_counter(merged, row->shape);
        row->unit = row->counter->unit;
    }
    merged->ranks.count = merged->rows.count;
    merged->ranks.row_size = sizeof *merged->rows.item;
    merged->ranks.row = merged->rows.count ? &merged->rows.item->is : NULL;
}
