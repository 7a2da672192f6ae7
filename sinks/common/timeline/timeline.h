/* SPDX-License-Identifier: MIT */
/* timeline.h - what happened when on each thread, as a file for a viewer.
 *
 * Feed it the begins, ends and cancels of regions in the order of each thread, and values in any
 * order. It nests the regions, finds the steps, keeps to the limits, and calls one format, which
 * writes. The sink `trace` and `stepwatch export` use it alike. */
#ifndef SINKS_COMMON_TIMELINE_TIMELINE_H
#define SINKS_COMMON_TIMELINE_TIMELINE_H

#include "core/text/buffer.h"
#include "sinks/common/timeline/names.h"
#include "sinks/common/timeline/spool.h"

#include <stepwatch/sink.h>

/* A region on its way from its begin to the format. */
struct swi_interval {
    int64_t begin_ns, end_ns;
    uint32_t name;
    enum swi_kind kind;
    enum sw_phase phase;
    int64_t samples;   /* of a batch; else -1 */
    int64_t step;      /* of a batch: the number of its step, by phase; else -1 */
    int64_t epoch;     /* of an epoch: its number; else -1 */
    int64_t group;     /* of what belongs to a step: a number of its own for each step; else -1 */
    int64_t paused_ns; /* of the time in between the loop was paused */
    bool skipped;      /* not taken: the file is full */
    bool opened;       /* the format's: its begin is written */
    bool cancelled;    /* by the program, or left open */
    bool cut;          /* was open when the recording began or ended */
};

/* A finished step: draw and batch. */
struct swi_timeline_step {
    int64_t begin_ns, end_ns;
    enum sw_phase phase;
    int64_t number; /* of the training steps of the run, or of the steps of this validation */
    int64_t epoch;
    int64_t in_epoch; /* from 0 in each train and valid */
    int64_t group;
};

/* One thread of a process. */
struct swi_track {
    size_t process;
    int thread;
    int number;                 /* from 0, over all processes */
    int64_t tid;                /* as the viewers show it */
    bool is_loop;               /* its steps are the run's */
    struct swi_interval *frame; /* open regions, the outermost first */
    size_t depth, room;
    int64_t last_ns; /* time never goes back */
    bool is_inside;  /* of what is recorded of the process */
    /* The format's. */
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
    int64_t begin_ns;   /* where its part of the file begins */
    /* Only what happened from one time to another is recorded, if upto_ns is not 0. Regions that
     * are open at these times are cut. */
    int64_t from_ns, upto_ns;
    /* Filled in by the timeline. */
    int64_t offset_ns; /* from the file's origin to 0 ns of this process */
    size_t number;
    int loop; /* its thread; -1: not known yet */
    int64_t training_steps, phase_steps, epochs, epoch;
    int64_t group; /* of the step that is open; -1: none */
    int64_t step_begin_ns;
};

struct swi_timeline;

/* How a timeline is written. Each function may be NULL, except end. */
struct swi_timeline_format {
    const char *name;
    const char *extension; /* with its dot */
    bool whole;            /* is readable only as a whole: made under another name first */
    bool one_process;      /* a file has one process */
    void (*start)(struct swi_timeline *t);
    void (*process)(struct swi_timeline *t, struct swi_timeline_process *process);
    void (*thread)(struct swi_timeline *t, struct swi_track *track);
    void (*begin)(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval);
    void (*end)(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval);
    void (*step)(struct swi_timeline *t, struct swi_track *track,
                 const struct swi_timeline_step *step);
    void (*counter)(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value);
    /* key: NULL, or a name of the value, which is JSON. */
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
    /* Takes bytes that end a line, a packet or the file. False: nothing more can be written. */
    bool (*write)(void *arg, const char *data, size_t size);
    void *arg;
    int64_t max_size;   /* bytes; 0: no limit */
    int64_t max_events; /* regions; 0: no limit */
    int64_t origin_ns;  /* Unix time of the file's 0; 0: the start of the first process */
    /* Filled in. */
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
    void *state;    /* the format's */
};

/* Begins as {.format, .write, .arg, limits, .origin_ns}. Writes the head. */
void swi_timeline_start(struct swi_timeline *t);

/* Adds a process; -1 if out of memory. */
int swi_timeline_process(struct swi_timeline *t, const struct swi_timeline_process *process);

/* An event of a region. name: from swi_timeline_name(). Times are of the process. */
void swi_timeline_region(struct swi_timeline *t, int process, int thread,
                         enum sw_region_event event, uint32_t name, int64_t time_ns,
                         int64_t samples);

/* The same, by name and by the action's handle. */
uint32_t swi_timeline_action(struct swi_timeline *t, int action_id, const char *action);

/* Says which thread is the loop's, before its first event. Else it is the one that begins fit,
 * epoch, train, valid, draw or batch first. */
void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread);

/* Sets the number of the next training step. */
void swi_timeline_step_set(struct swi_timeline *t, int process, int64_t step);

/* Sets the number of the next epoch that begins. */
void swi_timeline_epoch_set(struct swi_timeline *t, int process, int64_t epoch);

/* What a process has open ends now, and is marked as cut: a window has ended. */
void swi_timeline_cut(struct swi_timeline *t, int process, int64_t time_ns);

/* What is open at the end of the file lasts until this time at least. */
void swi_timeline_upto(struct swi_timeline *t, int process, int64_t time_ns);

/* The loop was paused, or goes on. */
void swi_timeline_pause(struct swi_timeline *t, int process, int thread, bool paused,
                        int64_t time_ns);

/* A value. What is not finite is left out. */
void swi_timeline_counter(struct swi_timeline *t, int process, int64_t time_ns, const char *name,
                          double value);

/* A text at a time, on a thread (-1: of the process); key may be NULL, else value is JSON. */
void swi_timeline_instant(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                          const char *text, const char *key, const char *value);

/* A span begins or ends on a thread. id: unique among the open spans of the process. */
void swi_timeline_span(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                       const char *name, int64_t id, bool begins);

/* Hands on what is written so far, which ends a line or a packet. */
void swi_timeline_drain(struct swi_timeline *t);

/* Ends the file: open regions end now and are marked as cut. Nothing more may be added. */
void swi_timeline_finish(struct swi_timeline *t);

/* Ends the file, and begins another one with the regions that are open. between: called after the
 * first one is complete and before the next one begins; false: there is no next one. */
void swi_timeline_next_file(struct swi_timeline *t, bool (*between)(void *arg));

/* Bytes of the file as it would be if it ended now. */
int64_t swi_timeline_size(const struct swi_timeline *t);

void swi_timeline_free(struct swi_timeline *t);

#endif
