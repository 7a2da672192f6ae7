/* SPDX-License-Identifier: MIT */
/* sampler.h - `times: sampled`: a thread notes where the others are, and the hooks read no clock.
 */
#ifndef PROBES_FUNCTIONS_SAMPLER_H
#define PROBES_FUNCTIONS_SAMPLER_H

#include "probes/functions/format.h"

#include <stdbool.h>

/* Starts the thread, if times is FN_SAMPLED. */
void fn_sampler_start(enum fn_times times);

/* It takes no more samples. */
void fn_sampler_end(void);

/* ---- a thread that looks at the others, and handles no signal -------------------------------- */

/* Starts it. Returns false where that is not possible. */
bool fn_looking_start(void *(*run)(void *));

/* Sleeps until the next look is due. Returns how many periods have passed: more than one if the
 * thread could not run for a while. */
int64_t fn_looking_wait(int64_t *due_ns, int64_t period_ns);

#endif
