/* SPDX-License-Identifier: MIT */
/* exit.h - lets only one thread end a run.
 *
 * A profiler is open, then one thread ends it (sw_close(), exit(), or the thread that waits for
 * signals), then it has ended. A second thread waits for the first and frees nothing. */
#ifndef CORE_EXIT_H
#define CORE_EXIT_H

#include <stepwatch/stepwatch.h>

#include <stdint.h>

/* How a program ends without sw_close(). */
struct swi_ending {
    int exit_status;
    int signal;        /* 0 if none */
    const char *cause; /* for the end record */
    int64_t limit_ns;  /* for sinks, if it is less than close_timeout; 0: none */
};

/* Who ends a profiler. */
enum swi_run_lock {
    SWI_MINE,      /* the caller: it must call swi_exit_done() */
    SWI_ENDED,     /* another thread has ended it; it is kept until the process ends */
    SWI_WITHIN,    /* the caller itself, further up its stack */
    SWI_INHERITED, /* another process */
    SWI_UNKNOWN    /* nobody, because it is not open */
};

void swi_exit_add(struct sw_profiler *sw, bool signals);

/* Claims the end of a profiler. Waits while another thread is ending it. sw is used only if it is
 * still open. */
enum swi_run_lock swi_exit_claim(struct sw_profiler *sw);

/* Called when the owner has ended the profiler and may free it. If it was the last one, restores
 * the signals. */
void swi_exit_done(struct sw_profiler *sw);

/* Called before a fork, and after it in both processes. */
void swi_exit_fork(void);
void swi_exit_forked(void);
/* Makes the lock free in a child without fork handlers, because another thread may have held it. */
void swi_exit_unlock(void);
/* Turns the profilers off in the child. Nobody holds the lock. */
void swi_exit_inherit(void);

#endif
