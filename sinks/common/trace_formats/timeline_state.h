/* SPDX-License-Identifier: MIT */
/* timeline_state.h - what a timeline consists of, for those who write one and for the formats. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TIMELINE_STATE_H
#define SINKS_COMMON_TRACE_FORMATS_TIMELINE_STATE_H

#include "core/files/identity.h"
#include "core/text/buffer.h"
#include "core/text/ids.h"
#include "core/text/map.h"

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- call_tree.c ----------------------------------------------------------------------------- */

struct swi_call {
    struct swi_call *parent, *child,
        *next; /* the first child, and the next one of the same parent */
    uint32_t name;
    int64_t calls;     /* without cancelled ones */
    int64_t total_ns;  /* of these calls, without pauses */
    int64_t inside_ns; /* of the regions inside, including cancelled ones */
    int64_t all_ns;    /* including cancelled ones */
};

/* A format that writes nothing. track->node is the root of each thread's tree. Its children are in
 * the order in which they first began. */
extern const struct swi_timeline_format swi_timeline_call_tree;

/* Folded stacks for flame graphs: a line for each path of regions, with its self time in
 * microseconds. */
extern const struct swi_timeline_format swi_timeline_folded;

/* ---- bytes that a format can only write at the end ------------------------------------------- */

/* Few of them are kept in memory, the rest in a temporary file without a name. Initialise it as
 * {0}. Add to `text`, and call swi_spool_spill() from time to time. */
struct swi_spool {
    struct swi_text text;
    int fd; /* of the file; 0: none yet */
    struct swi_identity identity;
    int64_t spilled; /* bytes in the file */
    bool failed;
    int error; /* errno if the file failed; 0: out of memory */
};

/* ---- names ----------------------------------------------------------------------------------- */

/* Each is repaired and escaped once, and has a number. */

/* The part of the loop that a name stands for. Actions of the user are SWI_KIND_OTHER. */
enum swi_kind {
    SWI_KIND_OTHER,
    SWI_KIND_FIT,
    SWI_KIND_EPOCH,
    SWI_KIND_TRAIN,
    SWI_KIND_VALID,
    SWI_KIND_DRAW,
    SWI_KIND_BATCH,
    SWI_KIND_OPT_STEP,
    SWI_KIND_ZERO_GRAD
};

struct swi_timeline_name {
    char *text; /* UTF-8 without control characters except tab and newline */
    /* The same as a JSON string with its quotes. May be read in whole blocks of 16 bytes. */
    char *json;
    size_t size; /* bytes of text */
    size_t json_size;
    enum swi_kind kind;
};

/* Initialise it as {0}. */
struct swi_timeline_names {
    struct swi_map keys;            /* as they were given */
    struct swi_timeline_name *item; /* by the number of the key */
};

struct swi_timeline;

/* Returns the number of a name, and adds it if it is new. Returns 0 and sets t->failed if out of
 * memory. */
uint32_t swi_name_number(struct swi_timeline *t, const char *name, size_t size);

/* Adds a JSON string with its quotes in a form that every viewer shows: invalid UTF-8 and control
 * characters except tab and newline become U+FFFD, and nothing is escaped unnecessarily. For
 * swi_escape_format(). */
void swi_timeline_json(struct swi_text *out, const char *text);

/* Adds the same without quotes and escapes. */
void swi_timeline_repair(struct swi_text *out, const char *text, size_t size);

/* ---- uses of counters ------------------------------------------------------------------------ */

enum { SWI_USES_MOST = 80 };

/* What a region used of a counter. */
struct swi_region_use {
    uint32_t name; /* of the counter */
    int64_t value;
};

/* The counters of a thread. Made at the first use. */
struct swi_uses {
    size_t count;
    struct swi_counted {
        uint32_t name;
        bool is_peak;
        bool any;      /* a peak: it came with the event that is taken next */
        int64_t value; /* the sum of all increases; of a peak, the value itself */
    } counter[SWI_USES_MOST];
    size_t depth; /* rows of start */
    struct swi_use_start {
        int64_t value[SWI_USES_MOST];
        bool lost[SWI_USES_MOST];
    } * start; /* by depth */
    size_t found;
    struct swi_region_use use[SWI_USES_MOST]; /* of the region that ends now */
};

/* ---- what regions cover ---------------------------------------------------------------------- */

struct swi_cover {
    int64_t begin_ns, end_ns;
};

/* Initialise it as {0}. */
struct swi_region_coverage {
    struct swi_cover *item; /* a ring once it has its largest size */
    size_t room;
    size_t count; /* all that were added */
};

/* Adds a region. Regions come in order and do not overlap. Those without a time inside are left
 * out. */
void swi_region_coverage_add(struct swi_region_coverage *coverage, int64_t begin_ns,
                             int64_t end_ns);

/* ---- spans ----------------------------------------------------------------------------------- */

struct swi_track;

struct swi_begun_span {
    struct swi_id key; /* of its process and its id */
    int64_t id;
    struct swi_track *track; /* where it began */
    size_t process;
    uint32_t name;
    int64_t begin_ns; /* of the file */
    bool written;     /* its begin is in the file */
    bool cut;         /* it began before what is recorded */
};

/* ---- the timeline ---------------------------------------------------------------------------- */

/* For functions that few regions need. The others call them last or not at all, and so save no
 * registers. */
#define SWI_RARE __attribute__((noinline, cold))

/* A region between its begin and the format. */
struct swi_interval {
    int64_t begin_ns, end_ns;
    uint32_t name;
    uint32_t shape; /* number + 1 of the name that is its shape; 0: none */
    enum swi_kind kind;
    enum sw_phase phase;
    int64_t samples;     /* of a batch; else -1 */
    int64_t step;        /* for a batch: the number of its step in its phase; else -1 */
    int64_t epoch;       /* for an epoch: its number; else -1 */
    int64_t group;       /* for parts of a step: a number that is unique for each step; else -1 */
    enum sw_phase inner; /* train or valid if it is, or is within one; else fit */
    int64_t paused_ns;   /* how long the loop was paused in between */
    size_t uses_size;    /* bytes that its counters may need */
    int64_t end_bytes;   /* what is reserved for its end */
    const struct swi_uses *uses; /* when it ends: what it used of counters; NULL: nothing */
    bool skipped;                /* left out because the file is full */
    bool opened;                 /* used by the format: its begin is written */
    bool cancelled;              /* by the program, or because it was left open */
    bool cut;                    /* it was open when the recording began or ended */
};

/* A finished step: draw and batch. */
struct swi_timeline_step {
    int64_t begin_ns, end_ns;
    enum sw_phase phase;
    int64_t number; /* among the training steps of the run, or the steps of this validation */
    int64_t epoch;
    int64_t in_epoch; /* from 0 in each epoch, train and valid */
    int64_t group;
};

/* Where the loop is when a window begins. */
struct swi_timeline_place {
    int64_t step;  /* number of the next training step */
    int64_t epoch; /* number of the open epoch, or of the next; -1: it follows the last one */
    int64_t train_steps, valid_steps; /* done in the open epoch, train and valid */
};

/* Steps of training and of validation. */
enum { SWI_TRAIN_STEPS, SWI_VALID_STEPS, SWI_STEP_KINDS };

/* One thread of a process. */
struct swi_track {
    size_t process;
    struct swi_timeline_process *of; /* the same */
    int thread;
    int number;                 /* from 0, over all processes */
    int64_t tid;                /* as viewers show it */
    bool is_loop;               /* its steps are the run's */
    struct swi_interval *frame; /* open regions, the outermost first */
    size_t depth, room;
    struct swi_region_coverage coverage; /* the outermost regions that are in the file */
    int64_t last_ns;                     /* times never go back */
    struct swi_uses *uses;               /* NULL: no counters */
    bool is_inside;                      /* within the recorded range of the process */
    /* Used by the format. */
    struct swi_text prefix;
    struct swi_text held; /* events that must come after one that is not known yet */
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
    int64_t training_steps, epochs, epoch;
    int64_t epoch_steps[SWI_STEP_KINDS];  /* done in the open epoch, train or valid */
    int64_t steps_before[SWI_STEP_KINDS]; /* of these, done before the window; 0 once applied */
    int64_t first_epoch;                  /* of the window */
    int64_t group;                        /* of the open step, or -1 */
    int64_t step_begin_ns;
};

/* The begin or the end of a span. */
struct swi_span_edge {
    struct swi_track *track;
    int64_t time_ns;
    uint32_t name;
    int64_t id; /* unique among the spans of the process */
    bool begins;
    bool cut; /* it is the beginning or the end of what was recorded of the span */
};

/* An arrow from the region in which a span began to the one in which it ended. */
struct swi_flow {
    struct swi_track *from, *to;
    int64_t from_ns, to_ns;
    uint32_t name;
    int64_t id; /* of the span */
};

/* A format of a timeline. Each function may be NULL, except end. */
struct swi_timeline_format {
    const char *name;
    const char *extension; /* with its dot */
    bool whole;       /* only complete files are readable, so it is made under another name first */
    bool one_process; /* a file has only one process */
    /* Returns how much of buffered data ends with a whole line or packet; NULL: nothing. */
    size_t (*part)(const char *data, size_t size, size_t most);
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
    /* Writes the begin of an open region now, unless it is written. Only if begin() does not. */
    void (*open)(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval);
    void (*span)(struct swi_timeline *t, const struct swi_span_edge *edge);
    void (*flow)(struct swi_timeline *t, const struct swi_flow *flow); /* with span */
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
    int error; /* errno if a temporary file failed; otherwise memory ran out */
    struct swi_timeline_names names;
    struct swi_ids spans;     /* the open ones */
    struct swi_flow *pending; /* arrows whose ends are not known to be in regions */
    size_t pending_count;
    int32_t *by_action; /* names of the actions of the process, by id */
    size_t actions;
    size_t process_count;
    struct swi_timeline_process **process;
    size_t track_count;
    struct swi_track **track;
    struct swi_track **by_thread; /* of the process that was used last */
    size_t by_thread_count, by_thread_process;
    int64_t groups; /* steps so far */
    void *state;    /* used by the format */
};

/* ---- the formats ----------------------------------------------------------------------------- */

/* The JSON format of chrome://tracing and Perfetto. */
extern const struct swi_timeline_format swi_timeline_chrome;

/* The same as a single object, for a file that is made afterwards. */
extern const struct swi_timeline_format swi_timeline_chrome_object;

extern const struct swi_timeline_format swi_timeline_torch;      /* of torch.profiler */
extern const struct swi_timeline_format swi_timeline_xplane;     /* TensorBoard's Profile page */
extern const struct swi_timeline_format swi_timeline_perfetto;   /* Perfetto's protobuf format */
extern const struct swi_timeline_format swi_timeline_speedscope; /* of speedscope.app */

#endif
