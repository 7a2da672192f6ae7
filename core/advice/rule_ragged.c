/* SPDX-License-Identifier: MIT */
/* ragged: small batches that take nearly as long as full ones. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"

#include <math.h>
#include <stdlib.h>

#define SMALL 0.9 /* of the usual size */
#define SHARE_LEAST 0.04
#define WASTE_LEAST 1.3 /* cost of a sample, compared with one of a full batch */
#define RATIO_MOST 1.25 /* of a full batch's time; a longer one is slow for another reason */
#define CUT 1.5
enum { FULL_LEAST = 16, SMALL_LEAST = 4 };

struct small {
    size_t count;
    double full; /* a full batch, ns */
    double *x;   /* room for three times as many values as there are steps */
    double share, samples, ratio, waste;
};

static const char formula[] =
    "batches < 90 % of the usual size: batch - full x size / usual size, summed, >= 4 % of "
    "training; a sample costs >= 1.3 times that of a full batch; gain = share / (1 - share)";

static bool is_small(const struct swi_analysis *analysis, size_t i)
{
    return analysis->samples[i] > 0 &&
           (double)analysis->samples[i] < SMALL * (double)analysis->size && !analysis->explained[i];
}

static void small_take(struct swi_analysis *analysis, struct small *small)
{
    double *samples = small->x, *ratio = samples + analysis->n, *waste = ratio + analysis->n,
           lost = 0;
    double size = (double)analysis->size;
    for (size_t i = 0; i < analysis->mains; i++)
        analysis->whole[i] = analysis->batch[analysis->main[i]];
    small->full = swi_sample_median(analysis->whole, analysis->mains, analysis->scratch);
    for (size_t i = 0; i < analysis->n; i++) {
        if (!is_small(analysis, i))
            continue;
        double n = (double)analysis->samples[i], batch = analysis->batch[i], full = small->full;
        samples[small->count] = n;
        ratio[small->count] = full > 0 ? batch / full : 0;
        waste[small->count] = full > 0 ? batch / full * size / n : 0;
        small->count++;
        lost += fmin(batch, CUT * full) - full * n / size;
    }
    small->share = lost / analysis->total;
    small->samples = swi_sample_median(samples, small->count, analysis->scratch);
    small->ratio = swi_sample_median(ratio, small->count, analysis->scratch);
    small->waste = swi_sample_median(waste, small->count, analysis->scratch);
}

static void say(struct swi_analysis *analysis, const struct small *small)
{
    struct swi_draft said = {.id = "ragged",
                             .formula = formula,
                             .level = SW_FINDING_NOTE,
                             .gain = small->share / (1 - small->share)};
    swi_text_format(&said.text,
                    "Batches smaller than %s samples (typically %s) take %s of the time "
                    "of a full one: %s of the training time is lost by them. Without "
                    "that, the loop would do ",
                    swi_word_rate((double)analysis->size).text, swi_word_rate(small->samples).text,
                    swi_word_percent(small->ratio).text, swi_word_percent(small->share).text);
    swi_faster(&said.text, analysis, said.gain);
    swi_text_put(&said.next, "Leave out or fill up the last batch of an epoch, or put samples of "
                             "similar length together.");
    swi_draft_number(&said, "share", small->share);
    swi_draft_count(&said, "small", (int64_t)small->count);
    swi_draft_count(&said, "size", analysis->size);
    swi_find(analysis, &said);
}

static void small_check(struct swi_analysis *analysis, struct small *small)
{
    small_take(analysis, small);
    if (small->count >= SMALL_LEAST && small->share >= SHARE_LEAST && small->waste >= WASTE_LEAST &&
        small->ratio <= RATIO_MOST)
        say(analysis, small);
    else
        swi_check(analysis, "ragged", SWI_RULE_NONE, "%zu smaller batch%s cost%s %s", small->count,
                  small->count == 1 ? "" : "es", small->count == 1 ? "s" : "",
                  swi_word_percent(small->share).text);
}

static void ragged(struct swi_analysis *analysis)
{
    if (!analysis->has_samples || analysis->size <= 0 || analysis->mains < FULL_LEAST) {
        swi_check(analysis, "ragged", SWI_RULE_ABSTAINED, "%s",
                  analysis->has_samples && analysis->size > 0
                      ? "too few batches are of equal size"
                      : "the number of samples is not known");
        return;
    }
    struct small small = {.x = calloc(3 * analysis->n, sizeof *small.x)};
    if (small.x)
        small_check(analysis, &small);
    else
        analysis->failed = true;
    free(small.x);
}

const struct swi_rule swi_rule_ragged = {"ragged", SWI_NEEDS_CALM, ragged};
