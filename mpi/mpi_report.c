/* SPDX-License-Identifier: MIT */
#include "core/process/own_floats.h"
#include "core/stragglers/duration_bins.h"
#include "mpi/joined.h"

#include <stepwatch/sink.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The data of this rank. */
struct own_part {
    struct sw_report *report; /* NULL if there is none */
    struct sw_steps *steps;
    struct swi_own_rows rows;
    struct swi_agreement agreement;
};

/* The data of all ranks. Most of it is only on rank 0. */
struct whole {
    const char *names;
    size_t size, rows;
    struct sw_ranks_row *row;
    struct swi_joined_steps steps;
    struct swi_text sentence;
};

/* ---- the part of this rank ------------------------------------------------------------------- */

/* A rank that is out of memory takes part too: the others would wait for it. */
static void part_take(struct own_part *part, struct sw_profiler *sw)
{
    struct sw_error ignored = {0};
    bool fine = sw_report_new(sw, &part->report, &ignored) >= 0 &&
                sw_steps_new(sw, &part->steps, &ignored) == 0;
    sw_error_free(&ignored);
    if (fine)
        part->rows = swi_own_rows(part->report);
    fine = fine && part->rows.row;
    part->agreement = (struct swi_agreement){.all_fine = fine,
                                             .steps = fine ? part->steps->steps : 0,
                                             .block = fine ? part->steps->block : 1,
                                             .hash = part->rows.hash};
}

static void part_free(struct own_part *part)
{
    sw_report_free(part->report);
    sw_steps_free(part->steps);
    swi_own_rows_free(&part->rows);
}

/* Returns the row of a name, or NULL. Both lists are sorted, so the search continues where the last
 * one ended. */
static const struct sw_report_row *row_next(const struct own_part *part, const char *name,
                                            size_t *at)
{
    const struct sw_report_row *row = part->rows.row[*at]; /* NULL after the last */
    if (!row || row->phase_id != (enum sw_phase)(name[0] - '0') ||
        strcmp(row->action, name + 1) != 0)
        return NULL;
    ++*at;
    return row;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *phase_name(int phase)
{
    static const char *const names[] = {"fit", "train", "valid", "threads", "before", "after"};
    return phase >= 0 && phase < 6 ? names[phase] : "fit";
}

static void rows_name(struct whole *whole)
{
    const char *name = whole->names;
    for (size_t i = 0; i < whole->rows; i++, name += strlen(name) + 1) {
        struct sw_ranks_row *row = &whole->row[i];
        row->phase_id = (enum sw_phase)(name[0] - '0');
        row->phase = phase_name(row->phase_id);
        row->action = name + 1;
        row->action_id = sw_action(name + 1);
    }
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

static int rows_join(struct swi_wait *wait, const struct own_part *part, struct whole *whole)
{
    struct swi_joined *joined = wait->joined;
    struct swi_rank_sum *own = swi_wait_lend(wait, 2 * (whole->rows + 1) * sizeof *own);
    size_t at = 0, i = 0;
    if (!own)
        return SW_ENOMEM;
    struct swi_rank_sum *all = own + whole->rows + 1;
    for (const char *name = whole->names; i < whole->rows; name += strlen(name) + 1)
        own[i++] = swi_own_sum(row_next(part, name, &at), joined->rank);
    int rc = swi_wait_for(wait, MPI_Ireduce(own, all, (int)whole->rows, joined->row,
                                            joined->add_rows, 0, joined->comm, &wait->request));
    for (i = 0; rc == 0 && joined->rank == 0 && i < whole->rows; i++)
        whole->row[i] = swi_joined_row(&all[i], joined->size);
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

static void quantiles_find(struct sw_ranks_row *row, uint64_t *bins)
{
    struct swi_duration_bins all = {.count = bins};
    for (size_t i = 0; i < SWI_DURATION_BINS; i++)
        all.values += bins[i];
    row->p50_ns = swi_duration_bins_quantile(&all, 0.50);
    row->p95_ns = swi_duration_bins_quantile(&all, 0.95);
    row->p99_ns = swi_duration_bins_quantile(&all, 0.99);
}

/* Adds up the histograms of all ranks. */
static int bins_join(struct swi_wait *wait, const struct own_part *part, struct whole *whole)
{
    const struct swi_joined *joined = wait->joined;
    size_t at = 0, i = 0, count = whole->rows * SWI_DURATION_BINS;
    uint64_t *own = swi_wait_lend(wait, count * sizeof *own);
    uint64_t *all = joined->rank == 0 ? swi_wait_lend(wait, count * sizeof *all) : own;
    if (!own || !all)
        return SW_ENOMEM;
    for (const char *name = whole->names; i < whole->rows; name += strlen(name) + 1)
        bins_add(own + i++ * SWI_DURATION_BINS, row_next(part, name, &at));
    int rc =
        swi_wait_for(wait, MPI_Ireduce(own, joined->rank == 0 ? all : NULL, (int)count,
                                       MPI_UINT64_T, MPI_SUM, 0, joined->comm, &wait->request));
    for (i = 0; rc == 0 && joined->rank == 0 && i < whole->rows; i++)
        quantiles_find(&whole->row[i], all + i * SWI_DURATION_BINS);
    return rc;
}

/* ---- the report, on rank 0 ------------------------------------------------------------------- */

static struct sw_ranks ranks_of(const struct swi_joined *joined, const struct own_part *part,
                                struct whole *whole)
{
    struct sw_ranks ranks = {.size = sizeof ranks,
                             .world_size = joined->size,
                             .ranks = joined->size,
                             .fit = part->report->fit,
                             .complete = true,
                             .epoch = part->report->epoch,
                             .step = part->report->step,
                             .steps = whole->steps.steps,
                             .block = whole->steps.block,
                             .count = whole->rows,
                             .row_size = sizeof *whole->row,
                             .row = whole->row};
    swi_ranks_judge(&ranks, &whole->sentence, &whole->steps.found, joined->place);
    return ranks;
}

/* Removes rows that no rank has called. */
static void rows_used(struct whole *whole)
{
    size_t used = 0;
    for (size_t i = 0; i < whole->rows; i++)
        if (whole->row[i].ranks)
            whole->row[used++] = whole->row[i];
    whole->rows = used;
}

static int report_make(struct swi_wait *wait, const struct own_part *part, struct whole *whole,
                       int64_t began_ns, struct sw_ranks **made)
{
    struct sw_profiler *sw = wait->joined->sw;
    rows_name(whole);
    rows_used(whole);
    qsort(whole->row, whole->rows, sizeof *whole->row, in_order);
    struct sw_ranks ranks = ranks_of(wait->joined, part, whole);
    ranks.took_ns = sw_now(sw) - began_ns;
    if (made && !(*made = sw_ranks_copy(&ranks)))
        return sw_error_set(wait->err, SW_ENOMEM, "not enough memory for the report");
    return sw_log_ranks(sw, &ranks, wait->err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int agree(struct swi_wait *wait, struct own_part *part, struct whole *whole)
{
    int rc = swi_agree(wait, &part->agreement);
    if (rc < 0)
        return rc;
    if (!part->agreement.all_fine)
        return sw_error_set(wait->err, SW_ENOMEM, "not enough memory for the report of some rank");
    whole->names = part->rows.names.data;
    whole->size = part->rows.names.size;
    if (!part->agreement.same_names)
        rc = swi_names_join(wait, &whole->names, &whole->size);
    for (size_t i = 0; rc == 0 && i < whole->size; i++)
        whole->rows += !whole->names[i];
    whole->row = rc == 0 ? swi_wait_lend(wait, (whole->rows + 1) * sizeof *whole->row) : NULL;
    return rc < 0 ? rc : whole->row ? 0 : SW_ENOMEM;
}

static int all_join(struct swi_wait *wait, struct own_part *part, struct whole *whole)
{
    int rc = agree(wait, part, whole);
    if (rc == 0)
        rc = rows_join(wait, part, whole);
    if (rc == 0 && wait->joined->options.histograms)
        rc = bins_join(wait, part, whole);
    if (rc == 0)
        rc = swi_rank_steps_join(wait, part->steps, &part->agreement, whole->names, whole->size,
                                 &whole->steps);
    if (rc == 0)
        rc = swi_rank_clocks_compare(wait);
    return rc;
}

static int report(struct swi_wait *wait, struct sw_ranks **ranks)
{
    struct own_part part = {0};
    struct whole whole = {0};
    struct swi_joined *joined = wait->joined;
    int64_t began_ns = sw_now(joined->sw);
    struct sw_ranks *made = NULL;
    part_take(&part, joined->sw);
    int rc = all_join(wait, &part, &whole);
    swi_epochs_look(joined); /* all of them have arrived by now */
    if (rc == 0 && joined->rank == 0)
        rc = report_make(wait, &part, &whole, began_ns, ranks ? &made : NULL);
    if (rc == 0 && ranks)
        *ranks = made;
    joined->broken = joined->broken || rc < 0;
    swi_text_free(&whole.sentence);
    part_free(&part);
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
