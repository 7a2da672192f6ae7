/* SPDX-License-Identifier: MIT */
#include "core/stragglers/straggler.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A rank for which the others wait in fewer steps is not the one that costs. */
#define LAST_PART 0.25

/* Adds a time with four significant digits and a unit. */
static void time_put(struct swi_text *text, double ns)
{
    static const char *const unit[] = {"ns", "\302\265s", "ms", "s"};
    size_t i = 0;
    for (; i < 3 && fabs(ns) >= 999.95; i++)
        ns /= 1000;
    int digits = fabs(ns) < 9.9995 ? 3 : fabs(ns) < 99.995 ? 2 : fabs(ns) < 999.95 ? 1 : 0;
    swi_text_format(text, "%.*f %s", digits, ns, unit[i]);
}

static void nth_put(struct swi_text *text, int64_t n)
{
    const char *end = n % 100 / 10 == 1 ? "th"
                      : n % 10 == 1     ? "st"
                      : n % 10 == 2     ? "nd"
                      : n % 10 == 3     ? "rd"
                                        : "th";
    swi_text_format(text, "%" PRId64 "%s", n, end);
}

static void rank_put(struct swi_text *text, int64_t rank, const char *node)
{
    if (node && *node)
        swi_text_format(text, "rank %" PRId64 " (node %s): ", rank, node);
    else
        swi_text_format(text, "rank %" PRId64 ": ", rank);
}

static void group_put(struct swi_text *text, const struct swi_slow_group *group)
{
    if (group->ranks == 1) {
        rank_put(text, group->first, group->first_host);
    } else if (group->hosts == 1) {
        swi_text_format(text, "all ranks of node %s: ", group->first_host);
    } else if (group->hosts) {
        swi_text_format(text, "all ranks of %zu nodes, ", group->hosts);
        if (group->stride == 1)
            swi_text_format(text, "%s to %s: ", group->first_host, group->last_host);
        else
            swi_text_format(text, "such as %s: ", group->first_host);
    } else if (group->stride > 1) {
        swi_text_put(text, "every ");
        nth_put(text, group->stride);
        swi_text_format(text, " rank from %" PRId64 " to %" PRId64 ": ", group->first, group->last);
    } else if (group->ranks == 2) {
        swi_text_format(text, "ranks %" PRId64 " and %" PRId64 ": ", group->first, group->last);
    } else if (group->stride == 1) {
        swi_text_format(text, "ranks %" PRId64 " to %" PRId64 ": ", group->first, group->last);
    } else {
        swi_text_format(text, "%zu ranks, such as rank %" PRId64 ": ", group->ranks, group->first);
    }
}

static void what_put(struct swi_text *text, const struct swi_slowness *slow)
{
    swi_text_put(text, slow->phase ? slow->phase : "time outside of the measured actions");
    swi_text_put(text, slow->phase ? " takes " : " is ");
    time_put(text, slow->phase ? slow->phase_loss : slow->late);
    swi_text_put(text, " more a step than the median");
}

static void period_put(struct swi_text *text, size_t period, size_t block)
{
    if (!period)
        return;
    swi_text_put(text, ", every ");
    nth_put(text, (int64_t)(period * block));
    swi_text_put(text, " step");
}

static void when_put(struct swi_text *text, const struct swi_slowness *slow, size_t block)
{
    if (!slow->high_steps)
        return;
    swi_text_format(text, " in %zu steps, from step %zu to %zu", slow->high_steps * block,
                    slow->first_step * block, (slow->last_step + 1) * block - 1);
    period_put(text, slow->period, block);
}

static void gain_put(struct swi_text *text, const struct swi_slowness *slow, const char *it)
{
    if (slow->gain < 1)
        swi_text_format(text, "; without %s: +%.1f %% samples/s", it,
                        100 * slow->gain / (1 - slow->gain));
}

/* What costs is not who is named. */
static void rarely_last_put(struct swi_text *text, const struct swi_slowness *slow, bool group,
                            const struct swi_rank_delays *delays, size_t block)
{
    swi_text_format(text, ", but %s is the last in only %.1f %% of the steps",
                    group ? "one of them" : "it", 100 * slow->last_part);
    gain_put(text, slow, group ? "them" : "it");
    swi_text_format(text,
                    "; %.1f %% of the time is lost to rare delays, which made %zu other rank%s the "
                    "last in some step",
                    100 * delays->lost, slow->last_ranks, slow->last_ranks == 1 ? "" : "s");
    period_put(text, delays->period, block);
}

static void slowness_put(struct swi_text *text, const struct swi_slowness *slow, bool group,
                         const struct swi_rank_delays *delays, size_t block)
{
    what_put(text, slow);
    when_put(text, slow, block);
    if (slow->last_part < LAST_PART && slow->last_ranks > 1) {
        rarely_last_put(text, slow, group, delays, block);
        return;
    }
    swi_text_format(text, "; everybody waits for %s", group ? "them" : "it");
    if (slow->wait)
        swi_text_format(text, " in %s", slow->wait);
    gain_put(text, slow, group ? "them" : "it");
}

static const char *sentence_of(const char *verdict)
{
    static const struct {
        const char *verdict, *text;
    } sentence[] = {
        {"rotating", "in each step another rank is the last: no single rank is slow"},
        {"communication", "even the last rank waits long: communication takes the time"},
        {"spread", "time is lost to many small differences: no single rank is slow"},
        {"balanced", "no rank keeps the others waiting"},
        {"no wait", "who keeps the others waiting is not known: name the actions in which ranks "
                    "wait for each other, such as allreduce"},
        {"too little", "who keeps the others waiting is not known: too few ranks or steps"},
        {"waits", "who keeps the others waiting is not known: the waits do not follow from the "
                  "work"},
    };
    for (size_t i = 0; i < sizeof sentence / sizeof *sentence; i++)
        if (strcmp(sentence[i].verdict, verdict) == 0)
            return sentence[i].text;
    return verdict;
}

/* Ranks that are late by far now and then, each of them rarely. */
static void delays_put(struct swi_text *text, const struct swi_rank_delays *delays, size_t block)
{
    swi_text_format(text, "%.1f %% of the time is lost to delays in %zu of %zu steps",
                    100 * delays->lost, delays->steps * block, delays->of_steps * block);
    period_put(text, delays->period, block);
    swi_text_format(text, ": %zu rank%s late by far, %s in at most %zu of them", delays->ranks,
                    delays->ranks == 1 ? " is" : "s are", delays->ranks == 1 ? "it" : "each",
                    delays->most * block);
}

static void nobody_put(struct swi_text *text, const struct swi_straggler *found, size_t block)
{
    const struct swi_rank_delays *delays = &found->delays;
    const char *verdict = found->why ? found->why : found->verdict;
    bool rotating = strcmp(verdict, "rotating") == 0;
    if (strcmp(verdict, "spread") == 0 && delays->lost >= 0.5 * found->lost) {
        delays_put(text, delays, block);
        swi_text_put(text, "; no single rank is slow");
        return;
    }
    swi_text_put(text, sentence_of(verdict));
    if (!rotating || !delays->steps)
        return;
    swi_text_put(text, "; ");
    delays_put(text, delays, block);
}

void swi_straggler_sentence(struct swi_text *text, const struct swi_straggler *found, int64_t rank,
                            const char *node, size_t block)
{
    if (found->group.ranks) {
        group_put(text, &found->group);
        slowness_put(text, &found->group.slow, found->group.ranks > 1, &found->delays, block);
    } else if (found->named) {
        if (found->host)
            swi_text_format(text, "all ranks of node %s: ", found->host);
        else
            rank_put(text, rank, node);
        slowness_put(text, &found->slow, false, &found->delays, block);
    } else {
        nobody_put(text, found, block);
    }
    if (block > 1)
        swi_text_format(text, " (means of %zu steps: short delays are not seen)", block);
}
