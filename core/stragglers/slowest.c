/* SPDX-License-Identifier: MIT */
#include "core/stragglers/lateness.h"
#include "core/stragglers/order_statistics.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 10 };

static double median_between(struct swi_lateness *f, size_t rank, size_t begin, size_t end)
{
    for (size_t s = begin; s < end; s++)
        f->column[s - begin] = swi_lateness_late(f, rank, s);
    return swi_median_of(f->column, end - begin);
}

/* Returns whether the slowest ranks are later than all others in a block of steps. */
static bool leads_in(struct swi_lateness *f, size_t begin, size_t end, double *median)
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

double swi_slowest_leads(struct swi_lateness *f)
{
    size_t blocks = f->steps < BLOCKS ? f->steps : BLOCKS, won = 0, begin = 0;
    double *median = f->column + f->steps;
    for (size_t b = 0; b < blocks; b++) {
        size_t end = begin + f->steps / blocks + (b < f->steps % blocks);
        won += leads_in(f, begin, end, median);
        begin = end;
    }
    return (double)won / (double)blocks;
}

/* Returns how much longer than the median rank the slowest ranks take in an action, in the steps
 * that count. */
static double loss_in(struct swi_lateness *f, const float *value)
{
    double sum = 0;
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        if (!f->high[s])
            continue;
        double middle = swi_lateness_median(f, value, s);
        for (size_t r = 0; r < f->ranks; r++) {
            sum += f->row[r] ? swi_lateness_at(f, value, r, s) - middle : 0;
            count += f->row[r];
        }
    }
    return count ? sum / (double)count : 0;
}

static double lateness(const struct swi_lateness *f)
{
    double sum = 0;
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++)
        for (size_t r = 0; r < f->ranks; r++)
            if (f->high[s] && f->row[r])
                sum += swi_lateness_late(f, r, s), count++;
    return count ? sum / (double)count : 0;
}

/* Returns the gain if the slowest ranks were as fast as the next rank. */
static double gain_of(const struct swi_lateness *f)
{
    double sum = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double most = -INFINITY, rest = -INFINITY;
        for (size_t r = 0; r < f->ranks; r++) {
            most = fmax(most, swi_lateness_work(f, r, s));
            rest = f->row[r] ? rest : fmax(rest, swi_lateness_work(f, r, s));
        }
        sum += isinf(rest) ? 0 : fmax(0, most - rest);
    }
    return sum / f->whole;
}

/* Returns the action in which the others wait longest, in the steps that count. */
static const char *longest_wait(const struct swi_lateness *f)
{
    const char *longest = NULL;
    double most = 0;
    for (size_t a = 0; a < f->data->actions; a++) {
        const struct swi_rank_action *action = &f->data->action[a];
        double sum = 0;
        for (size_t i = 0; action->waits && i < f->ranks * f->steps; i++)
            sum += f->row[i / f->steps] || !f->high[i % f->steps] ? 0 : (double)action->value[i];
        if (sum > most) {
            most = sum;
            longest = action->name;
        }
    }
    return longest;
}

/* Returns the rank that arrives last in a step. */
static size_t last_in(const struct swi_lateness *f, size_t step)
{
    size_t last = 0;
    for (size_t r = 1; r < f->ranks; r++)
        if (swi_lateness_work(f, r, step) > swi_lateness_work(f, last, step))
            last = r;
    return last;
}

/* Among many ranks, the one that is slow in each step may rarely be the one that all wait for: some
 * other rank has a rare delay in nearly each step. */
static void lasts_find(struct swi_lateness *f, struct swi_slowness *slow)
{
    size_t counted = 0, times_last = 0;
    memset(f->column, 0, f->ranks * sizeof *f->column);
    for (size_t s = 0; s < f->steps; s++) {
        size_t last = last_in(f, s);
        counted += f->high[s];
        times_last += f->high[s] && f->row[last];
        f->column[last] += !f->row[last];
    }
    slow->last_part = counted ? (double)times_last / (double)counted : 1;
    for (size_t r = 0; r < f->ranks; r++)
        slow->last_ranks += f->column[r] > 0;
}

void swi_slowest_describe(struct swi_lateness *f, struct swi_slowness *slow)
{
    double total = 0, best = -INFINITY;
    for (size_t a = 0; a < f->data->actions; a++) {
        const struct swi_rank_action *action = &f->data->action[a];
        double lost = action->waits ? -INFINITY : loss_in(f, action->value);
        total += lost > 0 ? lost : 0;
        if (lost > best) {
            best = lost;
            slow->phase = action->name;
        }
    }
    slow->phase_part = total > 0 ? best / total : 0;
    slow->phase_loss = best;
    slow->wait = longest_wait(f);
    slow->late = lateness(f);
    slow->gain = gain_of(f);
    lasts_find(f, slow);
    if (slow->late > 0 && total < 0.5 * slow->late)
        slow->phase = NULL;
}

void swi_slowest_name(struct swi_lateness *f, const char *verdict, double confidence)
{
    f->found->verdict = verdict;
    f->found->named = true;
    f->found->confidence = confidence;
    swi_slowest_describe(f, &f->found->slow);
}

void swi_slowest_all_steps(struct swi_lateness *f)
{
    for (size_t s = 0; s < f->steps; s++)
        f->high[s] = true;
}

void swi_slowest_set(struct swi_lateness *f, size_t rank)
{
    memset(f->row, 0, f->ranks * sizeof *f->row);
    f->row[rank] = true;
}
