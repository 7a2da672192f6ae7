/* SPDX-License-Identifier: MIT */
#include "mpi/rank_steps.h"

#include <stepwatch/sink.h>

#include <stdlib.h>
#include <string.h>

/* The most values that are gathered on rank 0. If there are more, means of several steps are sent.
 */
enum { GATHERED_MAX = (64 << 20) / sizeof(float) };

/* The actions of a training step, in order; the last is the rest of the batch. */
struct actions {
    size_t count;
    const char **name;
};

static bool is_kept(const char *name)
{
    return name[0] - '0' == SW_PHASE_TRAIN && strcmp(name + 1, "step") != 0;
}

static int actions_take(struct swi_limited_wait *wait, struct actions *actions, const char *names,
                        size_t size)
{
    const char *batch = NULL;
    actions->name = swi_limited_wait_lend(wait, (size + 1) * sizeof *actions->name);
    if (!actions->name)
        return SW_ENOMEM;
    for (const char *name = names; name < names + size; name += strlen(name) + 1) {
        if (!is_kept(name))
            continue;
        if (strcmp(name + 1, "batch") == 0)
            batch = name + 1;
        else
            actions->name[actions->count++] = name + 1;
    }
    if (batch)
        actions->name[actions->count++] = batch;
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
        const double *value = values_of(own, actions->name[a]);
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

static bool waits(const struct swi_joined *joined, const char *action)
{
    const struct sw_run *run = sw_get_run(joined->sw);
    for (size_t i = 0; run->wait && run->wait[i]; i++)
        if (strcmp(run->wait[i], action) == 0)
            return true;
    return false;
}

/* The input of the search. Its arrays exist only on rank 0. */
struct rank_search {
    double **value;
    bool *wait;
    const char **host;
};

static void search_free(struct rank_search *search, size_t actions)
{
    for (size_t a = 0; search->value && a < actions; a++)
        free(search->value[a]);
    free(search->value);
    free(search->wait);
    free(search->host);
}

static bool search_fill(struct rank_search *search, const struct swi_joined *joined,
                        const struct actions *actions, const float *all, size_t columns)
{
    size_t ranks = (size_t)joined->size, own = actions->count * columns;
    for (size_t a = 0; a < actions->count; a++) {
        search->wait[a] = waits(joined, actions->name[a]);
        search->value[a] = calloc(ranks * columns + 1, sizeof **search->value);
        if (!search->value[a])
            return false;
        for (size_t r = 0; r < ranks; r++)
            for (size_t c = 0; c < columns; c++)
                search->value[a][r * columns + c] = all[r * own + a * columns + c];
    }
    for (size_t r = 0; r < ranks; r++)
        search->host[r] = joined->host[r];
    return true;
}

static int find(struct swi_limited_wait *wait, const struct actions *actions, const float *all,
                size_t columns, struct swi_straggler *found)
{
    const struct swi_joined *joined = wait->joined;
    struct rank_search search = {.value = calloc(actions->count + 1, sizeof *search.value),
                                 .wait = calloc(actions->count + 1, sizeof *search.wait),
                                 .host = calloc((size_t)joined->size, sizeof *search.host)};
    const struct swi_rank_durations data = {.ranks = (size_t)joined->size,
                                            .steps = columns,
                                            .actions = actions->count,
                                            .action = actions->name,
                                            .wait = search.wait,
                                            .value = search.value,
                                            .host = search.host};
    bool fine = search.value && search.wait && search.host &&
                search_fill(&search, joined, actions, all, columns) &&
                swi_straggler_find(found, &data);
    search_free(&search, actions->count);
    return fine
               ? 0
               : sw_error_set(wait->err, SW_ENOMEM, "not enough memory for the steps of all ranks");
}

/* ---- the whole ------------------------------------------------------------------------------- */

int swi_rank_steps_join(struct swi_limited_wait *wait, const struct sw_steps *own,
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
    float *sent = swi_limited_wait_lend(wait, count * sizeof *sent);
    float *all =
        of->rank == 0 ? swi_limited_wait_lend(wait, count * (size_t)of->size * sizeof *all) : sent;
    if (!sent || !all)
        return SW_ENOMEM;
    blocks_fill(sent, own, &actions, block, columns);
    MPI_Request request;
    rc = swi_limited_wait_wait(wait,
                               MPI_Igather(sent, (int)count, MPI_FLOAT, of->rank == 0 ? all : NULL,
                                           (int)count, MPI_FLOAT, 0, of->comm, &request),
                               &request);
    if (rc < 0 || of->rank != 0)
        return rc;
    *joined = (struct swi_joined_steps){.steps = agreement->steps, .block = block};
    return find(wait, &actions, all, columns, &joined->found);
}
