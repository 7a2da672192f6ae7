/* SPDX-License-Identifier: MIT */
/* cpu_samples.h - `times: sample`: a timer of CPU time for each thread interrupts it, and the
 * handler notes which functions are open. The program needs no hooks. */
#ifndef PROBES_FUNCTIONS_CPU_SAMPLES_H
#define PROBES_FUNCTIONS_CPU_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { FN_RATE = 97, FN_RATE_MOST = 10000 };

/* Takes a signal and samples the calling thread, and threads that it makes, from now on. Not in a
 * signal handler. Samples of a second of CPU time; 0: as the environment says, or 97. */
void fn_sampling_start(uint32_t rate);

/* No more samples are taken. */
void fn_sampling_stop(void);

/* Whether threads are sampled. */
bool fn_sampling_is_on(void);

/* The calling thread is sampled from now on. bottom: of its stack (stack_walk.h). */
void fn_sampling_thread(uintptr_t bottom);

/* The same of the first thread, in the function that calls main(). */
void fn_sampling_main(uintptr_t bottom);

/* Returns whether the calling thread is sampled. */
bool fn_sampling_here(void);

/* The child of a fork is not sampled. */
void fn_sampling_child(void);

/* The innermost action of the calling thread from now on; FN_NO_REGION: none. */
void fn_sampling_innermost(int action);

/* Which action is innermost is asked with this function from now on. */
void fn_sampling_regions(int (*innermost)(void));

#endif
