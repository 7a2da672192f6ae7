/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

int names_number(struct name_table *names, const char *text, size_t size)
{
    return (int)swi_map_add(&names->texts, text, size);
}

int names_add(struct name_table *names, const char *text)
{
    return names_number(names, text, strlen(text));
}

bool names_init(struct name_table *names)
{
    static const char *const first[] = {"train", "step", "draw", "batch"};
    *names = (struct name_table){0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (names_add(names, first[i]) < 0)
            return false;
    return true;
}

void names_free(struct name_table *names)
{
    swi_map_free(&names->texts);
}

/* ---- finding a row ---- */

/* The ranks before this one have no calls of it. */
static bool row_begin(struct merged_rows *rows, struct merged_row *row)
{
    row->with = -1;
    row->min_rank = row->max_rank = row->without = rows->first;
    row->of_node = rows->nodes ? calloc(rows->nodes, sizeof *row->of_node) : NULL;
    return row->of_node || !rows->nodes;
}

struct merged_row *merged_rows_get(struct merged_rows *rows, int phase, int action, int shape)
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
    rows->failed = rows->failed || !row;
    return row;
}

/* ---- adding to it ---- */

void merged_row_inner(struct merged_row *row, int64_t ns)
{
    row->call_min = row->calls && row->call_min < ns ? row->call_min : ns;
    row->call_max = row->calls && row->call_max > ns ? row->call_max : ns;
    row->calls++;
    row->calls_of_rank++;
    row->called += ns;
    row->squares += (merged_sum)ns * ns;
    swi_duration_bins_add(&row->bins, ns);
}

void merged_row_call(struct merged_row *row, int64_t ns)
{
    merged_row_inner(row, ns);
    row->of_rank += ns;
}

static void row_fold(struct merged_row *row, int64_t rank, size_t node)
{
    bool has = row->calls_of_rank > 0;
    if (row->min_rank < 0 || row->of_rank < row->min) {
        row->min = row->of_rank;
        row->min_rank = rank;
    }
    if (row->max_rank < 0 || row->of_rank > row->max) {
        row->max = row->of_rank;
        row->max_rank = rank;
    }
    row->sum += row->of_rank;
    row->ranks += has;
    row->with = has && row->with < 0 ? rank : row->with;
    row->without = !has && row->without < 0 ? rank : row->without;
    if (row->of_node)
        row->of_node[node] += row->of_rank;
    row->of_rank = 0;
    row->calls_of_rank = 0;
}

void merged_rows_fold(struct merged_rows *rows, int64_t rank, size_t node)
{
    for (size_t i = 0; i < rows->count; i++)
        row_fold(&rows->item[i], rank, node);
    rows->first = rows->first < 0 ? rank : rows->first;
}

/* ---- the whole ---- */

static int by_name(const void *a, const void *b, void *arg)
{
    const struct name_table *names = arg;
    const struct merged_row *first = a, *second = b;
    int by_phase = strcmp(names_text(names, first->phase), names_text(names, second->phase));
    int by_action =
        by_phase ? by_phase
                 : strcmp(names_text(names, first->action), names_text(names, second->action));
    if (by_action || first->shape < 0 || second->shape < 0)
        return by_action ? by_action : (first->shape >= 0) - (second->shape >= 0);
    return strcmp(names_text(names, first->shape), names_text(names, second->shape));
}

void merged_rows_sort(struct merged_rows *rows, const struct name_table *names)
{
    if (rows->count)
        qsort_r(rows->item, rows->count, sizeof *rows->item, by_name, (void *)names);
    swi_map_free(&rows->places);
}

void merged_rows_free(struct merged_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        swi_duration_bins_free(&rows->item[i].bins);
        free(rows->item[i].of_node);
    }
    free(rows->item);
    swi_map_free(&rows->places);
    *rows = (struct merged_rows){0};
}

double merged_call_mean(const struct merged_row *row)
{
    return row->calls ? (double)((long double)row->called / (long double)row->calls) : NAN;
}

double merged_call_std(const struct merged_row *row)
{
    if (!row->calls)
        return 0;
    long double mean = (long double)row->called / (long double)row->calls;
    long double variance = (long double)row->squares / (long double)row->calls - mean * mean;
    return variance > 0 ? (double)sqrtl(variance) : 0;
}

double merged_quantile(const struct merged_row *row, double share)
{
    return row->unbinned ? NAN : swi_duration_bins_quantile(&row->bins, share);
}
