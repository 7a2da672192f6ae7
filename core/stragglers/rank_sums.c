/* SPDX-License-Identifier: MIT */
#include "core/stragglers/straggler.h"

#include <math.h>

/* ---- rows ---- */

static double known(double value)
{
    return isfinite(value) ? value : 0;
}

/* A total is a whole number of nanoseconds, except for the rounding of a double. */
void swi_rank_sum_report(struct swi_rank_sum *sum, int64_t calls, double total_ns, double mean_ns,
                         double std_ns)
{
    double total = fmin(known(total_ns), 9e18), std = known(std_ns);
    double mean = known(mean_ns) > 0 ? mean_ns : total / (double)calls;
    sum->calls += calls;
    sum->total += llround(total);
    sum->called += (swi_rank_ns)((long double)calls * mean);
    sum->squares +=
        (swi_rank_ns)((long double)calls * ((long double)std * std + (long double)mean * mean));
}

void swi_rank_sum_own(struct swi_rank_sum *sum, int64_t rank)
{
    sum->ranks = sum->calls > 0;
    sum->least = sum->most = sum->total;
    sum->min_rank = sum->max_rank = rank;
}

void swi_rank_sum_add(struct swi_rank_sum *sum, const struct swi_rank_sum *more)
{
    sum->total += more->total;
    sum->called += more->called;
    sum->squares += more->squares;
    sum->calls += more->calls;
    sum->ranks += more->ranks;
    if (more->least < sum->least || (more->least == sum->least && more->min_rank < sum->min_rank)) {
        sum->least = more->least;
        sum->min_rank = more->min_rank;
    }
    if (more->most > sum->most || (more->most == sum->most && more->max_rank < sum->max_rank)) {
        sum->most = more->most;
        sum->max_rank = more->max_rank;
    }
}

struct sw_ranks_row swi_rank_sum_row(const struct swi_rank_sum *sum, int64_t ranks)
{
    struct sw_ranks_row row = {.ranks = sum->ranks,
                               .calls = sum->calls,
                               .min_ns = (double)sum->least,
                               .min_rank = sum->min_rank,
                               .mean_ns = (double)((long double)sum->total / (long double)ranks),
                               .max_ns = (double)sum->most,
                               .max_rank = sum->max_rank,
                               .call_mean_ns = NAN,
                               .call_std_ns = NAN,
                               .p50_ns = NAN,
                               .p95_ns = NAN,
                               .p99_ns = NAN};
    row.imbalance = row.mean_ns > 0 ? row.max_ns / row.mean_ns - 1 : 0;
    if (!sum->calls)
        return row;
    long double mean = (long double)sum->called / (long double)sum->calls;
    long double variance = (long double)sum->squares / (long double)sum->calls - mean * mean;
    row.call_mean_ns = (double)mean;
    row.call_std_ns = variance > 0 ? (double)sqrtl(variance) : 0;
    return row;
}

void swi_ranks_row_bins(struct sw_ranks_row *row, const struct swi_duration_bins *bins)
{
    row->p50_ns = swi_duration_bins_quantile(bins, 0.50);
    row->p95_ns = swi_duration_bins_quantile(bins, 0.95);
    row->p99_ns = swi_duration_bins_quantile(bins, 0.99);
}

/* ---- the verdict ---- */

void swi_ranks_set_verdict(struct sw_ranks *ranks, struct swi_text *sentence,
                           const struct swi_straggler *found, const struct swi_rank_place *place)
{
    const struct swi_rank_place *slow = &place[found->rank];
    ranks->lost = found->has_shares ? found->lost : NAN;
    ranks->communication = found->has_shares ? found->communication : NAN;
    ranks->verdict = found->verdict;
    ranks->why = found->why;
    ranks->slow_rank = found->named && !found->host ? slow->rank : -1;
    ranks->slow_host = !found->named ? NULL : found->host ? found->host : slow->host;
    ranks->slow_action = found->named ? found->slow.phase : NULL;
    ranks->late_ns = found->named ? found->slow.late : NAN;
    ranks->gain = found->named ? found->slow.gain : NAN;
    ranks->confidence = found->named ? found->confidence : NAN;
    swi_straggler_sentence(sentence, found, slow->rank, slow->host, (size_t)ranks->block);
    ranks->sentence = sentence->data;
}
