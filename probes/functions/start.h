/* SPDX-License-Identifier: MIT */
/* start.h - whether this process is measured, how, and its beginning and end. */
#ifndef PROBES_FUNCTIONS_START_H
#define PROBES_FUNCTIONS_START_H

#include "probes/functions/thread_state.h"

/* What was asked for; FN_OFF in a process that is not to be measured. */
enum fn_times fn_times(void);

/* Whether samples are of wall time: FN_SAMPLE. */
bool fn_is_wall(void);

enum fn_times fn_times_named(const char *name);

/* The process is measured in another way from now on: by its name. */
void fn_times_set(const char *name);

/* Makes the file at the first call; false where nothing is counted. Any thread, also in a signal
 * handler. */
bool fn_start(void);

/* Returns whether it was made. */
bool fn_start_is_on(void);

/* Returns whether it is known that hooks count nothing, as where functions are sampled. Makes no
 * system call, because such hooks ask at each call. */
bool fn_start_hooks_idle(void);

/* Nothing is counted any more: in a child. */
void fn_start_off(void);

/* The process comes to its end; false if nothing was counted. */
bool fn_start_end(void);

/* Compares the counter with the clock, if that was long ago: for a process that is killed. */
void fn_start_look(void);

#endif
