/* SPDX-License-Identifier: MIT */
/* log_fold.h - what a value that was logged leads to. Under the fold lock. */
#ifndef CORE_LOOP_LOG_FOLD_H
#define CORE_LOOP_LOG_FOLD_H

#include "core/loop/state.h"

/* A value on its way into a record. */
struct swi_logged {
    const char *name;         /* kept, or that of `own` */
    struct swi_own_name *own; /* NULL: the name is kept */
    double value;
    int64_t step; /* SWI_STEP_OF_LOOP: where the loop is */
};
#define SWI_STEP_OF_LOOP INT64_C(-1)

/* The step of a value is one of its own: it gets its own record, as a value from another thread
 * does.
 */
void swi_log_alone(struct sw_profiler *sw, const struct swi_thread *thread,
                   const struct swi_logged *logged, int64_t now);

/* A value of the loop's thread goes with its step. name: a kept one, or one of
 * sw->loop.values.own_names. */
void swi_log_in_loop(struct sw_profiler *sw, const struct swi_thread *thread, const char *name,
                     double value, int64_t now);

/* An event of the thread. name: a kept one. */
void swi_log_fold(struct sw_profiler *sw, struct swi_thread *thread, const char *name, double value,
                  int64_t now);

#endif
