/* SPDX-License-Identifier: MIT */
/* pace.h - lets a part of a step take a set time, as if each rank computed on a device of its own:
 * sixteen ranks on two cores then behave like sixteen machines. */
#ifndef RANKS_PACE_H
#define RANKS_PACE_H

#include "rank_options.h"

/* A third of the pace is for the forward pass, the rest for the backward pass. */
#define FORWARD_SHARE (1.0 / 3)
#define BACKWARD_SHARE (2.0 / 3)

struct pace {
    double step_s; /* both passes together; 0: no longer than they take */
    double begun_s;
    double slower; /* 0.2: 20 % */
};

/* The pace of a rank. */
struct pace pace_of(const struct rank_options *options, int rank);

/* What is between these two takes at least this share of the step's time, and on the slow rank so
 * much more. */
void pace_begin(struct pace *pace);
void pace_end(const struct pace *pace, double share);

#endif
