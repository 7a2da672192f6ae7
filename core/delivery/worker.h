/* SPDX-License-Identifier: MIT */
/* worker.h - one open sink: its plugin, state, queue and thread. */
#ifndef CORE_DELIVERY_WORKER_H
#define CORE_DELIVERY_WORKER_H

#include "core/clock/deadline.h"
#include "core/files/write_lock.h"
#include "core/process/environment.h"
#include "core/plugins/loader.h"
#include "core/delivery/messages.h"
#include "core/plugins/options.h"
#include "core/delivery/queue.h"

#include <stdatomic.h>

/* Why a thread is not waited for. */
enum swi_gone { SWI_NOT_GONE, SWI_EXITING, SWI_CRASHED };

/* A sink is given up after this many failures in a row. */
enum { SWI_FAILURES_MAX = 10 };

/* How many records a worker takes out of its queue at once. */
enum { SWI_WORKER_TAKES = 256 };

/* A sink may send this many messages at once, and then one a second. */
enum { SWI_MESSAGES_MAX = 20 };

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
    atomic_bool given_up;   /* it failed too often, or in open: its records are only counted */
    atomic_bool left_alone; /* it did not end in time: its messages are discarded */
    bool slow; /* of the dispatcher: the sink does not keep up, so do not wait for it */
    int64_t handled_before; /* of the dispatcher: `handled` when it looked last */
    struct swi_hung_sink {  /* of the dispatcher: since when the sink takes no values */
        int64_t since_ns;   /* 0: it takes them, or none wait */
        uint64_t taken;
        bool said;
    } idle_values;

    /* Used only by the thread of the worker. */
    void *unopened;               /* the state as it is before open(), until that succeeds */
    struct swi_file *files;       /* opened by sink_files.c */
    struct swi_write_locks locks; /* on the files that it writes */
    struct swi_made_file *made;   /* image files made for the record that it has now */
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
    atomic_llong progress; /* reported by sw_sink_progress() */

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

#endif
