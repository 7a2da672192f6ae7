/* SPDX-License-Identifier: MIT */
/* In a collective, the rank that arrives last waits least. So a rank is late by how much less it
 * waits than the median rank. This also covers time outside of all actions. The thresholds were
 * tried on simulated runs with known culprits. */
#include "core/balance/straggler.h"
#include "core/balance/medians.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double EFFECT = 0.03; /* of a step; a smaller effect is not reported */
static const double SURE =
    0.7; /* in this part of the blocks of a run the culprit must be the last */
static const double MIRROR =
    -0.5; /* below this correlation of work and wait, work explains the waits */
static const double COMMUNICATION = 0.25;
static const double CHANCE = 1e-3; /* probability of naming a rank that is as good as the others */
static const double LEAST_SIGMA = 0.002; /* of a step */
enum { BLOCKS = 10 };

struct finding {
    const struct swi_rank_durations *data;
    struct swi_straggler *found;
    size_t ranks, steps;
    double *work, *idle, *late; /* [rank * steps + step] */
    double *usual;              /* median lateness of each rank */
    double *column;             /* room for one value of each rank and step */
    size_t *order;              /* ranks by host */
    bool *row;                  /* the culprits */
    bool *high;                 /* steps in which a rank is late by far */
    double step, whole;         /* duration of a typical step; sum of the longest steps */
};

/* Returns a bound, in standard deviations, that the largest of n normal values hardly ever exceeds.
 */
static double threshold(size_t n)
{
    return sqrt(2 * log(n < 2 ? 2 : (double)n)) + 3;
}

static double at(const struct finding *f, const double *value, size_t rank, size_t step)
{
    return value[rank * f->steps + step];
}

/* Fills f->column with the values of all ranks in a step. */
static double *column_of(struct finding *f, const double *value, size_t step)
{
    for (size_t r = 0; r < f->ranks; r++)
        f->column[r] = at(f, value, r, step);
    return f->column;
}

static double column_median(struct finding *f, const double *value, size_t step)
{
    return swi_median_of(column_of(f, value, step), f->ranks);
}

/* ---- preparing ---- */

static void add(double *sum, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += value[i];
}

static void sum_up(struct finding *f)
{
    size_t cells = f->ranks * f->steps;
    for (size_t a = 0; a < f->data->actions; a++)
        add(f->data->wait[a] ? f->idle : f->work, f->data->value[a], cells);
    for (size_t i = 0; i < cells; i++)
        f->column[i] = f->work[i] + f->idle[i];
    f->step = swi_median_of(f->column, cells);
    for (size_t s = 0; s < f->steps; s++) {
        double middle = column_median(f, f->idle, s);
        for (size_t r = 0; r < f->ranks; r++)
            f->late[r * f->steps + s] = middle - at(f, f->idle, r, s);
    }
    for (size_t r = 0; r < f->ranks; r++) {
        memcpy(f->column, f->late + r * f->steps, f->steps * sizeof *f->column);
        f->usual[r] = swi_median_of(f->column, f->steps);
    }
}

static void shares_find(struct finding *f)
{
    double lost = 0, shared = 0;
    f->whole = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double most = -INFINITY, longest = -INFINITY, least = INFINITY, sum = 0;
        for (size_t r = 0; r < f->ranks; r++) {
            double work = at(f, f->work, r, s), idle = at(f, f->idle, r, s);
            most = fmax(most, work);
            longest = fmax(longest, work + idle);
            least = fmin(least, idle);
            sum += work;
        }
        lost += most - sum / (double)f->ranks;
        shared += least;
        f->whole += longest;
    }
    f->found->lost = lost / f->whole;
    f->found->communication = shared / f->whole;
}

/* Returns the correlation between work and wait of the ranks in a step; NAN if one of them is
 * constant. */
static double correlation(const struct finding *f, size_t step)
{
    double work = 0, idle = 0, both = 0, works = 0, idles = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        work += at(f, f->work, r, step) / (double)f->ranks;
        idle += at(f, f->idle, r, step) / (double)f->ranks;
    }
    for (size_t r = 0; r < f->ranks; r++) {
        double a = at(f, f->work, r, step) - work, b = at(f, f->idle, r, step) - idle;
        both += a * b;
        works += a * a;
        idles += b * b;
    }
    double norm = sqrt(works * idles);
    return norm > 0 ? both / norm : NAN;
}

static double mirror(struct finding *f)
{
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double found = correlation(f, s);
        if (!isnan(found))
            f->column[count++] = found;
    }
    return count ? swi_median_of(f->column, count) : -1;
}

/* Returns whether work differs between ranks in at least half of the steps. */
static bool work_differs(struct finding *f)
{
    size_t steps = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double middle = column_median(f, f->work, s), most = 0;
        for (size_t r = 0; r < f->ranks; r++)
            most = fmax(most, fabs(at(f, f->work, r, s) - middle));
        steps += most >= EFFECT * f->step;
    }
    return (double)steps >= 0.5 * (double)f->steps;
}

/* ---- confidence ---- */

static double median_between(struct finding *f, size_t rank, size_t begin, size_t end)
{
    memcpy(f->column, f->late + rank * f->steps + begin, (end - begin) * sizeof *f->column);
    return swi_median_of(f->column, end - begin);
}

/* Returns whether the culprits are later than all others in a block of steps. */
static bool leads_in(struct finding *f, size_t begin, size_t end, double *median)
{
    double others = -INFINITY;
    size_t mine = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        double found = median_between(f, r, begin, end);
        if (f->row[r])
            median[mine++] = found;
        else
            others = fmax(others, found);
    }
    return swi_median_of(median, mine) > (isinf(others) ? 0 : others);
}

/* Returns in which part of the blocks the culprits are the last. */
static double leads(struct finding *f)
{
    size_t blocks = f->steps < BLOCKS ? f->steps : BLOCKS, won = 0, begin = 0;
    double *median = f->column + f->steps; /* ranks * steps is enough for both */
    for (size_t b = 0; b < blocks; b++) {
        size_t end = begin + f->steps / blocks + (b < f->steps % blocks);
        won += leads_in(f, begin, end, median);
        begin = end;
    }
    return (double)won / (double)blocks;
}

/* ---- naming ---- */

/* Returns how much longer than the median rank the culprits take in an action, in the steps that
 * count. */
static double loss_in(struct finding *f, const double *value)
{
    double sum = 0;
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        if (!f->high[s])
            continue;
        double middle = column_median(f, value, s);
        for (size_t r = 0; r < f->ranks; r++) {
            sum += f->row[r] ? at(f, value, r, s) - middle : 0;
            count += f->row[r];
        }
    }
    return count ? sum / (double)count : 0;
}

static double lateness(const struct finding *f)
{
    double sum = 0;
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++)
        for (size_t r = 0; r < f->ranks; r++)
            if (f->high[s] && f->row[r])
                sum += at(f, f->late, r, s), count++;
    return count ? sum / (double)count : 0;
}

/* Returns the gain if the culprits were as fast as the next rank. */
static double gain_of(const struct finding *f)
{
    double sum = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double most = -INFINITY, rest = -INFINITY;
        for (size_t r = 0; r < f->ranks; r++) {
            most = fmax(most, at(f, f->work, r, s));
            rest = f->row[r] ? rest : fmax(rest, at(f, f->work, r, s));
        }
        sum += isinf(rest) ? 0 : fmax(0, most - rest);
    }
    return sum / f->whole;
}

/* Returns the action in which the others wait longest, in the steps that count. */
static const char *longest_wait(const struct finding *f)
{
    const char *longest = NULL;
    double most = 0;
    for (size_t a = 0; a < f->data->actions; a++) {
        double sum = 0;
        for (size_t i = 0; f->data->wait[a] && i < f->ranks * f->steps; i++)
            sum += f->row[i / f->steps] || !f->high[i % f->steps] ? 0 : f->data->value[a][i];
        if (sum > most) {
            most = sum;
            longest = f->data->action[a];
        }
    }
    return longest;
}

/* Fills in a finding with a name. The culprits are in f->row, and the steps that count in f->high.
 */
static void name(struct finding *f, const char *verdict, double confidence)
{
    struct swi_straggler *found = f->found;
    double total = 0, best = -INFINITY;
    found->verdict = verdict;
    found->named = true;
    found->confidence = confidence;
    for (size_t a = 0; a < f->data->actions; a++) {
        double lost = f->data->wait[a] ? -INFINITY : loss_in(f, f->data->value[a]);
        total += lost > 0 ? lost : 0;
        if (lost > best) {
            best = lost;
            found->phase = f->data->action[a];
        }
    }
    found->phase_part = total > 0 ? best / total : 0;
    found->phase_loss = best;
    found->wait = longest_wait(f);
    found->late = lateness(f);
    found->gain = gain_of(f);
    if (found->late > 0 && total < 0.5 * found->late)
        found->phase = NULL;
}

static void all_steps(struct finding *f)
{
    for (size_t s = 0; s < f->steps; s++)
        f->high[s] = true;
}

/* ---- one host ---- */

static size_t rows_of_host(struct finding *f, const char *host)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranks; r++)
        count += f->row[r] = strcmp(f->data->host[r], host) == 0;
    return count;
}

/* Collects the usual lateness of the ranks whose f->row equals mine in f->column. Returns how many
 * they are. */
static size_t usual_of(struct finding *f, bool mine)
{
    size_t count = 0;
    for (size_t r = 0; r < f->ranks; r++)
        if (f->row[r] == mine)
            f->column[count++] = f->usual[r];
    return count;
}

static double usual_median(struct finding *f, bool mine)
{
    return swi_median_of(f->column, usual_of(f, mine));
}

static double usual_spread(struct finding *f, bool mine)
{
    return swi_spread_of(f->column, usual_of(f, mine));
}

/* Returns the distance between the earliest of the host's ranks and the latest of all others. */
static double gap_of(const struct finding *f)
{
    double mine = INFINITY, others = -INFINITY;
    for (size_t r = 0; r < f->ranks; r++) {
        mine = f->row[r] ? fmin(mine, f->usual[r]) : mine;
        others = f->row[r] ? others : fmax(others, f->usual[r]);
    }
    return mine - others;
}

static int by_host(const void *a, const void *b, void *arg)
{
    const char *const *host = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int by = strcmp(host[x], host[y]);
    return by ? by : x < y ? -1 : x > y;
}

/* Returns how many entries of f->order, from this one on, are on the same host. */
static size_t same_host(const struct finding *f, size_t from)
{
    const char *const *host = f->data->host;
    size_t end = from + 1;
    while (end < f->ranks && strcmp(host[f->order[end]], host[f->order[from]]) == 0)
        end++;
    return end - from;
}

/* Returns the host that is usually the latest, and sets how many hosts there are. If several are
 * equally late, the first by name is used. Ranks are sorted by host first, because there may be
 * thousands of both. */
static const char *latest_host(struct finding *f, size_t *hosts)
{
    const char *latest = NULL;
    double most = -INFINITY;
    *hosts = 0;
    for (size_t r = 0; r < f->ranks; r++)
        f->order[r] = r;
    qsort_r(f->order, f->ranks, sizeof *f->order, by_host, (void *)f->data->host);
    for (size_t from = 0, count; from < f->ranks; from += count) {
        count = same_host(f, from);
        (*hosts)++;
        for (size_t i = 0; i < count; i++)
            f->column[i] = f->usual[f->order[from + i]];
        double median = swi_median_of(f->column, count);
        if (median > most) {
            most = median;
            latest = f->data->host[f->order[from]];
        }
    }
    return latest;
}

static bool find_host(struct finding *f)
{
    size_t hosts;
    const char *host = latest_host(f, &hosts);
    if (hosts < 2 || f->ranks <= hosts || rows_of_host(f, host) < 2)
        return false;
    double within = fmax(fmax(usual_spread(f, false), usual_spread(f, true)), 1e-12);
    if (usual_median(f, true) - usual_median(f, false) < EFFECT * f->step || gap_of(f) <= within)
        return false;
    double confidence = leads(f);
    if (confidence < SURE)
        return false;
    all_steps(f);
    for (size_t r = f->ranks; r-- > 0;)
        f->found->rank = f->row[r] ? r : f->found->rank;
    f->found->host = host;
    name(f, "host", confidence);
    return true;
}

/* ---- one rank, all the time ---- */

static void row_set(struct finding *f, size_t rank)
{
    memset(f->row, 0, f->ranks * sizeof *f->row);
    f->row[rank] = true;
}

static bool stands_out(struct finding *f, size_t rank)
{
    double least = INFINITY;
    for (size_t r = 0; r < f->ranks; r++)
        least = fmin(least, f->usual[r]);
    if (f->ranks <= 2)
        return f->usual[rank] - least >= EFFECT * f->step;
    memcpy(f->column, f->usual, f->ranks * sizeof *f->column);
    double sigma = fmax(swi_spread_of(f->column, f->ranks), LEAST_SIGMA * f->step);
    memcpy(f->column, f->usual, f->ranks * sizeof *f->column);
    double middle = swi_median_of(f->column, f->ranks);
    return f->usual[rank] - middle >= fmax(EFFECT * f->step, threshold(f->ranks) * sigma);
}

static bool find_rank(struct finding *f)
{
    size_t rank = 0;
    for (size_t r = 1; r < f->ranks; r++)
        rank = f->usual[r] > f->usual[rank] ? r : rank;
    if (!stands_out(f, rank))
        return false;
    row_set(f, rank);
    double confidence = leads(f);
    if (confidence < SURE)
        return false;
    all_steps(f);
    f->found->rank = rank;
    name(f, "rank", confidence);
    return true;
}

/* ---- one rank, in some steps ---- */

/* Returns an upper bound of the probability that some rank is the last in k of n steps if the last
 * rank is random in each step. */
static double by_chance(size_t k, size_t n, size_t ranks)
{
    double p = 1 / (double)ranks, sum = 0;
    for (size_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
                   (double)i * log(p) + (double)(n - i) * log1p(-p));
    return (double)ranks * sum;
}

/* Returns the rank that is the last in a step, and sets its distance from the second. */
static size_t last_in(const struct finding *f, size_t step, double *lead)
{
    size_t last = 0;
    double second = -INFINITY;
    for (size_t r = 1; r < f->ranks; r++)
        if (at(f, f->late, r, step) > at(f, f->late, last, step))
            last = r;
    for (size_t r = 0; r < f->ranks; r++)
        if (r != last)
            second = fmax(second, at(f, f->late, r, step));
    *lead = at(f, f->late, last, step) - second;
    return last;
}

/* Fills f->high. Returns how many steps it marks. */
static size_t high_find(struct finding *f)
{
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double worst = -INFINITY;
        for (size_t r = 0; r < f->ranks; r++)
            worst = fmax(worst, at(f, f->late, r, s));
        double sigma = swi_spread_of(column_of(f, f->late, s), f->ranks);
        f->high[s] = worst >= EFFECT * f->step &&
                     worst >= threshold(f->ranks) * fmax(sigma, LEAST_SIGMA * f->step);
        count += f->high[s];
    }
    return count;
}

/* Keeps only the steps in f->high in which this rank is the last. */
static void steps_of(struct finding *f, size_t rank)
{
    struct swi_straggler *found = f->found;
    double lead;
    found->high_steps = 0;
    for (size_t s = 0; s < f->steps; s++) {
        f->high[s] = f->high[s] && last_in(f, s, &lead) == rank;
        if (f->high[s] && found->high_steps++ == 0)
            found->first_step = s;
        found->last_step = f->high[s] ? s : found->last_step;
    }
}

static bool find_intermittent(struct finding *f, size_t high)
{
    double *weight = f->column, total = 0;
    if (high < 3)
        return false;
    memset(weight, 0, f->ranks * sizeof *weight);
    for (size_t s = 0; s < f->steps; s++) {
        double lead;
        size_t last = last_in(f, s, &lead);
        weight[last] += f->high[s] ? lead : 0;
    }
    size_t rank = 0, times = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        rank = weight[r] > weight[rank] ? r : rank;
        total += weight[r];
    }
    double mine = weight[rank], lead;
    for (size_t s = 0; s < f->steps; s++)
        times += f->high[s] && last_in(f, s, &lead) == rank;
    if (by_chance(times, high, f->ranks) > CHANCE || mine / (double)f->steps < EFFECT / 4 * f->step)
        return false;
    row_set(f, rank);
    steps_of(f, rank);
    f->found->rank = rank;
    name(f, "intermittent", mine / total);
    return true;
}

/* ---- the whole ---- */

static const char *nobody(const struct finding *f, size_t high)
{
    const struct swi_straggler *found = f->found;
    if ((double)high >= 0.5 * (double)f->steps)
        return "rotating";
    if (found->communication >= COMMUNICATION && found->communication >= found->lost)
        return "communication";
    return found->lost >= EFFECT ? "spread" : "balanced";
}

static void find(struct finding *f)
{
    sum_up(f);
    shares_find(f);
    f->found->mirror = mirror(f);
    f->found->has_shares = true;
    if (f->found->mirror > MIRROR && work_differs(f)) {
        f->found->why = "waits";
        return;
    }
    if (find_host(f) || find_rank(f))
        return;
    size_t high = high_find(f);
    if (!find_intermittent(f, high))
        f->found->verdict = nobody(f, high);
}

static bool has_wait(const struct swi_rank_durations *data)
{
    for (size_t a = 0; a < data->actions; a++)
        if (data->wait[a])
            return true;
    return false;
}

/* Returns how many numbers a finding needs room for: work, idle, late, column with room for one
 * more value of each rank, and usual. */
static size_t room_of(const struct swi_rank_durations *data)
{
    return 4 * data->ranks * data->steps + 2 * data->ranks;
}

static void room_share(struct finding *f, double *room, bool *flags)
{
    size_t cells = f->ranks * f->steps;
    f->work = room;
    f->idle = f->work + cells;
    f->late = f->idle + cells;
    f->usual = f->late + cells;
    f->column = f->usual + f->ranks;
    f->row = flags;
    f->high = flags + f->ranks;
}

bool swi_straggler_find(struct swi_straggler *found, const struct swi_rank_durations *data)
{
    *found = (struct swi_straggler){.verdict = "abstain"};
    if (!has_wait(data))
        found->why = "no wait";
    else if (data->ranks < 2 || data->steps < 3)
        found->why = "too little";
    if (found->why)
        return true;
    struct finding f = {.data = data, .found = found, .ranks = data->ranks, .steps = data->steps};
    double *room = calloc(room_of(data), sizeof *room);
    bool *flags = calloc(data->ranks + data->steps, sizeof *flags);
    f.order = calloc(data->ranks, sizeof *f.order);
    bool fine = room && flags && f.order;
    if (fine) {
        room_share(&f, room, flags);
        find(&f);
    }
    free(room);
    free(flags);
    free(f.order);
    return fine;
}
