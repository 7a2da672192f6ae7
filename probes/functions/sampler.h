/* SPDX-License-Identifier: MIT */
/* sampler.h - `times: sampled`: a thread notes where the others are, and the hooks read no clock.
 */
#ifndef PROBES_FUNCTIONS_SAMPLER_H
#define PROBES_FUNCTIONS_SAMPLER_H

#include "probes/functions/format.h"

/* Starts the thread, if times is FN_SAMPLED. */
void fn_sampler_start(enum fn_times times);

/* It takes no more samples. */
void fn_sampler_end(void);

#endif
