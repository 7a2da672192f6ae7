/* SPDX-License-Identifier: MIT */
/* exit.h - the end of a run has one owner.
 *
 * A profiler is open, then it is being ended by one thread (sw_close(), exit(), or the thread that
 * waits for signals), then it has ended. Whoever comes second waits for the first and frees
 * nothing. */
#ifndef CORE_EXIT_H
#define CORE_EXIT_H

#include <stepwatch/stepwatch.h>

#include <stdint.h>

/* How a program ends that does not call sw_close(). */
struct swi_ending {
    int exit_status;
    int signal;        /* 0: none */
    const char *cause; /* what the end record says */
    int64_t limit_ns;  /* for sinks, where it is less than close_timeout; 0: none */
};

/* Whose the end of a profiler is. */
enum swi_claim {
    SWI_MINE,      /* the caller's: it has to say swi_exit_done() */
    SWI_ENDED,     /* another thread has ended it by now; it is kept for as long as the process */
    SWI_WITHIN,    /* the caller's own, further up its stack */
    SWI_INHERITED, /* another process's */
    SWI_UNKNOWN    /* it is not open */
};

void swi_exit_add(struct sw_profiler *sw, bool signals);

/* Waits while another thread is ending it. sw is looked at only where it is still there. */
enum swi_claim swi_exit_claim(struct sw_profiler *sw);

/* The owner is ready, and may free the profiler. Where it was the last one, signals are the
 * program's own again. */
void swi_exit_done(struct sw_profiler *sw);

/* Before a fork, and after it in both processes. */
void swi_exit_fork(void);
void swi_exit_forked(void);
/* In a child that nothing told of its fork: the lock may be another thread's. */
void swi_exit_unlock(void);
/* In the child: its profilers are off. Nobody has the lock. */
void swi_exit_inherit(void);

#endif
