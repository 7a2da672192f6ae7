/* SPDX-License-Identifier: MIT */
/* The time of each rank in each training step: the balance, and who keeps the others waiting. */
#include "core/text/vec.h"
#include "tools/merge/merged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For the balance, more columns are added up in groups: 48 MiB. */
enum { GROUPS_MAX = 1 << 20 };

/* The search has values of its own for each rank and step, and names and rows need memory, too. */
size_t columns_cost(size_t ranks, size_t actions)
{
    return ranks * (actions + 4) * sizeof(float);
}

static size_t parts_of(size_t count, size_t each)
{
    return (count + each - 1) / each;
}

bool columns_make(struct merged *merged, size_t count, double weight, size_t actions)
{
    struct columns *columns = &merged->columns;
    size_t most = COLUMNS_MEMORY / columns_cost(merged->count, actions);
    columns_free(columns);
    *columns = (struct columns){.count = count, .weight = weight, .ranks = merged->count};
    columns->block = count > most ? parts_of(count, most ? most : 1) : 1;
    columns->blocks = parts_of(count, columns->block);
    columns->each = count > GROUPS_MAX ? parts_of(count, GROUPS_MAX) : 1;
    columns->groups = parts_of(count, columns->each);
    columns->group = calloc(columns->groups + 1, sizeof *columns->group);
    return columns->group;
}

/* Makes room for the current rank's values of one more action. */
static bool own_room(struct columns *columns)
{
    size_t used = columns->actions * columns->blocks, more = columns->blocks;
    double *own = realloc(columns->own, (used + more + 1) * sizeof *own);
    if (!own)
        return false;
    memset(own + used, 0, more * sizeof *own);
    columns->own = own;
    return true;
}

static struct swi_rank_action *action_of(struct merged *merged, int name)
{
    struct columns *columns = &merged->columns;
    for (size_t i = 0; i < columns->actions; i++)
        if (columns->action[i].number == name)
            return &columns->action[i];
    bool fits = swi_vec_room(&columns->action, columns->actions, sizeof *columns->action) &&
                own_room(columns);
    float *value = fits ? calloc(columns->ranks * columns->blocks + 1, sizeof *value) : NULL;
    merged->failed = merged->failed || !value;
    if (!value)
        return NULL;
    struct swi_rank_action *action = &columns->action[columns->actions++];
    *action = (struct swi_rank_action){.name = merged->names.name[name].text,
                                       .number = name,
                                       .waits = merged_waits(merged, name),
                                       .value = value};
    return action;
}

static void block_put(const struct columns *columns, double *value, size_t column, double ns)
{
    if (columns->block == 1) {
        value[column] += ns;
        return;
    }
    size_t block = column / columns->block, left = columns->count - block * columns->block;
    value[block] += ns / (double)(left < columns->block ? left : columns->block);
}

/* Columns of the same block and the same group. */
static size_t alike(const struct columns *columns, size_t column, size_t count)
{
    size_t block = columns->block - column % columns->block;
    size_t group = columns->each - column % columns->each;
    size_t some = block < group ? block : group;
    return some < count ? some : count;
}

void columns_put(struct merged *merged, int name, size_t column, size_t count, double ns)
{
    struct columns *columns = &merged->columns;
    struct swi_rank_action *action = action_of(merged, name);
    if (!action)
        return;
    double *value = columns->own + (size_t)(action - columns->action) * columns->blocks;
    for (size_t some; count; column += some, count -= some) {
        some = count == 1 ? 1 : alike(columns, column, count);
        block_put(columns, value, column, ns * (double)some);
        struct column_group *group =
            &columns->group[columns->each == 1 ? column : column / columns->each];
        *(action->waits ? &group->wait : &group->work) += ns * (double)some * columns->weight;
    }
}

/* Untouched memory of an action that a rank lacks stays so. */
static void own_keep(struct columns *columns)
{
    for (size_t a = 0; a < columns->actions; a++) {
        float *value = columns->action[a].value + columns->read * columns->blocks;
        double *own = columns->own + a * columns->blocks;
        for (size_t b = 0; b < columns->blocks; b++) {
            if (own[b] != 0)
                value[b] = (float)own[b];
            own[b] = 0;
        }
    }
}

void columns_fold(struct columns *columns)
{
    own_keep(columns);
    double total = 0;
    bool is_first = columns->read++ == 0;
    for (size_t s = 0; s < columns->groups; s++) {
        struct column_group *group = &columns->group[s];
        double work = group->work, both = work + group->wait;
        group->most_work = is_first ? work : fmax(group->most_work, work);
        group->longest = is_first ? both : fmax(group->longest, both);
        group->least_wait = is_first ? group->wait : fmin(group->least_wait, group->wait);
        group->sum_work += work;
        group->work = group->wait = 0;
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
    free(columns->own);
    free(columns->group);
    *columns = (struct columns){0};
}

struct balance columns_balance(const struct columns *columns)
{
    struct balance balance = {.load_balance = 1, .parallel_efficiency = 1};
    double lost = 0, longest = 0, least = 0, ranks = (double)columns->read;
    for (size_t s = 0; s < columns->groups; s++) {
        const struct column_group *group = &columns->group[s];
        lost += group->most_work - group->sum_work / ranks;
        balance.wait_ns += group->most_work * ranks - group->sum_work;
        longest += group->longest;
        least += group->least_wait;
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

/* ---- who keeps the others waiting ---- */

/* Sorts the named actions by name, and the rest of the batch after them. */
static int by_name(const void *a, const void *b)
{
    const struct swi_rank_action *x = a, *y = b;
    bool first = x->number == NAME_BATCH, second = y->number == NAME_BATCH;
    return first != second ? first - second : strcmp(x->name, y->name);
}

bool columns_search(struct merged *merged)
{
    const struct columns *columns = &merged->columns;
    struct swi_rank_place *place = calloc(merged->count + 1, sizeof *place);
    if (!place)
        return false;
    for (size_t i = 0; i < merged->count; i++)
        place[i] = (struct swi_rank_place){merged->log[i].rank, merged->log[i].host};
    if (columns->actions)
        qsort(columns->action, columns->actions, sizeof *columns->action, by_name);
    const struct swi_rank_durations data = {.ranks = columns->read,
                                            .steps = columns->blocks,
                                            .actions = columns->actions,
                                            .action = columns->action,
                                            .place = place};
    bool fine = swi_straggler_find(&merged->straggler, &data);
    /* Actions are known only with steps. */
    if (fine && !columns->actions && merged->waits)
        merged->straggler.why = "too little";
    if (fine)
        swi_ranks_set_verdict(&merged->ranks, &merged->sentence, &merged->straggler, place);
    free(place);
    return fine && !merged->sentence.failed;
}
