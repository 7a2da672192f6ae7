/* SPDX-License-Identifier: MIT */
/* capture.h - requests for a capture from outside of the program: a file that is touched, a signal,
 * another process. The dispatcher checks for them, so they cost the loop nothing. */
#ifndef CORE_LOOP_CAPTURE_H
#define CORE_LOOP_CAPTURE_H

#include "core/loop/state.h"

/* Starts to watch. steps: of one capture. file: absolute, or NULL. signal: 0 for none. */
void swi_capture_open(struct sw_profiler *sw, int64_t steps, const char *file, int signal);
void swi_capture_close(struct sw_profiler *sw);

/* Checks for a request. If another thread is doing so, it returns at once. */
void swi_capture_look(struct sw_profiler *sw);

#endif
