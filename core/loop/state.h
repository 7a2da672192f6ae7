/* SPDX-License-Identifier: MIT */
/* state.h - struct sw_profiler, and what the files that work on it offer each other.
 *
 * Who writes what: `serial`, `threads`, `loop`, `paused` and `fits` change under `lock`; the block
 * "loop thread" is the loop thread's own, with atomics where others look; everything else stays as
 * it was opened. */
#ifndef CORE_LOOP_STATE_H
#define CORE_LOOP_STATE_H

#include "core/process/child.h"
#include "core/clock/clock.h"
#include "core/delivery/messages.h"
#include "core/loop/current.h"
#include "core/loop/misuse.h"
#include "core/loop/piece.h"
#include "core/loop/serial.h"
#include "core/delivery/pipeline.h"
#include "core/delivery/record.h"
#include "core/report/moment.h"
#include "core/rows/thread.h"
#include "core/rows/window.h"
#include "core/trace/trace.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>

#define SWI_LIKELY(x) __builtin_expect(!!(x), 1)
#define SWI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* For what is not usual and called as the last thing of what is: there it is a jump, and no
 * register has to be saved for it. */
#define SWI_APART __attribute__((noinline))

/* For what is called at more than one place of the hot path. */
#define SWI_INLINE inline __attribute__((always_inline))

struct swi_names;

/* A user's metric of the current step that has not been sent yet. */
struct swi_logged {
    const char *name;
    double value;
};
enum { SWI_LOGGED_MAX = 48 };

struct sw_profiler {
    /* Compared by every call with what the thread remembers; another number makes the thread look
     * again. */
    _Atomic uint64_t serial;
    struct swi_clock clock;

    pthread_mutex_t lock;
    struct swi_thread *threads;
    _Atomic(struct swi_thread *) loop; /* NULL before it is known and between two fits */
    int thread_count;
    atomic_bool paused;
    uint64_t pauses;
    int64_t pause_tick;
    bool standing;         /* time stands at pause_tick: the pause is not taken out yet */
    uint64_t fits;         /* that ended */
    uint64_t fit_moment;   /* number of the moment when the last of them did */
    atomic_uint gaps_told; /* of the clock that all threads were told to look for */
    atomic_bool trap_said; /* that a thread may not read the counter */
    atomic_bool dead;      /* after fork in the child, and at exit: nothing is measured any more */
    bool forked;
    struct swi_thread *prepared;   /* for the first thread that calls; NULL: it has */
    struct sw_report *last_report; /* of the fit that ended last, once it is made */
    struct swi_past past;
    pthread_mutex_t making;       /* of whoever makes reports that wait; taken before `lock` */
    atomic_size_t report_bytes;   /* of the one that was made last */
    struct swi_thread *last_loop; /* the thread that it was on */
    bool fit_untold;              /* it was made at sw_close() of own actions alone: no region */
    atomic_bool fit_inserted;     /* nobody began the fit that is open: it has all of its thread */

    enum sw_mode mode;
    uint64_t ignored; /* a bit for each builtin action that is not measured in this mode */
    int64_t rolling_average;
    int drop; /* 1 or 0 */
    bool accounting;
    int64_t close_timeout_ns;
    int64_t timing_cost; /* what timing a call takes itself (sampling.h) */

    /* Loop thread. */
    struct swi_window window;
    int64_t due_slot;        /* of the window, after a step that is logged: no division a step */
    atomic_llong step;       /* number of the training step that comes next */
    atomic_llong expected;   /* steps in all, for an eta */
    atomic_llong epochs;     /* finished, over the run */
    atomic_llong fit_epochs; /* finished in this fit */
    int64_t batches[4];      /* finished in this fit, by phase */
    atomic_llong fit_start;
    atomic_llong fit_began_ns; /* the same as a time, which no pause and no gap moves */
    atomic_llong elapsed_tick; /* until when swi_fit_elapsed() counted last */
    atomic_llong fit_ticks;    /* of the fit that ended last, while its report is made */
    atomic_int fit_number;     /* 1 is the first; 0 before any */
    atomic_bool fit_open;
    atomic_llong dropped_ticks; /* self time of calls that drop_first_batch left out */
    struct swi_logged logged[SWI_LOGGED_MAX];
    size_t logged_count;
    struct swi_own_name *logged_own; /* names in logged that are not kept */
    int64_t sent_tick;               /* when a metrics record was sent last */

    atomic_int exit_status;
    struct swi_misuses misuses;
    atomic_llong unmade; /* what there was no memory for */
    _Atomic(const char *) unmade_first;
    struct swi_names *names;
    struct swi_messages messages;
    struct swi_pool pool;
    struct swi_traces traces;
    struct swi_pipeline *pipeline;
    struct sw_run run;
    struct sw_end end;
    char cause[160]; /* of the end, where it has one */

    /* exit.c's. */
    struct sw_profiler *next;
    const void *ending_by; /* the thread that has the end: address of its swi_current */
    /* The last report of a fit has one owner too: the loop, or whoever ends the run meanwhile. */
    _Atomic enum swi_fit_report { SWI_REPORT_NONE, SWI_REPORT_DUE, SWI_REPORT_MAKING } fit_report;
    struct sw_error end_error; /* what sw_close() has to say; here, for it is 8 KiB */
};

/* Whether this process has only a copy of the profiler, by a fork: then nothing may wait. */
static inline bool swi_is_inherited(const struct sw_profiler *sw)
{
    return sw->forked || swi_is_copy();
}

/* calling_thread.c: has what the first thread needs that calls ready, and warms what it calls. */
void swi_thread_prepare(struct sw_profiler *sw);

/* thread.c's owner finding: the calling thread's state, registered at its first call; NULL where
 * nothing is to be measured (paused, dead, no memory). */
struct swi_thread *swi_thread_find(struct sw_profiler *sw);

/* Whose state the calling thread's next call finds at once; sw NULL: nobody's. */
void swi_current_set(struct sw_profiler *sw, struct swi_thread *thread);

static inline bool swi_thread_is_known(const struct sw_profiler *sw)
{
    uint64_t serial = atomic_load_explicit(&sw->serial, memory_order_relaxed);
    return SWI_LIKELY(swi_current.serial == serial && !swi_is_copy());
}

static inline struct swi_thread *swi_thread_get(struct sw_profiler *sw)
{
    return swi_thread_is_known(sw) ? swi_current.thread : swi_thread_find(sw);
}

/* Whether it is there, and the counter is the clock. */
static inline bool swi_thread_counted(struct sw_profiler *sw)
{
    return SWI_LIKELY(swi_current.counted ==
                      atomic_load_explicit(&sw->serial, memory_order_relaxed));
}

/* emit.c: something is in no output for lack of memory. It is counted, said once, and told again by
 * sw_close(). what: static text, like "a record". */
void swi_no_memory(struct sw_profiler *sw, const char *what);

/* region.c: the builtin actions that are not measured in a mode, a bit for each. */
uint64_t swi_actions_ignored(enum sw_mode mode);

/* region.c: the stack. Ends the fit of the calling thread with all that is open in it. */
void swi_fit_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
/* Leaves out the regions that are open above `depth`. Discarded: they are open inside one that
 * ends, or what happens next leaves them out. Cancelled: nothing else says so. */
void swi_regions_discard(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);
void swi_regions_cancel(struct sw_profiler *sw, struct swi_thread *thread, int depth, int64_t now);
enum sw_phase swi_phase_open(const struct swi_thread *thread);

/* step.c: the end of a batch. The batch has ended and is the last of the ended regions; its own
 * began at `first`. */
void swi_step_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                  int64_t samples, int64_t now);
/* A batch that began at `first` is cancelled: what ended in it counts, without rates. */
void swi_step_cancel(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                     int64_t now);
/* A batch that began at `first` is discarded with what ended in it; UINT32_MAX: only draws that no
 * batch followed. */
void swi_step_discard(struct swi_thread *thread, uint32_t first);
/* The list of ended regions is as long as fold_at. */
void swi_ended_full(struct sw_profiler *sw, struct swi_thread *thread);
/* Folds everything that is left. */
void swi_ended_fold(struct swi_thread *thread);

/* fit.c: begin and end of fit, epoch, train and valid; who is the loop thread. */
void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action);
void swi_fit_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
/* Ends the fit that is open; where there was none, one of all that was measured. Returns when. */
int64_t swi_fit_close(struct sw_profiler *sw);
void swi_epoch_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start);

/* emit.c: records. */
bool swi_wants(const struct sw_profiler *sw, enum sw_record_type type);
struct swi_record *swi_emit_new(struct sw_profiler *sw, enum sw_record_type type, size_t metrics,
                                int64_t tick);
void swi_emit_mark(struct sw_profiler *sw, enum sw_region_event event, int action, int64_t tick);
void swi_emit_pause(struct sw_profiler *sw, struct swi_thread *thread, bool paused, int64_t tick);
void swi_emit_report(struct sw_profiler *sw, enum sw_record_type type, struct sw_report *report,
                     int64_t tick);
/* ticks: of the step, which is not among those that ended yet; samples -1: it was cancelled. */
void swi_emit_step(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                   int64_t samples, int64_t ticks, int64_t tick);
void swi_emit_end(struct sw_profiler *sw, int64_t tick);
/* The user's metrics so far and, where `rolling`, the rolling averages, as one record. */
void swi_emit_metrics(struct sw_profiler *sw, int64_t step, bool rolling, int64_t tick);

/* gap.c: looks at both clocks where that is due, and takes what they differ by out of what the
 * thread has open. now: a tick that was just read. */
void swi_gaps_look(struct sw_profiler *sw, struct swi_thread *thread, int64_t now);
/* The same for what is known already, with the profiler's lock held. */
void swi_gaps_take_out(struct sw_profiler *sw, struct swi_thread *thread);
/* A tick of the loop thread's, less what it has yet to take out; with the lock held. */
int64_t swi_loop_tick(struct sw_profiler *sw, int64_t tick);

/* pause.c: ticks of the fit that is open, less its pauses, also of one that lasts. */
int64_t swi_fit_elapsed(struct sw_profiler *sw);

/* names.c: metric names, kept for as long as the profiler. NULL without memory, and where there are
 * so many names that no more are kept (always: not then). Any thread. */
struct swi_names *swi_names_new(void);
void swi_names_free(struct swi_names *names);
const char *swi_names_get(struct swi_names *names, const char *name, bool always);

/* A name that is not kept, but belongs to the record that its value goes into. */
struct swi_own_name {
    struct swi_own_name *next;
    char text[];
};
struct swi_own_name *swi_own_name_new(const char *text);
void swi_own_names_free(struct swi_own_name *names);
/* emit.c: the record frees these names with itself. */
void swi_own_names_give(struct swi_record *record, struct swi_own_name *names);

/* A record that gets the report of a moment (report/moment.h) when that is made, with a reference
 * for whoever makes it; NULL where nobody wants it. Then it is pushed with the moment's number. */
struct swi_record *swi_emit_later(struct sw_profiler *sw, const struct swi_thread *thread,
                                  enum sw_record_type type, int64_t tick);
void swi_emit_moment(struct sw_profiler *sw, struct swi_record *record, uint64_t moment);
void swi_record_own_report(struct swi_record *record, struct sw_report *report);
size_t swi_report_bytes(const struct sw_report *report);

/* report.c. The report of what is measured now, or of a moment. NULL without memory. */
struct sw_report *swi_report_make(struct sw_profiler *sw);
struct sw_report *swi_report_of(struct sw_profiler *sw, struct swi_moment *moment);
struct sw_report *swi_report_ref(struct sw_report *report);
/* Whether something was measured that is in no report yet. */
bool swi_report_due(struct sw_profiler *sw);
/* The report of all that was measured so far: of the fit that is open, or of the one that ended
 * last with what came after it; of all own actions where there was no fit. NULL without memory. */
struct sw_report *swi_report_now(struct sw_profiler *sw);
/* The thread whose regions make a fit where nobody begins one: the first that measured anything.
 * NULL: none did. */
struct swi_thread *swi_thread_first(struct sw_profiler *sw);

#endif
