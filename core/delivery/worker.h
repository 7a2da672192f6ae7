/* SPDX-License-Identifier: MIT */
/* worker.h - one open sink: its plugin, state, queue and thread. */
#ifndef CORE_DELIVERY_WORKER_H
#define CORE_DELIVERY_WORKER_H

#include "core/clock/deadline.h"
#include "core/delivery/messages.h"
#include "core/delivery/queue.h"
#include "core/files/write_lock.h"
#include "core/media/budget.h"
#include "core/plugins/search.h"
#include "core/plugins/options.h"
#include "core/process/environment.h"

#include <stdatomic.h>

/* Why a thread is not waited for. */
enum swi_gone { SWI_NOT_GONE, SWI_EXITING, SWI_CRASHED };

/* A sink is given up after this many failures in a row. */
enum { SWI_FAILURES_MAX = 10 };

/* How many records a worker takes out of its queue at once. */
enum { SWI_WORKER_TAKES = 256 };

/* A sink may send this many messages at once, and then one a second. */
enum { SWI_MESSAGES_MAX = 20 };

struct swi_sink_monitor;
struct swi_sink_requests;
struct swi_file;
struct swi_made_file;
struct swi_regions;

struct swi_worker {
    struct sw_sink sink; /* what the plugin sees; the first member, see swi_worker_of() */
    struct swi_plugin plugin;
    char *name;
    const struct sw_run *run_given;
    struct sw_run run;      /* copied when the sink is opened */
    const char *rank_files; /* for run */
    int64_t started_ns;     /* by the wall clock: a file written since belongs to another program */
    bool fresh_files;       /* core chose the names of its files: none of them may exist yet */
    void *state;
    struct swi_strings *strings;
    struct swi_queue queue;
    struct swi_messages *messages;
    struct swi_sink_requests *requests;        /* of all sinks of the profiler */
    const struct swi_environment *environment; /* as it was in sw_open() */
    pthread_t thread;
    bool started;
    atomic_uint wants;
    atomic_bool given_up;  /* it failed too often, or in open: its records are only counted */
    atomic_bool abandoned; /* it did not end in time: its messages are discarded */
    bool slow;             /* of the dispatcher: the sink does not keep up, so do not wait for it */
    int64_t handled_before; /* of the dispatcher: `handled` when it looked last */
    struct swi_hung_sink {  /* of the dispatcher: since when the sink takes no values */
        int64_t since_ns;   /* 0: it takes them, or none wait */
        uint64_t taken;
        bool reported;
    } idle_values;

    /* Used only by the thread of the worker. */
    void *unopened;                   /* the state as it is before open(), until that succeeds */
    struct swi_file *files;           /* opened by sink_files.c */
    struct swi_write_locks locks;     /* on the files that it writes */
    struct swi_made_file *made;       /* image files made for the record that it has now */
    struct swi_sink_monitor *monitor; /* whose samples it asks for, or NULL */
    int64_t flushed_ns;
    int64_t flush_after_ns;                     /* time between two flushes */
    int failures;                               /* in a row */
    int64_t time_ns;                            /* of the last record */
    struct swi_regions *regions;                /* of the record that the sink gets now, or NULL */
    struct swi_record *taken[SWI_WORKER_TAKES]; /* NULL: done with */

    /* What became of the records. */
    atomic_llong handled;  /* taken out of the queue and done with */
    atomic_llong records;  /* given to the sink */
    atomic_llong failed;   /* for which the sink returned an error */
    atomic_llong missed;   /* not delivered, because the sink was given up or not opened */
    atomic_llong lost;     /* reported by sw_sink_lost() */
    atomic_llong unsaid;   /* messages left out because there were too many */
    atomic_llong progress; /* reported by sw_sink_progress() since the end began */

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t change;
    bool done;
    enum swi_gone gone;
    uint64_t flush_asked; /* how many records must be delivered and flushed */
    uint64_t flush_done;  /* how many are */
    int64_t messages_left;
    int64_t message_ns; /* when messages_left was updated */
    char *first_error;  /* escaped, or NULL */
    char *files_lost;   /* what could not be written, escaped, or NULL */
};

/* Returns the worker to which the struct that the plugin sees belongs. */
static inline struct swi_worker *swi_worker_of(struct sw_sink *sink)
{
    return (struct swi_worker *)sink;
}

/* Makes the queue and the locks, and asks the sink which kinds of records it wants. services: what
 * the sink may call. Returns 0 or SW_ENOMEM. */
int swi_worker_init(struct swi_worker *worker, const struct sw_run *run,
                    const struct sw_sink_services *services);

/* Starts the thread, which opens the sink. Returns 0 or an errno. */
int swi_worker_start(struct swi_worker *worker);

/* Waits until the deadline for the sink to be closed. */
void swi_worker_wait(struct swi_worker *worker, const struct swi_deadline *deadline);

/* The same once more for each time in which the sink reported progress. Returns whether it waited.
 */
bool swi_worker_wait_on(struct swi_worker *worker, int64_t timeout_ns);
/* Does the same, and then waits for the thread to end. Returns false if it did not. */
bool swi_worker_join(struct swi_worker *worker, const struct swi_deadline *deadline);

/* Asks the worker to deliver and flush what is queued. Returns the number of these records for
 * swi_worker_flush_wait(), which returns false if the deadline passed. */
uint64_t swi_worker_flush(struct swi_worker *worker);
bool swi_worker_flush_wait(struct swi_worker *worker, uint64_t records,
                           const struct swi_deadline *deadline);

/* Returns how many records the sink has not had yet. */
int64_t swi_worker_waiting(struct swi_worker *worker);

/* Returns the worker of the calling thread, or NULL. May be called in a signal handler. */
struct swi_worker *swi_worker_here(void);

/* Called at exit(): if the calling thread is that of a worker, nobody waits for it from now on. */
void swi_worker_leave(void);
/* Called when the thread of the worker has crashed: nobody waits for it from now on. */
void swi_worker_gone(struct swi_worker *worker);
enum swi_gone swi_worker_why_gone(struct swi_worker *worker);

/* Frees a worker whose thread has ended or was never started. */
void swi_worker_fini(struct swi_worker *worker);

/* ---- calls of a sink's functions on the thread of its worker --------------------------------- */

/* Only the worker's thread writes the counters. */
static inline void swi_count_one(atomic_llong *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Opens the sink. Returns 0, or SW_EFULL if its disk is full: try again later. Any other code: it
 * is given up. */
int swi_sink_open(struct swi_worker *worker);
/* Tries again. last: the run has ended, so that a disk that is still full is a failure. */
int swi_sink_open_again(struct swi_worker *worker, bool last);

/* Gives it the record of the run. */
void swi_sink_run(struct swi_worker *worker);

/* Gives it a record from the queue. A sink that was given up gets nothing, so no record is
 * completed for it alone. */
void swi_sink_handle(struct swi_worker *worker, struct swi_record *record);

/* Tells the sink what was lost, if it wants to know. */
void swi_sink_lost(struct swi_worker *worker, const struct sw_lost *lost, int64_t time_ns);

void swi_sink_flush(struct swi_worker *worker);

/* Flushes and closes it, if it is open. */
void swi_sink_close(struct swi_worker *worker);

/* Closes what it left open, and notes which files could not be written. */
void swi_sink_close_files(struct swi_worker *worker);

/* ---- the struct sw_run that a sink sees: a copy, because the program may change the run ------ */

/* Sets the start of a run that is replayed, also while sinks are being opened (sw_set_start()). */
void swi_run_replayed(struct sw_run *run, double started_s);

/* Sets the program that made the run, and the run's name, in the same way (sw_set_program()). Sinks
 * may still use the texts that are replaced. */
void swi_run_made_by(struct sw_run *run, const char *program, const char *name);

/* Copies the run: a sink has no lock with which it could read it again. The program may change the
 * run until the sink is opened. */
void swi_run_take(struct swi_worker *worker);

/* Makes the lock free in the child of a fork. */
void swi_run_child(void);

/* ---- what the program is told of a sink: its messages, its first error, what it lost --------- */

/* Reports an error and frees err. Only the first error of a sink is reported. consequence: what it
 * means for the run, or "". */
void swi_worker_failure(struct swi_worker *worker, struct sw_error *err, const char *what,
                        const char *consequence);

/* Sends the message "sink NAME: text", unless the sink sends too many. */
void swi_worker_say(struct swi_worker *worker, enum sw_level level, const char *text);

/* Keeps a sink that hangs from holding the budget of values: drops what waits for sinks that have
 * taken no value for some seconds, if the budget is full. Called by the dispatcher at each look.
 * budget: NULL if there are no values. */
void swi_hung_sink_check(struct swi_worker *const *worker, size_t count, struct swi_budget *budget);

/* Describes in one sentence what the sink failed in or lost. Returns false if there is nothing. */
bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size);

#endif
