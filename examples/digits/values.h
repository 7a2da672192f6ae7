/* SPDX-License-Identifier: MIT */
/* values.h - what the network reads wrongly, and what its weights look like, for sinks that show
 * more than numbers. */
#ifndef DIGITS_VALUES_H
#define DIGITS_VALUES_H

#include "net.h"

#include <stepwatch/stepwatch.h>

enum { WRONG_KEPT = 32 };

/* One validation. Initialise it as {0}. */
struct mistakes {
    int confusion[CLASSES][CLASSES]; /* how often a digit of this label was read as which */
    int count;                       /* of those below */
    int32_t label[WRONG_KEPT];
    int32_t answer[WRONG_KEPT];
    float sure[WRONG_KEPT]; /* how sure the network was: 0..1 */
    float pixel[WRONG_KEPT][PIXELS];
};

/* Adds the answers for one batch. */
void mistakes_add(struct mistakes *mistakes, const struct net *net, const struct batch *batch);

/* Logs them: the confusion matrix as an image, a table and images of digits that were read wrongly,
 * and a histogram of the weights of the first layer. */
void mistakes_log(struct sw_profiler *sw, const struct mistakes *mistakes, const struct net *net);

/* Sends an alert if the loss is not a number any more. */
void loss_watch(struct sw_profiler *sw, double loss);

#endif
