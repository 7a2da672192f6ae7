/* SPDX-License-Identifier: MIT */
/* inherited_profiler.h - calls on a profiler that a parent process opened; in its children it is
 * off. */
#ifndef CORE_LOOP_INHERITED_PROFILER_H
#define CORE_LOOP_INHERITED_PROFILER_H

#include <stepwatch/stepwatch.h>

/* Turns off a profiler that _Fork() or clone() has copied, as is done after fork(). */
void swi_inherited_off(struct sw_profiler *sw);

/* Handles a call on an inherited profiler. If the process that opened it has ended or is not the
 * parent, this process probably expects to be measured, so a message says once why it is not. */
void swi_inherited_called(struct sw_profiler *sw);
/* Does the same at exit(). */
void swi_inherited_exit(void);

/* Sets err: the profiler belongs to another process. Returns SW_EINVAL. */
int swi_inherited_refuse(const struct sw_profiler *sw, struct sw_error *err);
/* Returns what sw_close() returns: 0 in a child that works for its parent, as nothing is lost. */
int swi_inherited_close(const struct sw_profiler *sw, struct sw_error *err);

/* Starts anew in the child of a fork, where no call was made yet. */
void swi_inherited_child(void);

#endif
