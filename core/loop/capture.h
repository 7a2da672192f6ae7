/* SPDX-License-Identifier: MIT */
/* capture.h - who asks for a capture from outside of the program: a file that is touched, a signal,
 * another process. All are looked at by the carrier, so the loop pays nothing. */
#ifndef CORE_LOOP_CAPTURE_H
#define CORE_LOOP_CAPTURE_H

#include "core/loop/state.h"

/* Watches from now on. steps: of one capture. file: absolute, or NULL; signal: or 0. */
void swi_capture_open(struct sw_profiler *sw, int64_t steps, const char *file, int signal);
void swi_capture_close(struct sw_profiler *sw);

/* Looks whether somebody asked. One thread at a time does: others return at once. */
void swi_capture_look(struct sw_profiler *sw);

#endif
