/* SPDX-License-Identifier: MIT */
#include "mpi/joined.h"

#include <stepwatch/sink.h>

#include <stdlib.h>
#include <string.h>

/* The most values that are gathered on rank 0. If there are more, means of several steps are sent.
 */
enum { GATHERED_MAX = (64 << 20) / sizeof(float) };

/* The actions of a training step, in order; the last is the rest of the batch. */
struct actions {
    size_t count;
    struct swi_rank_action *item;
};

static bool waits(const struct swi_joined *joined, const char *action)
{
    const struct sw_run *run = sw_get_run(joined->sw);
    for (size_t i = 0; run->wait && run->wait[i]; i++)
        if (strcmp(run->wait[i], action) == 0)
            return true;
    return false;
}

static int actions_take(struct swi_wait *wait, struct actions *actions, const char *names,
                        size_t size)
{
    const char *batch = NULL;
    actions->item = swi_wait_lend(wait, (size + 1) * sizeof *actions->item);
    if (!actions->item)
        return SW_ENOMEM;
    for (const char *name = names; name < names + size; name += strlen(name) + 1) {
        if (name[0] - '0' != SW_PHASE_TRAIN || strcmp(name + 1, "step") == 0)
            continue;
        if (strcmp(name + 1, "batch") == 0)
            batch = name + 1;
        else
            actions->item[actions->count++].name = name + 1;
    }
    if (batch)
        actions->item[actions->count++].name = batch;
    for (size_t a = 0; a < actions->count; a++)
        actions->item[a].waits = waits(wait->joined, actions->item[a].name);
    return 0;
}

/* ---- the steps of this rank in the blocks that all have -------------------------------------- */

static const double *values_of(const struct sw_steps *own, const char *action)
{
    for (size_t a = 0; own && a < own->actions; a++)
        if (strcmp(own->action[a], action) == 0)
            return own->value[a];
    return NULL;
}

static float block_mean(const double *value, size_t first, size_t count)
{
    double sum = 0;
    for (size_t i = first; i < first + count; i++)
        sum += value[i];
    return (float)(sum / (double)count);
}

/* Writes all blocks of one action after the other. */
static void blocks_fill(float *to, const struct sw_steps *own, const struct actions *actions,
                        int64_t block, size_t columns)
{
    size_t each = own ? (size_t)(block / own->block) : 1;
    for (size_t a = 0; a < actions->count; a++) {
        const double *value = values_of(own, actions->item[a].name);
        for (size_t c = 0; value && c < columns; c++)
            to[a * columns + c] = block_mean(value, c * each, each);
    }
}

/* Chooses the size of blocks, which is the same on all ranks. */
static int64_t block_choose(const struct swi_agreement *agreement, size_t cells)
{
    int64_t block = agreement->block > 0 ? agreement->block : 1;
    while ((double)agreement->steps / (double)block * (double)cells > GATHERED_MAX)
        block *= 2;
    return block;
}

/* ---- the search, on rank 0 ------------------------------------------------------------------- */

static bool values_fill(struct actions *actions, size_t ranks, const float *all, size_t columns)
{
    for (size_t a = 0; a < actions->count; a++) {
        float *value = actions->item[a].value = calloc(ranks * columns + 1, sizeof *value);
        if (!value)
            return false;
        for (size_t r = 0; r < ranks; r++)
            for (size_t c = 0; c < columns; c++)
                value[r * columns + c] = all[(r * actions->count + a) * columns + c];
    }
    return true;
}

static int find(struct swi_wait *wait, struct actions *actions, const float *all, size_t columns,
                struct swi_straggler *found)
{
    const struct swi_rank_durations data = {.ranks = (size_t)wait->joined->size,
                                            .steps = columns,
                                            .actions = actions->count,
                                            .action = actions->item,
                                            .place = wait->joined->place};
    bool fine = values_fill(actions, data.ranks, all, columns) && swi_straggler_find(found, &data);
    for (size_t a = 0; a < actions->count; a++)
        free(actions->item[a].value);
    return fine
               ? 0
               : sw_error_set(wait->err, SW_ENOMEM, "not enough memory for the steps of all ranks");
}

int swi_rank_steps_join(struct swi_wait *wait, const struct sw_steps *own,
                        const struct swi_agreement *agreement, const char *names, size_t size,
                        struct swi_joined_steps *joined)
{
    struct actions actions = {0};
    const struct swi_joined *of = wait->joined;
    int rc = actions_take(wait, &actions, names, size);
    if (rc < 0)
        return rc;
    int64_t block = block_choose(agreement, actions.count * (size_t)of->size);
    size_t columns = (size_t)(agreement->steps / block), count = actions.count * columns;
    float *sent = swi_wait_lend(wait, count * sizeof *sent);
    float *all = of->rank == 0 ? swi_wait_lend(wait, count * (size_t)of->size * sizeof *all) : sent;
    if (!sent || !all)
        return SW_ENOMEM;
    blocks_fill(sent, own, &actions, block, columns);
    rc = swi_wait_for(wait, MPI_Igather(sent, (int)count, MPI_FLOAT, of->rank == 0 ? all : NULL,
                                        (int)count, MPI_FLOAT, 0, of->comm, &wait->request));
    if (rc < 0 || of->rank != 0)
        return rc;
    *joined = (struct swi_joined_steps){.steps = agreement->steps, .block = block};
    return find(wait, &actions, all, columns, &joined->found);
}
