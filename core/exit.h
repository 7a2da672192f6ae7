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

/* Lets this process measure for itself from now on: makes the locks of a child usable, and turns
 * inherited profilers off. Does nothing if it was called before in this process. */
void swi_process_enter(void);

/* ---- the end of a run, by the thread that owns it -------------------------------------------- */

/* Ends a run for sw_close(). Returns what the sinks lost: swi_pipeline_close(). */
int swi_finish_closed(struct sw_profiler *sw, struct sw_error *err);

/* Ends a run without sw_close(). Other threads of the program may still call, so what they use
 * stays. */
void swi_finish_interrupted(struct sw_profiler *sw, const struct swi_ending *ending);

#endif
