/* SPDX-License-Identifier: MIT */
/* epoch-start: the loader restarts at each epoch. */
#include "core/advice/rules.h"

enum { EPOCHS_LEAST = 3 };
#define MOST_OF 0.7 /* of the first draws must be slow, and of the slow draws must be first */
#define SHARE_LEAST 0.05

static const char formula[] =
    "draws > 6 deviations and > 1/4 step above their neighbours: 70 % of the first draws of "
    "epochs are, and are 70 % of them; what they take longer is >= 5 % of training; gain = share "
    "/ (1 - share)";

static void say(struct swi_analysis *analysis, double share, double each, size_t epochs)
{
    struct swi_draft said = {.id = "epoch-start",
                             .formula = formula,
                             .level = SW_FINDING_MEDIUM,
                             .gain = swi_gain_of(share)};
    swi_text_format(&said.text,
                    "The first draw of an epoch takes %s longer than the others: %s of "
                    "the training time. Without that, the loop would do ",
                    swi_word_time(each).text, swi_word_percent(share).text);
    swi_faster(&said.text, analysis, said.gain);
    swi_text_put(&said.next, "Keep the loader's threads from one epoch to the next, and let them "
                             "begin with the next epoch while the last batches are trained or "
                             "validated.");
    swi_draft_number(&said, "share", share);
    swi_draft_number(&said, "each_ns", each);
    swi_draft_count(&said, "epochs", (int64_t)epochs);
    swi_find(analysis, &said);
}

static void epoch_start(struct swi_analysis *analysis)
{
    const struct swi_places *slow = &analysis->slow_draws;
    size_t starts = 0, slow_starts = 0;
    double cost = 0;
    for (size_t i = 0; i < analysis->n; i++)
        starts += analysis->first[i];
    for (size_t i = 0; i < slow->count; i++) {
        slow_starts += analysis->first[slow->at[i]];
        cost += analysis->first[slow->at[i]] ? slow->more[slow->at[i]] : 0;
    }
    double share = cost / analysis->total;
    if (starts < EPOCHS_LEAST || (double)slow_starts < MOST_OF * (double)starts ||
        (double)slow_starts < MOST_OF * (double)slow->count || share < SHARE_LEAST)
        return;
    say(analysis, share, cost / (double)slow_starts, starts);
    for (size_t i = 0; i < slow->count; i++)
        if (analysis->first[slow->at[i]])
            analysis->explained[slow->at[i]] = true;
}

const struct swi_rule swi_rule_epoch_start = {NULL, SWI_NEEDS_STEPS, epoch_start};
