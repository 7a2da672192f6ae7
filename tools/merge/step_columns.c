/* SPDX-License-Identifier: MIT */
#include "tools/merge/step_columns.h"

#include <math.h>
#include <stdlib.h>

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
