/* SPDX-License-Identifier: MIT */
/* inherited.h - calls on a profiler that another process opened: this one is its child, where it is
 * off. */
#ifndef CORE_LOOP_INHERITED_H
#define CORE_LOOP_INHERITED_H

#include <stepwatch/stepwatch.h>

/* Turns a profiler off that _Fork() or clone() has copied, as fork() does. */
void swi_inherited_off(struct sw_profiler *sw);

/* A call on an inherited profiler: where its process has ended, or is not the parent, this one
 * probably means to measure on, and is told once why it does not. */
void swi_inherited_called(struct sw_profiler *sw);
/* The same at exit(). */
void swi_inherited_exit(void);

/* Says in err that the profiler is of another process. Returns SW_EINVAL. */
int swi_inherited_refuse(const struct sw_profiler *sw, struct sw_error *err);
/* What sw_close() answers: 0 in a child that works for its parent, where nothing is lost. */
int swi_inherited_close(const struct sw_profiler *sw, struct sw_error *err);

/* In the child of a fork: nothing was called there yet. */
void swi_inherited_child(void);

#endif
