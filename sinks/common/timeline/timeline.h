/* SPDX-License-Identifier: MIT */
/* timeline.h - records what happened when on each thread, as a file for a viewer.
 *
 * Add the begins, ends and cancels of regions in the order of each thread, and values in any order.
 * The timeline nests the regions, finds the steps, keeps the limits, and calls one format, which
 * writes. Both the sink `trace` and `stepwatch export` use it. */
#ifndef SINKS_COMMON_TIMELINE_TIMELINE_H
#define SINKS_COMMON_TIMELINE_TIMELINE_H

#include "core/text/buffer.h"
#include "sinks/common/timeline/names.h"
#include "sinks/common/timeline/spool.h"

#include <stepwatch/sink.h>

/* A region between its begin and the format. */
struct swi_interval {
    int64_t begin_ns, end_ns;
    uint32_t name;
    uint32_t shape; /* number + 1 of the name that is its shape; 0: none */
    enum swi_kind kind;
    enum sw_phase phase;
    int64_t samples;   /* of a batch; else -1 */
    int64_t step;      /* for a batch: the number of its step in its phase; else -1 */
    int64_t epoch;     /* for an epoch: its number; else -1 */
    int64_t group;     /* for parts of a step: a number that is unique for each step; else -1 */
    int64_t paused_ns; /* how long the loop was paused in between */
    bool skipped;      /* left out because the file is full */
    bool opened;       /* used by the format: its begin is written */
    bool cancelled;    /* by the program, or because it was left open */
    bool cut;          /* it was open when the recording began or ended */
};

/* A finished step: draw and batch. */
struct swi_timeline_step {
    int64_t begin_ns, end_ns;
    enum sw_phase phase;
    int64_t number; /* among the training steps of the run, or the steps of this validation */
    int64_t epoch;
    int64_t in_epoch; /* from 0 in each train and valid */
    int64_t group;
};

/* One thread of a process. */
struct swi_track {
    size_t process;
    int thread;
    int number;                 /* from 0, over all processes */
    int64_t tid;                /* as viewers show it */
    bool is_loop;               /* its steps are the run's */
    struct swi_interval *frame; /* open regions, the outermost first */
    size_t depth, room;
    int64_t last_ns; /* times never go back */
    bool is_inside;  /* within the recorded range of the process */
    /* Used by the format. */
    struct swi_text prefix;
    struct swi_spool spool;
    int64_t written_ns;
    uint8_t *interned;
    size_t interned_room;
    bool started;
    struct swi_call *node;
};

/* A process: one rank of a run. Texts are copied. */
struct swi_timeline_process {
    const char *name;
    const char *host;
    const char *version; /* of stepwatch */
    int64_t pid;         /* unique in the file */
    int64_t rank, world_size;
    int64_t started_ns; /* Unix time of 0 ns */
    int64_t begin_ns;   /* begin of its part of the file */
    /* If upto_ns is not 0, only this range of time is recorded, and regions that are open at its
     * ends are cut. */
    int64_t from_ns, upto_ns;
    /* Set by the timeline. */
    int64_t offset_ns; /* from the file's origin to 0 ns of this process */
    size_t number;
    int loop; /* its thread; -1 until it is known */
    int64_t training_steps, phase_steps, epochs, epoch;
    int64_t group; /* of the open step, or -1 */
    int64_t step_begin_ns;
};

struct swi_timeline;

/* A format of a timeline. Each function may be NULL, except end. */
struct swi_timeline_format {
    const char *name;
    const char *extension; /* with its dot */
    bool whole;       /* only complete files are readable, so it is made under another name first */
    bool one_process; /* a file has only one process */
    void (*start)(struct swi_timeline *t);
    void (*process)(struct swi_timeline *t, struct swi_timeline_process *process);
    void (*thread)(struct swi_timeline *t, struct swi_track *track);
    void (*begin)(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval);
    void (*end)(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval);
    void (*step)(struct swi_timeline *t, struct swi_track *track,
                 const struct swi_timeline_step *step);
    void (*counter)(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value);
    /* key: NULL, or the name of the value, which is JSON. */
    void (*instant)(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value);
    void (*span)(struct swi_timeline *t, struct swi_track *track, int64_t time_ns, uint32_t name,
                 int64_t id, bool begins);
    void (*finish)(struct swi_timeline *t);
    void (*free)(struct swi_timeline *t);
};

struct swi_timeline {
    const struct swi_timeline_format *format;
    /* Writes bytes that end with a line, a packet or the file. Returns false if nothing more can be
     * written. */
    bool (*write)(void *arg, const char *data, size_t size);
    void *arg;
    int64_t max_size;   /* bytes; 0: no limit */
    int64_t max_events; /* regions; 0: no limit */
    int64_t origin_ns;  /* Unix time of the file's 0; 0: the start of the first process */
    /* Set by the timeline. */
    struct swi_text out;
    int64_t written;  /* bytes of this file, without `out` */
    int64_t spooled;  /* bytes that wait for the end */
    int64_t valued;   /* bytes of counters */
    int64_t reserved; /* bytes that the ends of open regions may need */
    int64_t events;   /* regions taken */
    int64_t dropped;  /* regions not taken */
    int64_t end_ns;   /* the latest time */
    bool full, failed;
    struct swi_timeline_names names;
    int32_t *by_action; /* names of the actions of the process, by id */
    int actions;
    size_t process_count;
    struct swi_timeline_process **process;
    size_t track_count;
    struct swi_track **track;
    struct swi_track **by_thread; /* of the process that was used last */
    size_t by_thread_count, by_thread_process;
    int64_t groups; /* steps so far */
    void *state;    /* used by the format */
};

/* Begins a timeline and writes the head. Initialise it as {.format, .write, .arg, limits,
 * .origin_ns}. */
void swi_timeline_start(struct swi_timeline *t);

/* Adds a process. Returns its number, or -1 if out of memory. */
int swi_timeline_process(struct swi_timeline *t, const struct swi_timeline_process *process);

/* Adds an event of a region. name: from swi_timeline_name(). Times are those of the process. */
void swi_timeline_region(struct swi_timeline *t, int process, int thread,
                         enum sw_region_event event, uint32_t name, int64_t time_ns,
                         int64_t samples);

/* Gives the region that began last on a thread the shape of its input. */
void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape);

/* The shape of a region as JSON: a list of lists of numbers, or a string; NULL: it has none. */
const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size);

/* Returns the number of a name by the action's handle and name. */
uint32_t swi_timeline_action(struct swi_timeline *t, int action_id, const char *action);

/* Sets the thread of the loop, before its first event. Otherwise it is the thread that first begins
 * fit, epoch, train, valid, draw or batch. */
void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread);

/* Sets the number of the next training step. */
void swi_timeline_step_set(struct swi_timeline *t, int process, int64_t step);

/* Sets the number of the next epoch that begins. */
void swi_timeline_epoch_set(struct swi_timeline *t, int process, int64_t epoch);

/* Ends all open regions of a process now and marks them as cut, because a window has ended. */
void swi_timeline_cut(struct swi_timeline *t, int process, int64_t time_ns);

/* Makes regions that are open at the end of the file last until this time at least. */
void swi_timeline_upto(struct swi_timeline *t, int process, int64_t time_ns);

/* Notes that the loop was paused or goes on. */
void swi_timeline_pause(struct swi_timeline *t, int process, int thread, bool paused,
                        int64_t time_ns);

/* Adds a value. Values that are not finite are left out. */
void swi_timeline_counter(struct swi_timeline *t, int process, int64_t time_ns, const char *name,
                          double value);

/* Adds a text at a time on a thread (-1: of the process). key: NULL, or the name of value, which is
 * JSON. */
void swi_timeline_instant(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                          const char *text, const char *key, const char *value);

/* Begins or ends a span on a thread. id: unique among the open spans of the process. */
void swi_timeline_span(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                       const char *name, int64_t id, bool begins);

/* Writes what is buffered, which ends with a line or a packet. */
void swi_timeline_drain(struct swi_timeline *t);

/* Ends the file. Open regions end now and are marked as cut. Nothing more may be added. */
void swi_timeline_finish(struct swi_timeline *t);

/* Ends the file and begins another one with the open regions. between: called after the first file
 * is complete and before the next one begins. Returns false if there is no next one. */
void swi_timeline_next_file(struct swi_timeline *t, bool (*between)(void *arg));

/* Returns the size that the file would have if it ended now. */
int64_t swi_timeline_size(const struct swi_timeline *t);

void swi_timeline_free(struct swi_timeline *t);

#endif
