/* SPDX-License-Identifier: MIT */
#include "core/process/own_floats.h"
#include "mpi/joined.h"

#include <stepwatch/sink.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the steps of all ranks, and who is slow ------------------------------------------------- */

/* The most values that are gathered on rank 0. If there are more, means of several steps are sent.
 */
enum { GATHERED_MAX = (64 << 20) / sizeof(float) };

/* The results on rank 0. Names are borrowed from the agreed names. */
struct joined_steps {
    struct swi_straggler found;
    int64_t steps; /* steps that all ranks have */
    int64_t block; /* the search used means of this many steps */
};

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

/* Collective. Gathers the durations of the steps of all ranks, and finds the straggler. own: the
 * steps of this rank, or NULL. names: of all rows. Fills joined on rank 0. */
static int steps_join(struct swi_wait *wait, const struct sw_steps *own,
                      const struct swi_agreement *agreement, const char *names, size_t size,
                      struct joined_steps *joined)
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
    *joined = (struct joined_steps){.steps = agreement->steps, .block = block};
    return find(wait, &actions, all, columns, &joined->found);
}

/* A report that is being joined. */
struct joining {
    struct swi_wait *wait;
    struct sw_report *report; /* of this rank; NULL if there is none */
    struct sw_steps *steps;
    struct swi_own_rows own;
    struct swi_agreement agreement;
    const char *names; /* that any rank has, sorted */
    size_t size, rows;
    const struct sw_report_row **part; /* of this rank, by the number of the name; NULL: none */
    struct sw_ranks_row *row;          /* from here on only on rank 0 */
    struct joined_steps joined;
    struct swi_text sentence;
};

/* ---- the part of this rank ------------------------------------------------------------------- */

/* A rank that is out of memory takes part too: the others would wait for it. */
static void part_take(struct joining *all, struct sw_profiler *sw)
{
    struct sw_error ignored = {0};
    bool fine = sw_report_new(sw, &all->report, &ignored) >= 0 &&
                sw_steps_new(sw, &all->steps, &ignored) == 0;
    sw_error_free(&ignored);
    if (fine)
        all->own = swi_own_rows(all->report);
    fine = fine && all->own.row;
    all->agreement = (struct swi_agreement){.all_fine = fine,
                                            .steps = fine ? all->steps->steps : 0,
                                            .block = fine ? all->steps->block : 1,
                                            .hash = all->own.hash};
}

/* Finds the row of this rank for each name. Both lists are sorted. */
static int names_match(struct joining *all)
{
    for (size_t i = 0; i < all->size; i++)
        all->rows += !all->names[i];
    all->row = swi_wait_lend(all->wait, (all->rows + 1) * sizeof *all->row);
    all->part = swi_wait_lend(all->wait, (all->rows + 1) * sizeof(*all->part));
    if (!all->row || !all->part)
        return SW_ENOMEM;
    const struct sw_report_row **own = all->own.row; /* NULL after the last */
    const char *name = all->names;
    for (size_t i = 0; i < all->rows; i++, name += strlen(name) + 1)
        if (*own && (*own)->phase_id == (enum sw_phase)(name[0] - '0') &&
            strcmp((*own)->action, name + 1) == 0)
            all->part[i] = *own++;
    return 0;
}

static int agree(struct joining *all)
{
    int rc = swi_agree(all->wait, &all->agreement);
    if (rc < 0)
        return rc;
    if (!all->agreement.all_fine)
        return sw_error_set(all->wait->err, SW_ENOMEM,
                            "not enough memory for the report of some rank");
    all->names = all->own.names.data;
    all->size = all->own.names.size;
    if (!all->agreement.same_names)
        rc = swi_names_join(all->wait, &all->names, &all->size);
    return rc < 0 ? rc : names_match(all);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *phase_name(int phase)
{
    static const char *const names[] = {"fit", "train", "valid", "threads", "before", "after"};
    return phase >= 0 && phase < 6 ? names[phase] : "fit";
}

/* Sorts like a report: by phase, then standard actions, then the user's own by name. */
static int in_order(const void *a, const void *b)
{
    const struct sw_ranks_row *first = a, *second = b;
    bool own = first->action_id >= SW_BUILTIN_ACTIONS,
         other = second->action_id >= SW_BUILTIN_ACTIONS;
    if (first->phase_id != second->phase_id)
        return first->phase_id < second->phase_id ? -1 : 1;
    if (own != other)
        return own ? 1 : -1;
    if (own)
        return strcmp(first->action, second->action);
    return first->action_id < second->action_id ? -1 : first->action_id > second->action_id;
}

static int rows_join(struct joining *all)
{
    struct swi_joined *joined = all->wait->joined;
    struct swi_rank_sum *own = swi_wait_lend(all->wait, 2 * (all->rows + 1) * sizeof *own);
    if (!own)
        return SW_ENOMEM;
    struct swi_rank_sum *sum = own + all->rows + 1;
    for (size_t i = 0; i < all->rows; i++)
        own[i] = swi_own_sum(all->part[i], joined->rank);
    int rc =
        swi_wait_for(all->wait, MPI_Ireduce(own, sum, (int)all->rows, joined->row, joined->add_rows,
                                            0, joined->comm, &all->wait->request));
    const char *name = all->names;
    for (size_t i = 0; rc == 0 && joined->rank == 0 && i < all->rows; i++) {
        all->row[i] = swi_joined_row(&sum[i], joined->size);
        all->row[i].phase_id = (enum sw_phase)(name[0] - '0');
        all->row[i].phase = phase_name(name[0] - '0');
        all->row[i].action = name + 1;
        all->row[i].action_id = sw_action(name + 1);
        name += strlen(name) + 1;
    }
    return rc;
}

/* The bins of a rank are in ticks, which differ between hosts; these are in nanoseconds. */
static void bins_add(uint64_t *bins, const struct sw_report_row *row)
{
    for (size_t i = 0; row && i < row->durations.bin_count; i++) {
        const struct sw_bin *bin = sw_distribution_bin(&row->durations, i);
        double middle = bin->low + (bin->high - bin->low) / 2;
        bins[swi_duration_bins_place(middle > 0 ? (uint64_t)llround(middle) : 0)] += bin->count;
    }
}

/* Adds up the histograms of all ranks. */
static int bins_join(struct joining *all)
{
    const struct swi_joined *joined = all->wait->joined;
    bool here = joined->rank == 0;
    size_t count = all->rows * SWI_DURATION_BINS;
    uint64_t *own = swi_wait_lend(all->wait, count * sizeof *own);
    uint64_t *sum = here ? swi_wait_lend(all->wait, count * sizeof *sum) : own;
    if (!own || !sum)
        return SW_ENOMEM;
    for (size_t i = 0; i < all->rows; i++)
        bins_add(own + i * SWI_DURATION_BINS, all->part[i]);
    int rc = swi_wait_for(all->wait, MPI_Ireduce(own, here ? sum : NULL, (int)count, MPI_UINT64_T,
                                                 MPI_SUM, 0, joined->comm, &all->wait->request));
    for (size_t i = 0; rc == 0 && here && i < all->rows; i++) {
        struct swi_duration_bins bins = {.count = sum + i * SWI_DURATION_BINS};
        for (size_t k = 0; k < SWI_DURATION_BINS; k++)
            bins.values += bins.count[k];
        swi_ranks_row_bins(&all->row[i], &bins);
    }
    return rc;
}

/* ---- the report, on rank 0 ------------------------------------------------------------------- */

/* Removes rows that no rank has called. */
static void rows_used(struct joining *all)
{
    size_t used = 0;
    for (size_t i = 0; i < all->rows; i++)
        if (all->row[i].ranks)
            all->row[used++] = all->row[i];
    all->rows = used;
}

static int report_make(struct joining *all, int64_t began_ns, struct sw_ranks **made)
{
    struct swi_joined *joined = all->wait->joined;
    rows_used(all);
    qsort(all->row, all->rows, sizeof *all->row, in_order);
    struct sw_ranks ranks = swi_joined_ranks(joined, all->report, all->row, all->rows);
    ranks.complete = true;
    ranks.steps = all->joined.steps;
    ranks.block = all->joined.block;
    swi_ranks_set_verdict(&ranks, &all->sentence, &all->joined.found, joined->place);
    ranks.took_ns = sw_now(joined->sw) - began_ns;
    if (made && !(*made = sw_ranks_copy(&ranks)))
        return sw_error_set(all->wait->err, SW_ENOMEM, "not enough memory for the report");
    return sw_log_ranks(joined->sw, &ranks, all->wait->err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int all_join(struct joining *all)
{
    int rc = agree(all);
    if (rc == 0)
        rc = rows_join(all);
    if (rc == 0 && all->wait->joined->options.histograms)
        rc = bins_join(all);
    if (rc == 0)
        rc =
            steps_join(all->wait, all->steps, &all->agreement, all->names, all->size, &all->joined);
    if (rc == 0)
        rc = swi_rank_clocks_compare(all->wait);
    return rc;
}

static int report(struct swi_wait *wait, struct sw_ranks **ranks)
{
    struct joining all = {.wait = wait};
    struct swi_joined *joined = wait->joined;
    int64_t began_ns = sw_now(joined->sw);
    struct sw_ranks *made = NULL;
    part_take(&all, joined->sw);
    int rc = all_join(&all);
    swi_epochs_look(joined); /* all of them have arrived by now */
    if (rc == 0 && joined->rank == 0)
        rc = report_make(&all, began_ns, ranks ? &made : NULL);
    if (rc == 0 && ranks)
        *ranks = made;
    joined->broken = joined->broken || rc < 0;
    swi_text_free(&all.sentence);
    sw_report_free(all.report);
    sw_steps_free(all.steps);
    swi_own_rows_free(&all.own);
    return rc;
}

int sw_mpi_report(struct sw_profiler *sw, double seconds, struct sw_ranks **ranks,
                  struct sw_error *err)
{
    SWI_OWN_FLOATS;
    struct sw_error own = {0};
    struct swi_wait wait;
    struct swi_joined *joined = sw ? swi_joined_find(sw) : NULL;
    int rc = sw ? swi_joined_allowed(err) : 0;
    if (rc == 0 && !sw && ranks)
        *ranks = NULL;
    if (rc < 0 || !sw)
        return rc;
    if (!joined || joined->broken)
        return sw_error_set(err, SW_EINVAL,
                            joined ? "the ranks are no longer joined, as an earlier call failed"
                                   : "the ranks are not joined: call sw_mpi_open() first");
    swi_wait_begin(&wait, joined, seconds, err ? err : &own);
    rc = swi_wait_is_late(&wait);
    rc = swi_wait_end(&wait, rc < 0 ? rc : report(&wait, ranks));
    sw_error_free(&own);
    return rc;
}
