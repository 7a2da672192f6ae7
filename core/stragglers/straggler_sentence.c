/* SPDX-License-Identifier: MIT */
#include "core/stragglers/straggler_sentence.h"

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

static void who_put(struct swi_text *text, const struct swi_straggler *found, int64_t rank,
                    const char *node)
{
    if (found->host)
        swi_text_format(text, "all ranks of node %s: ", found->host);
    else if (node && *node)
        swi_text_format(text, "rank %" PRId64 " (node %s): ", rank, node);
    else
        swi_text_format(text, "rank %" PRId64 ": ", rank);
}

static void what_put(struct swi_text *text, const struct swi_straggler *found)
{
    swi_text_put(text, found->phase ? found->phase : "time outside of the measured actions");
    swi_text_put(text, found->phase ? " takes " : " is ");
    time_put(text, found->phase ? found->phase_loss : found->late);
    swi_text_put(text, " more a step than the median");
}

static void when_put(struct swi_text *text, const struct swi_straggler *found, size_t block)
{
    if (found->high_steps)
        swi_text_format(text, " in %zu steps, from step %zu to %zu", found->high_steps * block,
                        found->first_step * block, (found->last_step + 1) * block - 1);
}

static void gain_put(struct swi_text *text, const struct swi_straggler *found)
{
    if (found->gain < 1)
        swi_text_format(text, "; without it: +%.1f %% samples/s",
                        100 * found->gain / (1 - found->gain));
}

/* What costs is not the rank that is named. */
static void rarely_last_put(struct swi_text *text, const struct swi_straggler *found)
{
    swi_text_format(text, ", but it is the last in only %.1f %% of the steps",
                    100 * found->last_part);
    gain_put(text, found);
    swi_text_format(text,
                    "; %.1f %% of the time is lost to rare delays, which made %zu other "
                    "rank%s the last in some step",
                    100 * found->lost, found->last_ranks, found->last_ranks == 1 ? "" : "s");
}

static void culprit_put(struct swi_text *text, const struct swi_straggler *found, int64_t rank,
                        const char *node, size_t block)
{
    who_put(text, found, rank, node);
    what_put(text, found);
    when_put(text, found, block);
    if (found->last_part < LAST_PART && found->last_ranks > 1) {
        rarely_last_put(text, found);
        return;
    }
    swi_text_put(text, "; everybody waits for it");
    if (found->wait)
        swi_text_format(text, " in %s", found->wait);
    gain_put(text, found);
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

void swi_straggler_sentence(struct swi_text *text, const struct swi_straggler *found, int64_t rank,
                            const char *node, size_t block)
{
    if (found->named)
        culprit_put(text, found, rank, node, block);
    else
        swi_text_put(text, sentence_of(found->why ? found->why : found->verdict));
    if (block > 1)
        swi_text_format(text, " (means of %zu steps: short delays are not seen)", block);
}
