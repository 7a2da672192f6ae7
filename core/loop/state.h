/* SPDX-License-Identifier: MIT */
/* state.h - struct sw_profiler: its parts, each declared in the room that writes it. */
#ifndef CORE_LOOP_STATE_H
#define CORE_LOOP_STATE_H

#include "core/loop/spans.h"
#include "core/process/capture_request.h"
#include "core/process/hot_code.h"
#include "core/records/report_record.h"
#include "core/records/rolling_average.h"
#include "core/rows/current_profiler.h"
#include "core/rows/measured.h"
#include "core/trace/trace.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define SWI_LIKELY(x) __builtin_expect(!!(x), 1)
#define SWI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* For what is not usual and called as the last thing of what is: there it is a jump, and no
 * register has to be saved for it. */
#define SWI_NOINLINE __attribute__((noinline))

/* For what is called at more than one place of the hot path. */
#define SWI_INLINE inline __attribute__((always_inline))

/* Under the fold lock, except for what is atomic. */
struct swi_loop {
    _Atomic(sw_window_fn *) window_fn; /* sw_on_window() */
    void *window_arg;
    struct swi_listeners *listeners; /* sw_on_event(); NULL: none */
    bool fit_implicit;       /* the fit was made at sw_close() of own actions alone: no region */
    int64_t not_of_epoch[4]; /* of `batches`: cancelled, or before the open epoch, train or valid */
    struct swi_values values;
    atomic_bool windows_due; /* a window may begin or end after this step */
    int64_t batches[4];      /* finished in this fit, by phase */
    int64_t next_step;       /* of training, if sw_set_step() is not called */
    int64_t step_more;       /* how many more steps the next one stands for: sw_set_steps() */
    struct swi_rolling_window window;
};

/* Who asks for captures from outside: core/loop/capture.c. The dispatcher's. */
struct swi_capture {
    bool given;
    atomic_flag looking;
    int64_t steps;
    char *file; /* NULL: none */
    struct swi_touch {
        bool there;
        bool foreign; /* it belongs to another user */
        dev_t device;
        ino_t inode;
        off_t size;
        struct timespec time;
    } touch;               /* of the file, when it was last looked at */
    bool foreign_reported; /* the program was told that the file belongs to another user */
    int signal;            /* 0: none */
    unsigned signals;
    struct swi_capture_request request;
};

/* core/loop/alert.c. Titles that were sent a short time ago, so that a loop does not flood whoever
 * reads them. */
enum { SWI_ALERT_TITLES = 64 };
struct swi_sent_alerts {
    pthread_mutex_t lock;
    struct swi_alert_title {
        uint64_t hash; /* of the title; 0: not used */
        int64_t sent_ns;
    } title[SWI_ALERT_TITLES];
    int64_t repeated; /* were counted, not sent */
};

/* How far the end of a run is. */
enum swi_end_stage {
    SWI_END_OPEN,
    SWI_END_REPORTED, /* all that needs the fold lock is done */
    SWI_END_SENT      /* the sinks get the end record, after which they take nothing */
};

/* Whoever ends the run: core/exit.c, core/finish.c. */
struct swi_end {
    struct sw_profiler *next; /* in exit.c's list; under its lock */
    pthread_t by;             /* the thread that has the end; 0: none; the same */
    atomic_int stage;         /* enum swi_end_stage */
    bool fit_due; /* the report of the open fit, under the fold lock: its end makes it, or that of
                     the run */
    atomic_int exit_status; /* sw_set_exit_status() */
    struct sw_end end;
    char cause[192];       /* of the end, where it has one */
    bool interrupted;      /* sw_set_interrupted(): sw_close() ends as a run without it */
    int signal;            /* of that */
    struct sw_error error; /* what sw_close() has to say if the run ended before it */
};

struct swi_watchdog;
struct swi_monitors;

enum { SWI_PROFILER_PAGE = 4096 };

struct sw_profiler {
    /* What each call of the loop's thread reads and writes is in one page. */
    _Alignas(SWI_PROFILER_PAGE) struct swi_thread first; /* the first thread that calls */
    struct swi_measured measured;                        /* the calls of the loop */
    struct swi_loop loop;
    struct swi_traces traces;
    struct swi_recording recording;
    struct swi_capture capture;
    struct swi_spans spans;
    struct swi_reports reports;
    struct swi_recorder records;   /* all threads that make records */
    struct swi_sent_alerts alerts; /* any thread */
    struct swi_watchdog *watchdog; /* NULL: none */
    struct swi_end ending;
    struct swi_monitors *monitors; /* NULL: none */

    /* calling_thread.c. */
    struct swi_thread *prepared; /* `first`; NULL: it is in use */
    atomic_bool trap_said;       /* that a thread may not read the counter */
    void *memory;
    struct swi_thread_room room; /* of `first` */
};
_Static_assert(offsetof(struct sw_profiler, measured) + 64 <= SWI_PROFILER_PAGE,
               "a call finds both in one page");

#endif
