/* SPDX-License-Identifier: MIT */
#include "mpi/rank_rows.h"
#include "core/process/own_floats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct swi_rank_row) == 9 * 8, "a row is nine numbers of 64 bits");

/* ---- joining ---- */

static void row_add(const struct swi_rank_row *in, struct swi_rank_row *sum)
{
    sum->sum_low += in->sum_low;
    sum->sum_high += in->sum_high;
    sum->calls += in->calls;
    sum->ranks += in->ranks;
    sum->squares += in->squares;
    if (in->min < sum->min || (in->min == sum->min && in->min_rank < sum->min_rank)) {
        sum->min = in->min;
        sum->min_rank = in->min_rank;
    }
    if (in->max > sum->max || (in->max == sum->max && in->max_rank < sum->max_rank)) {
        sum->max = in->max;
        sum->max_rank = in->max_rank;
    }
}

static void rows_add(void *in, void *sum, int *count, MPI_Datatype *type)
{
    SWI_OWN_FLOATS;
    (void)type;
    for (int i = 0; i < *count; i++)
        row_add((const struct swi_rank_row *)in + i, (struct swi_rank_row *)sum + i);
}

int swi_rank_rows_init(struct swi_joined *joined)
{
    int rc = MPI_Type_contiguous(sizeof(struct swi_rank_row), MPI_BYTE, &joined->row);
    if (rc == MPI_SUCCESS)
        rc = MPI_Type_commit(&joined->row);
    if (rc == MPI_SUCCESS)
        rc = MPI_Op_create(rows_add, 1, &joined->add_rows);
    return rc;
}

struct swi_rank_row swi_rank_row_of(const struct sw_report_row *row, int rank)
{
    struct swi_rank_row joined = {.min_rank = rank, .max_rank = rank};
    if (!row)
        return joined;
    int64_t total = isfinite(row->total_ns) ? llround(row->total_ns) : 0;
    joined.sum_low = (uint64_t)total & UINT32_MAX;
    joined.sum_high = total >> 32;
    joined.calls = row->calls;
    joined.ranks = row->calls > 0;
    joined.min = joined.max = total;
    joined.squares = (double)row->durations.count *
                     (row->durations.variance + row->durations.mean * row->durations.mean);
    return joined;
}

struct sw_ranks_row swi_rank_row_joined(const struct swi_rank_row *row, int64_t ranks)
{
    double sum = (double)row->sum_high * 0x1p32 + (double)row->sum_low;
    double calls = row->calls ? (double)row->calls : NAN, mean = sum / calls;
    double variance = row->squares / calls - mean * mean;
    return (struct sw_ranks_row){.ranks = row->ranks,
                                 .calls = row->calls,
                                 .min_ns = (double)row->min,
                                 .min_rank = row->min_rank,
                                 .mean_ns = sum / (double)ranks,
                                 .max_ns = (double)row->max,
                                 .max_rank = row->max_rank,
                                 .imbalance =
                                     sum > 0 ? (double)row->max * (double)ranks / sum - 1 : 0,
                                 .call_mean_ns = mean,
                                 .call_std_ns = isnan(variance) ? NAN
                                                : variance > 0  ? sqrt(variance)
                                                                : 0,
                                 .p50_ns = NAN,
                                 .p95_ns = NAN,
                                 .p99_ns = NAN};
}

/* ---- names ---- */

/* Adds the name of a row for comparison: the digit of its phase, and the action. */
static void name_add(struct swi_text *text, const struct sw_report_row *row)
{
    swi_text_format(text, "%d", (int)row->phase_id);
    swi_text_put(text, row->action);
    swi_text_add(text, "", 1);
}

struct named_row {
    const struct sw_report_row *row;
    size_t number;
};

static int by_name(const void *a, const void *b)
{
    const struct sw_report_row *first = ((const struct named_row *)a)->row;
    const struct sw_report_row *second = ((const struct named_row *)b)->row;
    if (first->phase_id != second->phase_id)
        return first->phase_id < second->phase_id ? -1 : 1;
    return strcmp(first->action, second->action);
}

size_t *swi_rank_rows_order(const struct sw_report *report)
{
    struct named_row *named = calloc(report->count + 1, sizeof *named);
    size_t *order = calloc(report->count + 1, sizeof *order);
    for (size_t i = 0; named && i < report->count; i++)
        named[i] = (struct named_row){sw_report_row(report, i), i};
    if (named && order)
        qsort(named, report->count, sizeof *named, by_name);
    for (size_t i = 0; named && order && i < report->count; i++)
        order[i] = named[i].number;
    if (!named) {
        free(order);
        order = NULL;
    }
    free(named);
    return order;
}

void swi_rank_rows_names(struct swi_text *text, const struct sw_report *report, const size_t *order)
{
    for (size_t i = 0; i < report->count; i++)
        name_add(text, sw_report_row(report, order[i]));
}
