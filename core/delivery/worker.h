/* SPDX-License-Identifier: MIT */
/* worker.h - one open sink: its plugin, state, queue and thread. */
#ifndef CORE_DELIVERY_WORKER_H
#define CORE_DELIVERY_WORKER_H

#include "core/clock/deadline.h"
#include "core/process/environment.h"
#include "core/plugins/loader.h"
#include "core/delivery/messages.h"
#include "core/plugins/options.h"
#include "core/delivery/queue.h"

#include <stdatomic.h>

/* Why a thread does not come back that is not waited for. */
enum swi_gone { SWI_NOT_GONE, SWI_EXITING, SWI_CRASHED };

/* A failing sink is given up after so many records in a row. */
enum { SWI_FAILURES_MAX = 10 };

/* A sink may say so many messages at once, and then one a second. */
enum { SWI_MESSAGES_MAX = 20 };

struct swi_demand;
struct swi_file;
struct swi_regions;

struct swi_worker {
    struct sw_sink sink; /* what the plugin sees; first, so that a service finds the worker */
    struct swi_plugin plugin;
    char *name;
    const struct sw_run *run_given;
    struct sw_run run;      /* as it was when the sink was opened */
    const char *rank_files; /* for run */
    int64_t started_ns;     /* wall clock: files that are newer belong to others */
    bool fresh_files;       /* core made the names of its files: none may be there before */
    void *state;
    struct swi_strings *strings;
    struct swi_queue queue;
    struct swi_messages *messages;
    struct swi_demand *demand;                 /* of all sinks of the profiler */
    const struct swi_environment *environment; /* as sw_open() found it */
    pthread_t thread;
    bool started;
    atomic_uint wants;
    atomic_bool given_up;   /* it failed too often, or in open: its records are only counted */
    atomic_bool left_alone; /* it did not come back in time: says nothing any more */
    bool slow;              /* the carrier's: it does not keep up, and is not waited for */
    int64_t handled_before; /* the carrier's: when it looked last */

    /* The worker's own. */
    struct swi_file *files; /* that sink_files.c opened */
    struct swi_hold *holds; /* on the files that it writes */
    int64_t flushed_ns;
    int64_t flush_after_ns;      /* from one flush to the next */
    int failures;                /* in a row */
    int64_t time_ns;             /* of the record that came last */
    struct swi_regions *regions; /* of the record that the sink gets; NULL: it got none yet */

    /* What became of the records. */
    atomic_llong handled; /* left the queue for good */
    atomic_llong records; /* given to the sink */
    atomic_llong failed;  /* by the sink's own word */
    atomic_llong missed;  /* came after the sink was given up, or could not be opened */
    atomic_llong lost;    /* sw_sink_lost() */
    atomic_llong unsaid;  /* messages left out */

    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t change;
    bool done;
    enum swi_gone gone;
    uint64_t flush_asked; /* so many records shall be delivered and flushed */
    uint64_t flush_done;  /* and so many are */
    int64_t messages_left;
    int64_t message_ns; /* when messages_left was counted last */
    char *first_error;  /* escaped; NULL: none */
    char *files_lost;   /* what could not be written, escaped; NULL: none */
};

/* The worker of what a plugin sees. */
static inline struct swi_worker *swi_worker_of(struct sw_sink *sink)
{
    return (struct swi_worker *)sink;
}

/* Makes queue and locks; services: what its sink may call. 0 or SW_ENOMEM. */
int swi_worker_init(struct swi_worker *worker, const struct sw_sink_services *services);

/* sw_set_start(), while sinks may just be opening. */
void swi_run_replayed(struct sw_run *run, double started_s);

/* Starts the thread, which opens the sink. Returns 0, or why there is no thread (errno). */
int swi_worker_start(struct swi_worker *worker, const struct sw_run *run);

/* Waits for the end of the thread until the deadline. false: it is left alone. */
bool swi_worker_join(struct swi_worker *worker, const struct swi_deadline *deadline);

/* Asks the sink to deliver and flush what is queued: returns how many records that are, for
 * swi_worker_flush_wait(). false there: the deadline passed. */
uint64_t swi_worker_flush(struct swi_worker *worker);
bool swi_worker_flush_wait(struct swi_worker *worker, uint64_t records,
                           const struct swi_deadline *deadline);

/* What the sink failed in or lost, one sentence; false where nothing. */
bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size);

/* How many records the sink did not get yet. */
int64_t swi_worker_waiting(struct swi_worker *worker);

/* Says "sink NAME: text", unless the sink says too much. */
void swi_worker_say(struct swi_worker *worker, enum sw_level level, const char *text);

/* The worker whose thread this is, or NULL; may be called in a signal handler. */
struct swi_worker *swi_worker_here(void);

/* exit() was called: nobody waits for the calling thread, where it is a worker's. */
void swi_worker_leave(void);
/* Its thread has crashed: nobody waits for it. */
void swi_worker_gone(struct swi_worker *worker);
enum swi_gone swi_worker_why_gone(struct swi_worker *worker);

/* In the child of a fork: its lock is free. */
void swi_run_child(void);

/* Frees everything of a worker whose thread has ended or never began. */
void swi_worker_fini(struct swi_worker *worker);

#endif
