/* SPDX-License-Identifier: MIT */
#include "core/advice/sample_statistics.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_LEAST = 4, GAPS_TRIED = 8, EPOCH_LEAST = 8 };
#define CHANCE_MOST 1e-4 /* the largest probability of such a result without a period */
#define HIT_LEAST 0.7    /* of the steps of the period must be slow */
#define COST_LEAST 0.6   /* of the cost of all places must be in the period */
#define GAPS_LEAST 0.6   /* of the distances must match the period */

/* Returns ln P(X >= hits) of a binomial distribution. */
static double log_tail(size_t hits, size_t n, double p)
{
    double top = -INFINITY, sum = 0;
    if (hits == 0 || p >= 1)
        return 0;
    if (p <= 0 || hits > n)
        return -INFINITY;
    double all = lgamma((double)n + 1), yes = log(p), no = log1p(-p);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = hits; k <= n; k++) {
            double term = all - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                          (double)k * yes + (double)(n - k) * no;
            if (pass)
                sum += exp(term - top);
            else
                top = fmax(top, term);
        }
    return fmin(0, top + log(sum));
}

/* The input of the search. */
struct look {
    const struct swi_analysis *analysis;
    const struct swi_places *places;
    const int64_t *number;
    size_t n;
    int64_t *gap; /* room for twice as many as there are places */
    size_t gaps;
};

static bool is_possible(const struct look *look, int64_t gap)
{
    return gap >= 2 && gap <= (int64_t)(look->n / 4);
}

static int64_t number_at(const struct look *look, size_t place)
{
    return look->number[look->places->at[place]];
}

/* Returns the distance of a place from an earlier one, or 0 if it is not known: other slow steps
 * may be between them. */
static int64_t gap_of(const struct look *look, size_t earlier, size_t place)
{
    const size_t *at = look->places->at;
    bool known = swi_is_one_stretch(look->analysis, at[earlier], at[place]);
    return known ? number_at(look, place) - number_at(look, earlier) : 0;
}

static void period_set(struct swi_period *period, int64_t every)
{
    period->every = every;
    period->count = 0;
}

/* ---- by the number of the step: number modulo k ---------------------------------------------- */

/* Takes the distances between consecutive places, and between every second one. */
static void gaps_take(struct look *look)
{
    look->gaps = 0;
    for (size_t lag = 1; lag <= 2; lag++)
        for (size_t i = 0; i + lag < look->places->count; i++) {
            int64_t gap = gap_of(look, i, i + lag);
            if (is_possible(look, gap))
                look->gap[look->gaps++] = gap;
        }
    qsort(look->gap, look->gaps, sizeof *look->gap, swi_by_integer);
}

struct often {
    int64_t gap;
    size_t times;
};

/* Finds the most frequent distances, the smaller one of equally frequent ones first. Returns how
 * many. */
static size_t most_frequent(const struct look *look, struct often often[GAPS_TRIED])
{
    size_t count = 0;
    for (size_t i = 0, end; i < look->gaps; i = end) {
        end = i;
        while (end < look->gaps && look->gap[end] == look->gap[i])
            end++;
        size_t at = count;
        while (at > 0 && often[at - 1].times < end - i)
            at--;
        if (at == GAPS_TRIED)
            continue;
        count += count < GAPS_TRIED;
        memmove(often + at + 1, often + at, (count - at - 1) * sizeof *often);
        often[at] = (struct often){look->gap[i], end - i};
    }
    return count;
}

static int64_t residue_of(int64_t number, int64_t k)
{
    int64_t residue = number % k;
    return residue < 0 ? residue + k : residue;
}

/* Finds the residue of most places, the smallest of equally frequent ones. Returns false if out of
 * memory. */
static bool residue_find(const struct look *look, int64_t k, int64_t *residue, size_t *hits)
{
    size_t *count = calloc((size_t)k, sizeof *count);
    if (!count)
        return false;
    for (size_t i = 0; i < look->places->count; i++)
        count[residue_of(number_at(look, i), k)]++;
    *residue = 0;
    for (int64_t r = 1; r < k; r++)
        if (count[r] > count[*residue])
            *residue = r;
    *hits = count[*residue];
    free(count);
    return true;
}

static void residue_places(struct swi_period *period, const struct look *look, int64_t k,
                           int64_t residue)
{
    period_set(period, k);
    for (size_t i = 0; i < look->places->count; i++)
        if (residue_of(number_at(look, i), k) == residue)
            period->at[period->count++] = look->places->at[i];
}

static size_t slots_of(const struct look *look, int64_t k, int64_t residue)
{
    size_t slots = 0;
    for (size_t i = 0; i < look->n; i++)
        slots += residue_of(look->number[i], k) == residue;
    return slots;
}

/* tried: pairs of a distance and a residue that were tried so far. */
static bool residue_fits(const struct look *look, const struct swi_period *tries, size_t hits,
                         size_t slots, double tried)
{
    double p = (double)look->places->count / (double)look->n;
    return hits >= PLACES_LEAST && (double)hits >= HIT_LEAST * (double)slots &&
           swi_period_cost(tries, look->places) >= COST_LEAST * look->places->cost &&
           log_tail(hits, slots, p) + log(tried) < log(CHANCE_MOST);
}

/* Returns false if out of memory. */
static bool by_residue(struct swi_period *period, struct look *look, struct swi_period *tries)
{
    struct often often[GAPS_TRIED + 1];
    double tried = 0;
    gaps_take(look);
    size_t count = most_frequent(look, often);
    period_set(period, 0);
    for (size_t i = 0; i < count; i++) {
        int64_t k = often[i].gap, residue;
        size_t hits;
        if (!residue_find(look, k, &residue, &hits))
            return false;
        tried += (double)k;
        residue_places(tries, look, k, residue);
        bool better = hits > period->count || (hits == period->count && k < period->every);
        if (better && residue_fits(look, tries, hits, slots_of(look, k, residue), tried)) {
            period_set(period, k);
            memcpy(period->at, tries->at, tries->count * sizeof *tries->at);
            period->count = tries->count;
        }
    }
    return true;
}

/* ---- by distances: a loader's count goes on over the ends of epochs -------------------------- */

/* Returns how much a distance may differ from k: one, or 5 % of a long one. */
static int64_t play_of(int64_t k)
{
    int64_t play = (int64_t)(0.05 * (double)k + 0.5);
    return k < 4 ? 0 : play > 1 ? play : 1;
}

/* Returns how many of the sorted distances are less than `limit`. */
static size_t below(const struct look *look, int64_t limit)
{
    size_t low = 0, high = look->gaps;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (look->gap[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t within_of(const struct look *look, int64_t k)
{
    return below(look, k + play_of(k) + 1) - below(look, k - play_of(k));
}

/* Returns the distance that most are near to, the smallest of equal ones. kinds: set to how many
 * different ones there are. */
static int64_t common_gap(const struct look *look, size_t *kinds)
{
    int64_t best = 0;
    size_t most = 0;
    *kinds = 0;
    for (size_t i = 0; i < look->gaps; i++) {
        if (i > 0 && look->gap[i] == look->gap[i - 1])
            continue;
        ++*kinds;
        size_t near = is_possible(look, look->gap[i]) ? within_of(look, look->gap[i]) : 0;
        if (near > most) {
            most = near;
            best = look->gap[i];
        }
    }
    return best;
}

static void gap_places(struct swi_period *period, const struct look *look, int64_t k)
{
    period->count = 0;
    for (size_t i = 0; i + 1 < look->places->count; i++) {
        int64_t gap = gap_of(look, i, i + 1);
        if (gap < k - play_of(k) || gap > k + play_of(k))
            continue;
        if (!period->count || period->at[period->count - 1] != look->places->at[i])
            period->at[period->count++] = look->places->at[i];
        period->at[period->count++] = look->places->at[i + 1];
    }
}

/* Distances between random places are geometrically distributed. */
static bool gap_fits(const struct look *look, const struct swi_period *period, int64_t k,
                     size_t kinds)
{
    double p = (double)look->places->count / (double)look->n;
    double probability =
        pow(1 - p, (double)(k - play_of(k) - 1)) - pow(1 - p, (double)(k + play_of(k)));
    size_t near = within_of(look, k);
    return period->count >= PLACES_LEAST && (double)near >= GAPS_LEAST * (double)look->gaps &&
           log_tail(near, look->gaps, probability) + log((double)kinds) < log(CHANCE_MOST) &&
           swi_period_cost(period, look->places) >= COST_LEAST * look->places->cost;
}

static void by_gaps(struct swi_period *period, struct look *look)
{
    size_t kinds;
    look->gaps = 0;
    for (size_t i = 0; i + 1 < look->places->count; i++)
        if (swi_is_one_stretch(look->analysis, look->places->at[i], look->places->at[i + 1]))
            look->gap[look->gaps++] = gap_of(look, i, i + 1);
    qsort(look->gap, look->gaps, sizeof *look->gap, swi_by_integer);
    int64_t k = common_gap(look, &kinds);
    if (!k)
        return;
    gap_places(period, look, k);
    if (!gap_fits(look, period, k, kinds))
        return;
    /* The lower median of the distances that are near. */
    size_t from = below(look, k - play_of(k));
    period->every = look->gap[from + (within_of(look, k) - 1) / 2];
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int64_t longest_epoch(const int64_t *within, size_t n)
{
    int64_t longest = 0;
    for (size_t i = 0; i < n; i++)
        longest = within[i] + 1 > longest ? within[i] + 1 : longest;
    return longest;
}

static bool find(struct swi_period *period, struct look *look, struct swi_period *tries)
{
    const int64_t *within = look->analysis->within;
    if (look->places->count < PLACES_LEAST)
        return true;
    if (!by_residue(period, look, tries))
        return false;
    if (!period->every)
        by_gaps(period, look);
    int64_t longest = longest_epoch(within, look->n);
    if (period->every || longest >= (int64_t)look->n || longest < EPOCH_LEAST)
        return true;
    look->number = within;
    return by_residue(period, look, tries);
}

bool swi_period_find(struct swi_period *period, const struct swi_places *places,
                     const struct swi_analysis *analysis)
{
    size_t room = 2 * places->count + 1;
    struct look look = {.analysis = analysis,
                        .places = places,
                        .number = analysis->number,
                        .n = analysis->n,
                        .gap = calloc(room, sizeof *look.gap)};
    struct swi_period tries = {.at = calloc(room, sizeof *tries.at)};
    *period = (struct swi_period){.at = calloc(room, sizeof *period->at)};
    bool fine = look.gap && tries.at && period->at && find(period, &look, &tries);
    if (!period->every)
        period->count = 0;
    free(look.gap);
    free(tries.at);
    return fine;
}

void swi_period_fini(struct swi_period *period)
{
    free(period->at);
    *period = (struct swi_period){0};
}

double swi_period_cost(const struct swi_period *period, const struct swi_places *places)
{
    double cost = 0;
    for (size_t i = 0; i < period->count; i++)
        cost += places->more[period->at[i]];
    return cost;
}
