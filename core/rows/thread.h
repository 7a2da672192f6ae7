/* SPDX-License-Identifier: MIT */
/* thread.h - a thread of the program: the events that it notes, and what is folded from them: its
 * open regions, those that wait for the end of their step, and its rows.
 *
 * The thread itself writes only the first part. All else is read and written under the fold lock.
 *
 * A region is added to its row when it ends. In a batch, everything waits for the end of the step:
 * only then it is known whether the step counts, and how many samples it had. A draw, and what
 * ended in it, waits too, because a batch of its phase must follow it. */
#ifndef CORE_ROWS_THREAD_H
#define CORE_ROWS_THREAD_H

#include "core/rows/action.h"
#include "core/rows/cost.h"
#include "core/rows/counter_use.h"
#include "core/rows/row.h"

#include <stepwatch/sink.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory for the events of all threads (event_pool.c) ------------------------------------- */

/* Memory for the events of all threads of a profiler: chunks of one size, which the threads take
 * and whoever folds the events gives back. Neither waits for the other.
 *
 * The chunks lie in one area of addresses, of which the system provides only what is used. Free
 * chunks are a stack: the one that was given back last is taken first, so that a loop goes round
 * in few of them. */

/* A call of the loop as its thread notes it: what was called, and when. What follows from the calls
 * is worked out later, by whoever folds the events (core/loop/fold.h). */

/* The other numbers of an event lie in the slots behind it: their `what` says SWI_EVENT_PART, and a
 * number is in the place of the tick. */
enum swi_event_kind {
    SWI_EVENT_NONE, /* not published yet */
    SWI_EVENT_BEGIN,
    SWI_EVENT_END,  /* payload: the samples of a batch; of a fit, how many have ended */
    SWI_EVENT_NEXT, /* the end of a sibling, if one is open, and a begin */
    SWI_EVENT_CANCEL,
    SWI_EVENT_INSIDE,    /* what is open inside an action is discarded */
    SWI_EVENT_LOG,       /* instead of an action: the number of the name; a part: the value */
    SWI_EVENT_COUNT,     /* an own counter goes up; a part: by how much */
    SWI_EVENT_CLAIM,     /* from here on, this is the loop's thread */
    SWI_EVENT_FITS,      /* payload: how many fits had ended when the thread looked */
    SWI_EVENT_INHERITED, /* from here on, these are the events of another thread of the system */
    SWI_EVENT_COST, /* of a call that was timed; instead of an action: SWI_COST_...; payload: ticks
                       of the call; a part: all others */
    SWI_EVENT_PART
};

/* The parts of `what`, from its lowest bit on: kind, action, payload. */
enum { SWI_EVENT_ACTION = 4, SWI_EVENT_PAYLOAD = 20 };
#define SWI_EVENT_KINDS ((UINT64_C(1) << SWI_EVENT_ACTION) - 1)
#define SWI_PAYLOAD_MAX (UINT64_MAX >> SWI_EVENT_PAYLOAD)

/* The slot is published when `what` is not 0. */
struct swi_event {
    int64_t tick;
    _Atomic uint64_t what;
};

enum { SWI_COST_BEGUN = 1, SWI_COST_ALONE = 2 };

static inline uint64_t swi_event_what(enum swi_event_kind kind, int action, uint64_t payload)
{
    return (uint64_t)kind | (uint64_t)(uint16_t)action << SWI_EVENT_ACTION |
           payload << SWI_EVENT_PAYLOAD;
}

static inline enum swi_event_kind swi_event_kind(uint64_t what)
{
    return (enum swi_event_kind)(what & SWI_EVENT_KINDS);
}

static inline int swi_event_action(uint64_t what)
{
    return (int)(what >> SWI_EVENT_ACTION & UINT16_MAX);
}

static inline uint64_t swi_event_payload(uint64_t what)
{
    return what >> SWI_EVENT_PAYLOAD;
}

enum {
    SWI_CHUNK_BYTES = 16384,
    /* Behind the end of a chunk, the parts of its last event have room, and those of signal
     * handlers that interrupt the thread there. */
    SWI_SPARE_EVENTS = 64,
    SWI_CHUNK_EVENTS = SWI_CHUNK_BYTES / (int)sizeof(struct swi_event) - 1 - SWI_SPARE_EVENTS,
    /* The first chunk of a thread is shorter, and the thread's own: many threads measure once. */
    SWI_FIRST_EVENTS = 191,
    /* If more chunks are used, a thread that takes another folds those of its own that are too
     * many; it takes up to a quarter more while it cannot. */
    SWI_CHUNKS_SOFT = 1024,
    SWI_CHUNKS_MOST = SWI_CHUNKS_SOFT + SWI_CHUNKS_SOFT / 4
};

#define SWI_CHUNK_ALLOCATED UINT32_MAX

struct swi_chunk {
    _Atomic(struct swi_chunk *) next; /* of the thread; NULL: this is the last one */
    uint32_t count;                   /* how many events were claimed, once there is a next one */
    uint32_t number;                  /* in the pool, from 1 on; 0: a thread's first;
                                         SWI_CHUNK_ALLOCATED: it has memory of its own */
    struct swi_event event[];
};
_Static_assert(sizeof(struct swi_chunk) == sizeof(struct swi_event), "events follow in line");

struct swi_event_pool {
    char *area; /* NULL: memory ran out */
    size_t bytes;
    uint32_t most;           /* chunks that there is room for */
    _Atomic uint64_t top;    /* the free chunk on top, and how often the top changed */
    _Atomic uint32_t *below; /* by number: the chunk below a free one */
    atomic_uint fresh;       /* chunks that were never used have numbers above this */
    atomic_uint populated;   /* chunks up to this one have their pages */
    atomic_uint used;        /* chunks that threads have */
};

/* Without memory, the pool has no chunks. */
void swi_event_pool_init(struct swi_event_pool *pool);
void swi_event_pool_fini(struct swi_event_pool *pool);

/* Makes the kernel provide the pages of the chunks that are taken next, so that the loop does not
 * wait for page faults. Other threads than the loop's call it now and then. */
void swi_event_pool_populate(struct swi_event_pool *pool);

/* Returns an empty chunk, or NULL if all are in use. */
struct swi_chunk *swi_chunk_take(struct swi_event_pool *pool);
/* Takes a chunk back, unless it is a thread's first. All its events are folded. */
void swi_chunk_give_back(struct swi_event_pool *pool, struct swi_chunk *chunk);

/* How many samples went through train and valid, and their elapsed time including the time between
 * steps. Part of the state of the loop's thread. Times are in ticks. */
struct swi_elapsed {
    int64_t steps;      /* of train and valid together */
    int64_t samples[2]; /* of train and valid */
    int64_t ticks[2];   /* of the ended stretches */
    int running;        /* the phase of the open stretch; SW_PHASE_FIT: none is open */
    int64_t since;      /* when the open stretch began */
    /* Steps outside of train and valid count as one stretch of train: from the begin of the first
     * to the end of the last, without the stretches of train and valid in between. */
    bool bare;
    int64_t first, last;
    int64_t between;
    int64_t before; /* the sum of ticks[] at `first` */
};

/* Notes that the innermost open phase of train and valid changes now. phase: SW_PHASE_FIT if none
 * of the two is open. */
void swi_elapsed_run(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t now);

/* Adds steps, the last of which took this many ticks and ends now. Their samples are clamped so
 * that the sum cannot overflow. */
void swi_elapsed_step(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t samples,
                      int64_t steps, int64_t ticks, int64_t now);

/* Excludes a pause that took this many ticks. */
void swi_elapsed_shift(struct swi_elapsed *elapsed, int64_t paused);

/* Returns the ticks of train (0) or valid (1) until now. */
int64_t swi_elapsed_ticks(const struct swi_elapsed *elapsed, int phase, int64_t now);

/* Returns the index of a phase in samples[] and ticks[]. */
static inline int swi_elapsed_index(enum sw_phase phase)
{
    return phase == SW_PHASE_VALID;
}

struct sw_probe;
struct swi_counter_reading;

enum {
    SWI_SPANS_THREAD = -1, /* used as the number of the thread that has the rows of spans */
    SWI_PHASES = 4,        /* phases in which a thread has rows */
    SWI_DEPTH_MAX = 1024,
    SWI_ENDS_EXCUSED =
        2, /* ends that are no misuse after a pause, besides those of regions it took */
    SWI_ENDED_MAX = 65408 /* so many regions of a batch are added without rates */
};

/* The actions that are open on a thread, as far as it can know without folding: what interrupts it
 * asks for the innermost one. Containers and batches have a bit of their own, so that their end
 * looks closer. */
enum { SWI_NEAR_NONE = 0xffff, SWI_NEAR_SPECIAL = 0x8000 };

/* An open region. The first frame of a stack is unused: its action is -1. */
struct swi_frame {
    struct swi_row *row;
    int64_t start;  /* tick */
    int64_t inside; /* ticks of the counted regions inside */
    uint32_t first; /* how many regions waited when it began */
    int action;
};

/* A thread's rows of an action. */
struct swi_entry {
    struct swi_row *row[SWI_PHASES]; /* NULL before the first call */
};

struct swi_thread {
    /* ---- the thread's own: the first cache line is what each call reads and writes ---- */
    _Alignas(64) struct swi_event *next; /* where the next event goes */
    struct swi_event *limit;             /* the end of its chunk */
    uint16_t *top;                       /* the innermost open action */
    uint32_t window_left;             /* batches until the end of one looks closer: timed_calls.h */
    uint32_t window_span;             /* how many there were at first */
    int64_t clocks_compared;          /* tick at which it last saw both clocks compared */
    int64_t clocks_span;              /* so many ticks later, it compares them again */
    uint16_t near[SWI_DEPTH_MAX + 1]; /* open actions; the first is SWI_NEAR_NONE */
    int over;                         /* open regions beyond these */
    bool in_fit;                      /* all of them are in a fit that the program did not begin */
    bool was_around;                  /* some were open when a fit ended here */
    bool claimed;                     /* it is the loop's, as of its newest call */
    atomic_ullong claim_order;        /* 0: it never was the loop's; else one of those that were */
    bool growing;                     /* the next chunk is being linked */
    const struct sw_probe *probe;     /* receives all begins and ends, or NULL */
    struct swi_counter_reading *reading; /* counters to read at begins and ends, or NULL */
    struct swi_chunk *last_chunk;        /* that of `next` */
    uint64_t fits_seen;                  /* ended fits that it has noted */
    uint64_t pauses_seen;
    uint64_t blocked; /* a bit for each signal that it usually blocks */
    int doubted;      /* how often it blocked more (fold_memory.h) */
    int owner_id;
    const void *owner;    /* the address of the OS thread's swi_current; NULL: sw_set_thread() */
    struct swi_cost cost; /* which calls are timed */

    /* ---- under the fold lock ---- */
    struct swi_chunk *chunk;    /* the oldest that has events to fold */
    const struct swi_event *at; /* the next event to fold */
    bool folding;               /* its events are being folded */
    bool any_folded;            /* some were folded */
    int number;
    struct swi_frame *frame; /* the innermost open region */
    struct swi_frame *stack;
    int frame_capacity;
    uint16_t open_builtin; /* a bit for each builtin action that is open */
    bool leaves;           /* the event that is folded ends the loop's fit */
    int too_deep;          /* begins beyond SWI_DEPTH_MAX, whose ends are ignored */
    struct swi_ended
        *ended; /* regions that wait for the end of their step (core/loop/open_regions.c) */
    uint32_t ended_count, ended_capacity;
    uint32_t step_from; /* where those of the open batch and its draws begin */
    int batch_first;    /* how many waited when the open batch began, or -1 */
    bool batch_folded;  /* regions of the open batch were added already */
    int drawing;        /* open draws */
    enum sw_phase phase;
    bool claims;         /* its next action of the loop makes it the loop's thread */
    bool loop;           /* this is the loop's thread */
    uint64_t fits_noted; /* by its own events, so many fits have ended */
    bool begun;          /* first_tick is known */
    int ends_excused; /* ends without a begin that are no misuse, because a pause took the begin */
    int64_t first_tick; /* first begin since the last fit */
    unsigned gaps;      /* gaps of the clock that were removed from what is open */
    uint64_t fits;      /* ended fits when its rows began */
    bool tracing;       /* a sink wants all its regions */
    struct swi_trace *trace;
    uint64_t place; /* the phase and the number: see swi_thread_phase() */
    int64_t window; /* number of the last window for which its open regions were traced, or -1 */
    int64_t misuses;
    int64_t discarded;
    int64_t discarded_ticks;
    struct swi_spent spent;        /* what its calls cost in this fit */
    struct swi_elapsed elapsed;    /* for the loop's thread */
    struct swi_entry *entry;       /* SWI_ACTIONS */
    struct swi_row *rows;          /* all rows, the newest first */
    struct swi_reserve reserve;    /* for the rows' histograms */
    struct swi_counting *counting; /* its counters, or NULL */

    struct sw_profiler *profiler;
    struct swi_thread *list; /* in the profiler's list */
    void *memory;            /* NULL: the thread is part of something else */
};

/* What a thread's first events and its rows need, beside it. The entries are many, and the pages of
 * few of them are ever used. */
struct swi_thread_room {
    _Alignas(64) struct swi_event first[1 + SWI_FIRST_EVENTS + SWI_SPARE_EVENTS]; /* a chunk */
    _Alignas(64) struct swi_entry entry[SWI_ACTIONS];
};

/* Returns NULL if out of memory. */
struct swi_thread *swi_thread_new(int number);
/* Returns the first multiple of `to` behind the begin of memory that was allocated with so many
 * bytes more. Zeroed memory that is never touched is not provided by the kernel, but only calloc()
 * has it, which does not align. */
static inline void *swi_aligned(char *memory, size_t to)
{
    return memory + to - (uintptr_t)memory % to;
}
/* Makes a thread of zeroed memory. Returns false if out of memory. */
bool swi_thread_init(struct swi_thread *thread, struct swi_thread_room *room, int number);
void swi_thread_free(struct swi_thread *thread, struct swi_event_pool *pool);

/* Returns the row of an action in a phase. Makes it at its first use; empties one of an earlier
 * fit. Returns NULL if out of memory. */
struct swi_row *swi_thread_row_ready(struct swi_thread *thread, enum sw_phase phase, int action);
static inline struct swi_row *swi_thread_row(struct swi_thread *thread, enum sw_phase phase,
                                             int action)
{
    struct swi_row *row = (unsigned)action < SWI_ACTIONS ? thread->entry[action].row[phase] : NULL;
    return row && row->fit == thread->fits ? row : swi_thread_row_ready(thread, phase, action);
}
/* Returns the row of calls inside an open call of `row`, in the same way. */
struct swi_row *swi_thread_inner(struct swi_thread *thread, struct swi_row *row);

/* Where `place` has the phase and the number of the thread. */
enum { SWI_STAGE_PHASE = 4, SWI_STAGE_THREAD = 32 };

/* Sets the phase under which begins and ends are measured. */
static inline void swi_thread_phase(struct swi_thread *thread, enum sw_phase phase)
{
    thread->phase = phase;
    thread->place = (uint64_t)phase << SWI_STAGE_PHASE | (uint64_t)(uint32_t)thread->number
                                                             << SWI_STAGE_THREAD;
}

static inline int swi_depth(const struct swi_thread *thread)
{
    return (int)(thread->frame - thread->stack);
}

/* How many actions are open, for the thread itself. */
static inline int swi_near_depth(const struct swi_thread *thread)
{
    return (int)(thread->top - thread->near) + thread->over;
}

/* The innermost open action, for the thread itself and what interrupts it; -1: none. */
static inline int swi_near_innermost(const struct swi_thread *thread)
{
    int action = *thread->top;
    return action == SWI_NEAR_NONE ? -1 : action & ~SWI_NEAR_SPECIAL;
}

/* Make room for one more open region, or one more that waits. They return false if out of memory.
 */
bool swi_thread_grow_stack(struct swi_thread *thread);
bool swi_thread_grow_ended(struct swi_thread *thread);

/* A fit has ended: what the thread measures from now on is of the next one. All its ended regions
 * are in their rows. */
void swi_thread_next_fit(struct swi_thread *thread, uint64_t fits);

/* Returns whether a row has any values of the fit that the thread is in. */
static inline bool swi_row_is_known(const struct swi_thread *thread, const struct swi_row *row)
{
    return row->fit == thread->fits;
}

/* Counts region i that waits as discarded. */
static inline void swi_thread_discard(struct swi_thread *thread, uint32_t i)
{
    thread->discarded_ticks += thread->ended[i].self;
    thread->discarded++;
}

#endif
