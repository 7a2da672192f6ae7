/* SPDX-License-Identifier: MIT */
/* sink.h - for plugins that store or send what stepwatch measures.
 *
 * A plugin is a shared object NAME.so that exports one constant, `sw_sink_plugin`. Core allocates
 * the sink's state, sets it to zero and fills in its options from the YAML with the table of
 * options. It calls open, record, flush and close on the sink's own thread, one at a time, so a
 * sink needs no lock. A sink calls core only through its struct sw_sink, so it has no undefined
 * symbol of stepwatch and loads into any program. */
#ifndef STEPWATCH_SINK_H
#define STEPWATCH_SINK_H

#include <stepwatch/error.h>
#include <stepwatch/ranks.h>
#include <stepwatch/report.h>
#include <stepwatch/value_records.h>
#include <stepwatch/window.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/* ---- how the structs grow -----------------------------------------------------------------------
 *
 * Later versions append fields to the structs of this header and of report.h, and never move one. A
 * struct has its size in its first field. An array comes with the distance between two elements:
 * use sw_record_metric(), sw_record_region(), sw_step_part_at(), sw_report_row(),
 * sw_report_misuse() and sw_distribution_bin() instead of an index. Then a sink works unchanged
 * with every later core. Ask SW_HAS() before you read a field that the first core of this ABI did
 * not have. */

/**
 * True if a struct of `size` bytes has a field, for a sink that may run with an older core:
 * `SW_HAS(record->size, record, samples_per_s)`, `SW_HAS(record->metrics.stride, metric, by)`.
 */
#define SW_HAS(size, object, field)                                                                \
    ((size) >= (size_t)((const char *)(&(object)->field + 1) - (const char *)(object)))

/* ---- what a sink receives -------------------------------------------------------------------- */

/** The kinds of records. A sink receives those that its descriptor wants. */
enum sw_record_type {
    SW_RECORD_RUN,     /**< first of all: describes the run (record->run) */
    SW_RECORD_HPARAM,  /**< a hyper-parameter (record->hparam) */
    SW_RECORD_METRICS, /**< named numbers at a step (record->metrics) */
    SW_RECORD_MARK,    /**< fit, epoch, train or valid begins or ends (record->regions, always one)
                        */
    SW_RECORD_STEP,    /**< a finished step with its durations (record->step_done, a struct
                          sw_step) */
    SW_RECORD_REGIONS, /**< begins, ends and cancels of all regions, in order for each thread
                          (record->regions) */
    SW_RECORD_EPOCH,   /**< the report so far, at the end of each epoch (record->report) */
    SW_RECORD_REPORT,  /**< the report at the end of a fit (record->report) */
    SW_RECORD_END,     /**< last of all: how the run ended (record->end) */
    SW_RECORD_PAUSE,   /**< sw_pause() or sw_resume() was called (record->pause) */
    SW_RECORD_LOST,    /**< records before this were dropped for this sink (record->lost) */
    SW_RECORD_WINDOW,  /**< a window begins or has ended (record->window): all SW_RECORD_REGIONS are
                          between the two */
    SW_RECORD_NOTE,    /**< sw_note() was called (record->note) */
    SW_RECORD_SPAN,    /**< a span begins or has ended (record->span), inside of a window or not */
    SW_RECORD_RANKS,   /**< one report of all ranks, on the rank that has it (record->ranks) */
    SW_RECORD_CLOCK,   /**< how far this rank's clock is from that of rank 0 (record->clock) */
    SW_RECORD_ALERT,   /**< something that the user should look at (record->alert) */
    SW_RECORD_VALUE,   /**< a text, table, histogram, images or a file (record->value) */
    SW_RECORD_RULE,    /**< what to show of metrics (record->rule) */
    SW_RECORD_SUMMARY, /**< a value of the summary (record->summary) */
    SW_RECORD_LINE,    /**< a line of the program's logger (record->line) */
    SW_RECORD_FINDINGS, /**< for .wants only: reports of fits then have findings
                           (record->report->finding). If no sink wants them, core looks for none */
    SW_RECORD_MONITOR,  /**< for .wants only: samples of monitors come as SW_RECORD_METRICS whose
                           metrics are all SW_BY_MONITOR */
    SW_RECORD_TYPES
};

/** For .wants: `SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT)`. */
#define SW_WANT(type) (UINT32_C(1) << (type))

/** For .values: `SW_WANT_VALUE(SW_VALUE_TEXT) | SW_WANT_VALUE(SW_VALUE_TABLE)`. */
#define SW_WANT_VALUE(kind) (UINT32_C(1) << (kind))

/** Where a metric comes from. */
enum sw_origin {
    SW_BY_USER,     /**< sw_log() */
    SW_BY_PROFILER, /**< throughput/… (samples per second) and time_ms/… (milliseconds), rolling
                       averages */
    SW_BY_MONITOR   /**< a monitor, such as system or gpu; only for sinks that want
                       SW_RECORD_MONITOR */
};

/** A number with a name. */
struct sw_metric {
    const char *name; /**< as the user gave it, maybe not UTF-8: escape it for your format */
    double value;     /**< may be NAN or infinite */
    enum sw_origin by;
};

/** The type of a hyper-parameter, and the field of struct sw_hparam that has the value. */
enum sw_hparam_type {
    SW_HPARAM_INT,   /**< integer */
    SW_HPARAM_FLOAT, /**< number */
    SW_HPARAM_STRING /**< string */
};

/** A hyper-parameter. */
struct sw_hparam {
    size_t size; /**< of this struct in core */
    const char *name;
    enum sw_hparam_type type;
    int64_t integer;
    double number;
    const char *string;
};

/** An event of a region. */
enum sw_region_event {
    SW_REGION_BEGIN,
    SW_REGION_END,
    SW_REGION_CANCEL, /**< by sw_cancel(), or because its thread ended */
    SW_REGION_DISCARD /**< still open when a region around it ended, when its action began again, or
                          in a pause; the next event of the thread shows which */
};

/** A counter: of the configuration, or of sw_counter(). */
struct sw_counter_info {
    size_t size;      /**< of this struct in core */
    const char *name; /**< as given in the configuration or to sw_counter(), maybe not UTF-8 */
    const char *unit; /**< "B", "ns", or "" for a count */
    enum sw_counter_kind kind;
    int number;       /**< of the counter in this run, from 0; some numbers may have no counter */
    int64_t less;     /**< what reading the counter adds to it; subtracted from each region's use */
    bool steps_only;  /**< read only for fit, epoch, train, valid, draw and batch */
    int64_t standard; /**< how many of its columns tables show with `columns: standard`: 0, 1 (the
                           total) or 2 (also its own part) */
};

/** How much of a counter a region or a part of a step used. */
struct sw_counter_use {
    const struct sw_counter_info *counter;
    int64_t value; /**< SW_COUNTER_NONE if it could not be read */
    int64_t self;  /**< of a part of a step: without the regions inside; else SW_COUNTER_NONE */
};

/** A begin, end or cancel of a region. */
struct sw_region {
    int64_t time_ns; /**< since the run's start */
    enum sw_region_event event;
    enum sw_phase phase;
    const char *action;
    int action_id;
    int thread;      /**< 0 is the thread that measured first, usually the loop's */
    int64_t samples; /**< at the end of a batch; else -1 */
    size_t use_count;
    size_t use_stride; /**< bytes from one to the next; see sw_region_use() */
    /** At a begin or an end: the counters that have gone up since the previous one of the thread,
     * and by how much. For a SW_COUNTER_PEAK, at the end of a region: the region's peak. */
    const struct sw_counter_use *use;
    const char *shape; /**< as sw_action_shaped() got it; "" without one */
    /** At the end of a training batch whose step sw_set_step() has numbered: that number. -1 if the
     * step follows that of the batch before, and for all other regions. */
    int64_t step;
};

/** A duration within a step. An action that was called several times in the step has one part for
 * each call. */
struct sw_step_part {
    const char *action;
    int action_id;
    int inner; /**< 1: inside a call of the same action, whose duration includes it; else 0 */
    int64_t duration_ns;
    size_t use_count;
    size_t use_stride;                /**< bytes from one to the next; see sw_step_part_use() */
    const struct sw_counter_use *use; /**< of each counter that the action has */
    const char *shape;                /**< as sw_action_shaped() got it; "" without one */
    int64_t self_ns; /**< duration without the regions inside; -1 if it is not known */
    int in_draw;     /**< 1: inside a draw, whose duration includes it; else 0 */
};

/** A finished step, or several that are alike. */
struct sw_step {
    size_t size;         /**< of this struct in core */
    enum sw_phase phase; /**< SW_PHASE_TRAIN or SW_PHASE_VALID */
    int64_t samples;     /**< 0 if the batch had none; -1 if it was cancelled (then the batch is not
                            among the parts) */
    size_t count;        /**< of parts */
    size_t part_stride;  /**< bytes from one part to the next; see sw_step_part_at() */
    const struct sw_step_part *part; /**< draw, batch and actions inside them, in order of
                                        their ends */
    /** How many steps it stands for: 1, but in the replay of a log that was thinned out it may be
     * several that are alike. Then all above are their means, rounded. */
    int64_t steps;
    const struct sw_step *sum; /**< their sums; of a SW_COUNTER_PEAK, the peak. NULL: it is one */
};

/** Describes the run. Its texts are valid until close() has returned. */
struct sw_run {
    size_t size;         /**< of this struct in core */
    const char *name;    /**< the key `name` of the configuration, else the program's name */
    const char *program; /**< base name of the program, or "" */
    const char *host;
    int64_t pid;
    double started_s;    /**< wall clock, seconds since 1970 */
    const char *version; /**< of stepwatch */
    enum sw_mode mode;
    int64_t rolling_average; /**< training steps */
    bool drop_first_batch;
    const char *config_file; /**< the YAML file, absolute; "" without one */
    const char *directory; /**< base of the configuration's relative paths: absolute, or "" if that
                              folder no longer has a name */
    bool replayed;         /**< the run is being replayed from a run log */
    int64_t close_timeout_ns; /**< how long sw_close() waits for the sinks */
    int64_t utc_offset_s;     /**< local time minus UTC at the run's start; use it instead of TZ */
    int64_t rank;             /**< number of this process in a distributed run, from 0; else 0 */
    int64_t world_size; /**< number of its processes; 1 if it is not distributed, 0 if unknown */
    int64_t local_rank; /**< number of this process on its node, from 0; -1 if unknown */
    int64_t local_size; /**< number of the run's processes on this node; 0 if unknown */
    int64_t node;       /**< number of the node, from 0; -1 if unknown */
    int64_t attempt;    /**< how often the launcher has started the job again */
    const char *job;    /**< the launcher's name of the job, the same in all ranks; "" if unknown */
    const char *rank_source; /**< where the rank is from: "configuration", "stepwatch", "torch",
                                "horovod", "ompi", "mvapich", "pmi", "pmix", "jsm", "flux", "pals",
                                "slurm", "tpu", "sagemaker", "kubernetes" or "none" */
    bool rank_certain; /**< nothing contradicts the rank. If false, another process may believe that
                          it has the same rank: do not suppress output because of the rank */
    const char *id;    /**< a name that all ranks of this run share; "" if unknown */
    const char *rank_files; /**< where all ranks write their files, as a pattern such as
                               "runs/r.*.csv"; "" if no sink writes a file */
    /** Names of the actions in which a process waits for the other ranks: key `wait` of the
     * configuration. Ends with NULL, and is never NULL itself. */
    const char *const *wait;
    bool windowed; /**< regions are recorded in windows only, by a schedule or on demand; false: the
                      window is the whole run */
    const char *gpu; /**< name of a GPU runtime that was loaded before the run began, such as
                        "libcuda.so.1"; "" if there is none */
    size_t counter_count;
    size_t counter_stride;                 /**< bytes from one counter to the next */
    const struct sw_counter_info *counter; /**< those of the configuration that are measured */
    /** Names of the monitors that the configuration has. Ends with NULL, and is never NULL itself.
     */
    const char *const *monitors;
    /** Where the program's standard output (0) and standard error (1) were when the run began:
     * bytes from the start of the file. -1 if it is not a regular file. */
    int64_t printed_at[2];
    double peak_flops; /**< operations per second that the machine can do: key `peak_flops`; 0 if it
                          is not given */
};

/** A pause began or ended. No duration includes the time in between. */
struct sw_pause {
    size_t size; /**< of this struct in core */
    bool paused; /**< true: it began; false: it ended */
    int thread;  /**< the thread whose open regions continue after the pause */
};

/** A text that belongs to a moment: sw_note(). */
struct sw_note {
    size_t size;      /**< of this struct in core */
    const char *text; /**< as the user gave it, maybe not UTF-8: escape it for your format */
    int thread;       /**< the thread that called sw_note() */
};

/** The beginning or the end of a span: sw_span_begin() and sw_span_end(). */
struct sw_span {
    size_t size;        /**< of this struct in core */
    bool open;          /**< true: it begins; false: it has ended */
    int64_t id;         /**< of this span; no other span of the run has it */
    const char *action; /**< as the user gave it, maybe not UTF-8 */
    int action_id;
    int thread;       /**< the thread that called */
    int64_t begin_ns; /**< since the run's start */
    int64_t end_ns;   /**< at the end: since the run's start */
};

/** Number of values and events dropped since the last such record because the queue was full. */
struct sw_lost {
    size_t size;     /**< of this struct in core */
    int64_t metrics; /**< values */
    int64_t steps;
    int64_t regions; /**< begins, ends and cancels */
    int64_t spans;   /**< begins and ends of spans */
};

/** How far the wall clock of this rank is from that of rank 0. */
struct sw_clock_offset {
    size_t size;       /**< of this struct in core */
    int64_t offset_ns; /**< time of this rank minus that of rank 0 at the same moment */
    int64_t error_ns;  /**< the largest possible error of offset_ns */
};

/** An open region of a thread, in the alert of a stall. */
struct sw_open_region {
    int thread;         /**< 0 is the thread that measured first, usually the loop's */
    const char *action; /**< as the user gave it, maybe not UTF-8 */
    int64_t since_ns;   /**< when it began, since the run's start */
};

/** An alert: sw_alert(), or something that stepwatch noticed itself. */
struct sw_alert {
    size_t size;       /**< of this struct in core */
    const char *kind;  /**< "user": by sw_alert(). By stepwatch itself: "stall" and "goes-on" of the
                          watchdog; "nan": a metric that was a number has become NaN */
    int level;         /**< 0 note, 1 warning, 2 error (enum sw_level) */
    const char *title; /**< at most 64 characters of UTF-8; may hold control characters */
    const char *text;  /**< at most 4 KiB of UTF-8, maybe several lines; "" if there is none */
    int64_t wait_ns;   /**< a service should not show the same title again within this time */
    size_t open_count; /**< for a stall: number of open regions, the innermost one of each thread */
    size_t open_stride; /**< bytes from one to the next; see sw_alert_open() */
    const struct sw_open_region *open;
};

/** How a run ended. */
struct sw_end {
    size_t size;      /**< of this struct in core */
    int exit_status;  /**< 0 is success; from sw_set_exit_status(), or the program's exit status */
    int signal;       /**< the signal that ends the program, or 0 */
    bool interrupted; /**< the program ended without sw_close() */
    /** What ended the program without sw_close(), such as "exit(3) without sw_close()" or "SIGSEGV
     * in sink csv"; NULL otherwise. */
    const char *cause;
    int64_t deadline_ns; /**< until when the program waits for its sinks (CLOCK_MONOTONIC): for
                            close_timeout, or less after a crash; 0: unknown */
};

/** Where the step of a metric or of another value is from. A step that is not the loop's may be
 * above or below those of the records around it. */
enum sw_step_source {
    SW_STEP_OF_LOOP = 0, /**< where the loop is; that of all other records */
    SW_STEP_GIVEN,       /**< the program gave it to sw_log_at() */
    SW_STEP_COUNTED      /**< no training step has begun: values are counted; see sw_log() */
};

/**
 * One record, as sent to all sinks that want it. Immutable, shared, and valid only during record():
 * copy what you want to keep.
 */
struct sw_record {
    size_t size; /**< of this struct in core */
    enum sw_record_type type;
    unsigned char step_source; /**< enum sw_step_source: where `step` is from */
    int64_t time_ns;           /**< since the run's start, monotonic */
    double wall_s; /**< the same moment as wall clock time, in seconds since 1970: started_s plus
                      time_ns */
    int64_t step;  /**< number of the training step that the record belongs to, from 0 */
    int64_t steps_expected; /**< from sw_expect_steps(); 0 is unknown */
    int64_t epoch;          /**< epoch that the record belongs to, from 0, counted over the run */
    int fit;                /**< 1 for the program's first fit; 0 before it */
    enum sw_phase phase;    /**< where the loop was */
    struct {
        size_t count;
        size_t stride; /**< bytes from one metric to the next; see sw_record_metric() */
        const struct sw_metric *item;
    } metrics;
    struct {
        size_t count;
        size_t stride; /**< bytes from one region to the next; see sw_record_region() */
        const struct sw_region *item;
    } regions;
    const struct sw_step *step_done;
    const struct sw_run *run;
    const struct sw_hparam *hparam;
    const struct sw_report *report;
    const struct sw_end *end;
    const struct sw_pause *pause;
    const struct sw_lost *lost;
    double samples_per_s; /**< with a step or rolling averages: samples of the phase so far in this
                             fit, divided by the time that the phase has taken; 0 if unknown */
    const struct sw_window *window;
    const struct sw_note *note;
    const struct sw_span *span;
    const struct sw_ranks *ranks;
    const struct sw_clock_offset *clock;
    const struct sw_alert *alert;
    const struct sw_value *value;
    const struct sw_defined_rule *rule;
    const struct sw_summary_value *summary;
    const struct sw_line *line;
};

/** Returns open region i of an alert, from 0; i is less than alert->open_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_open_region *
sw_alert_open(const struct sw_alert *alert, size_t i)
{
    return (const struct sw_open_region *)sw_element_(alert->open, alert->open_stride, i);
}

/** Returns metric i of a record, from 0; i is less than record->metrics.count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_metric *
sw_record_metric(const struct sw_record *record, size_t i)
{
    return (const struct sw_metric *)sw_element_(record->metrics.item, record->metrics.stride, i);
}

/** Returns region i of a record, from 0; i is less than record->regions.count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_region *
sw_record_region(const struct sw_record *record, size_t i)
{
    return (const struct sw_region *)sw_element_(record->regions.item, record->regions.stride, i);
}

/** Returns use i of a region, from 0; i is less than region->use_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_counter_use *
sw_region_use(const struct sw_region *region, size_t i)
{
    return (const struct sw_counter_use *)sw_element_(region->use, region->use_stride, i);
}

/** Returns use i of a part of a step, from 0; i is less than part->use_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_counter_use *
sw_step_part_use(const struct sw_step_part *part, size_t i)
{
    return (const struct sw_counter_use *)sw_element_(part->use, part->use_stride, i);
}

/** Returns part i of a step, from 0; i is less than step->count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_step_part *
sw_step_part_at(const struct sw_step *step, size_t i)
{
    return (const struct sw_step_part *)sw_element_(step->part, step->part_stride, i);
}

/* ---- what a sink can call -------------------------------------------------------------------- */

struct sw_sink;

/** The table of services. Use the functions below instead. */
struct sw_sink_services {
    size_t size;
    void (*say)(struct sw_sink *sink, int level, const char *text);
    void (*want)(struct sw_sink *sink, uint32_t wants);
    int (*create)(struct sw_sink *sink, const char *path, FILE **file, struct sw_error *err);
    int (*replace)(struct sw_sink *sink, const char *path, const char *text, size_t size,
                   struct sw_error *err);
    int (*resolve)(struct sw_sink *sink, const char *path, char *buffer, size_t size,
                   struct sw_error *err);
    void (*lost)(struct sw_sink *sink, int64_t records);
    void (*stop)(struct sw_sink *sink);
    const char *(*environment)(struct sw_sink *sink, const char *name);
    int (*head)(struct sw_sink *sink, FILE *file, const char *text, size_t size);
    int (*write)(struct sw_sink *sink, FILE *file, const void *data, size_t size,
                 struct sw_error *err);
    int (*finish)(struct sw_sink *sink, FILE *file, const char *path, struct sw_error *err);
    int (*live)(struct sw_sink *sink, int fd, const char *wipe, const char *text);
    bool (*prints)(struct sw_sink *sink);
    int (*encode)(struct sw_sink *sink, const struct sw_picture *picture, const void **bytes,
                  size_t *size, struct sw_error *err);
    void (*progress)(struct sw_sink *sink);
    const struct sw_record *(*sample)(struct sw_sink *sink, int64_t interval_ns);
};

/* Fills err for a service that core does not have. */
SW_COLD_ static int sw_sink_too_old_(struct sw_error *err)
{
    sw_error_set(err, SW_EINVAL, "this stepwatch is older than the sink and cannot do that");
    return SW_EINVAL; /* so that analyzers see that it is negative */
}

/** An open sink: its access to core. Passed to open(), valid until close() has returned. */
struct sw_sink {
    size_t size; /**< of this struct in core */
    const struct sw_sink_services *services;
    const struct sw_run *run;
    const char *name; /**< "csv", or "csv-2" for the second instance of the plugin */
    void *user;       /**< from sw_sink_register(); NULL for a plugin that was loaded from a file */
};

/**
 * Prints a message to the user as "sink NAME: text", with a format as for printf(). Core escapes
 * the text and limits its length. After 20 messages, core prints one a second and counts the
 * others.
 *
 * level: 0 note, 1 warning, 2 error (enum sw_level).
 */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 4))) static inline void
sw_sink_say(struct sw_sink *sink, int level, const char *format, ...)
{
    char text[4096 + 512]; /* a path of any length, and what is said of it */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sink->services->say(sink, level, text);
}

/**
 * Sets the kinds of records that the sink receives from now on: a subset of the descriptor's
 * .wants. Call it in open(), depending on the options, or at any time later from a callback, as
 * often as you like.
 *
 * A new choice takes effect with the next record; for regions, with the next begin on each thread.
 * The end of a region that was already open may still arrive: ignore an end without a begin.
 * Records that no sink wants are not made.
 */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_want(struct sw_sink *sink, uint32_t wants)
{
    sink->services->want(sink, wants);
}

/**
 * Tells core that the sink has done a part of what is left: sw_close() waits for it for
 * close_timeout from then on. Call it in close(), and in other callbacks that may take long at the
 * end, but not where nothing was done. An older core does not know it, and a program that a signal
 * or a crash ends does not wait longer.
 */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_progress(struct sw_sink *sink)
{
    if (sink->services->size > offsetof(struct sw_sink_services, progress))
        sink->services->progress(sink);
}

/**
 * Creates a file to write to during the run. An existing file is replaced, never appended to.
 *
 * path: relative to the configuration's directory; missing directories are created; "-" is stdout.
 * A device or a FIFO is written to directly. It is refused if it belongs to another user, or is in
 * a directory that everybody may write to or that belongs to another user. A link in place of the
 * file is refused, and so is a link in such a directory on the way to it.
 *
 * file: set to a stream that belongs to core. Core flushes it each second and at the end, reports
 * its errors as those of the sink, and closes it. Data is appended (O_APPEND) in whole lines. Only
 * the sink's own thread may write to it, and fileno() on it fails. If the disk is full, up to 1 MiB
 * is kept and written when there is space; beyond that, whole lines are dropped and counted.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_create(struct sw_sink *sink, const char *path,
                                                      FILE **file, struct sw_error *err)
{
    return sink->services->create(sink, path, file, err);
}

/**
 * Sets the text that core writes first if another program truncates a file of sw_sink_create()
 * during the run, as logrotate does with copytruncate. So what follows can be read without the
 * lines that were cut off. Without such a text, a truncated file continues with the next line.
 *
 * text: whole lines, copied; they replace an earlier text.
 *
 * Returns 0, SW_ENOMEM, or SW_EINVAL if file does not belong to the sink or core is too old.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_head(struct sw_sink *sink, FILE *file,
                                                    const char *text, size_t size)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, head);
    return known ? sink->services->head(sink, file, text, size) : SW_EINVAL;
}

/**
 * Writes bytes to a file of sw_sink_create() at once: all of them or none. Use it instead of stdio
 * where lines mean nothing, such as for packets of a binary format, or where the sink has to know
 * that the disk is full. Nothing is kept for later.
 *
 * Returns 0; SW_EIO if the bytes are not in the file; or SW_EINVAL if file does not belong to the
 * sink or core is too old.
 */
SW_NOT_INSTRUMENTED_ static inline int
sw_sink_write(struct sw_sink *sink, FILE *file, const void *data, size_t size, struct sw_error *err)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, write);
    return known ? sink->services->write(sink, file, data, size, err) : sw_sink_too_old_(err);
}

/**
 * Closes a file of sw_sink_create() before the run ends, for a sink that writes many files.
 *
 * path: NULL keeps the file; "" removes it; with any other path, as for sw_sink_create(), the file
 * is renamed and replaces a file of that name. So if a file is of no use before it is complete, you
 * can write it under another name in the same folder and rename it at the end.
 *
 * Returns 0; SW_EIO if the file is not complete, or cannot be renamed or removed; or SW_EINVAL if
 * file does not belong to the sink or core is too old. Except in the last case, the file is closed.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_finish(struct sw_sink *sink, FILE *file,
                                                      const char *path, struct sw_error *err)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, finish);
    return known ? sink->services->finish(sink, file, path, err) : sw_sink_too_old_(err);
}

/**
 * Gets an image as a file: the file that the program logged, or a PNG of its pixels, which core
 * makes once for all sinks.
 *
 * bytes, size: set to the file, which is valid during record(). picture->sha256 is complete then.
 *
 * Returns 0; SW_ENOMEM; or SW_EINVAL if core is too old.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_encode(struct sw_sink *sink,
                                                      const struct sw_picture *picture,
                                                      const void **bytes, size_t *size,
                                                      struct sw_error *err)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, encode);
    return known ? sink->services->encode(sink, picture, bytes, size, err) : sw_sink_too_old_(err);
}

/**
 * Replaces a whole file with size bytes of text. Readers see the old content or the new, never a
 * part: core writes a temporary file and renames it. If the file exists and is not empty, core
 * calls fsync() before the rename, so that the same is true after a power failure. "-" prints to
 * stdout.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_replace(struct sw_sink *sink, const char *path,
                                                       const char *text, size_t size,
                                                       struct sw_error *err)
{
    return sink->services->replace(sink, path, text, size, err);
}

/** Makes an option's path absolute, for a sink that creates its files itself. Like
 * sw_sink_create(), fails if the path goes through a link that another user may have put there. */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_resolve(struct sw_sink *sink, const char *path,
                                                       char *buffer, size_t size,
                                                       struct sw_error *err)
{
    return sink->services->resolve(sink, path, buffer, size, err);
}

/** Counts records that the sink could not store, for the summary at close. */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_lost(struct sw_sink *sink, int64_t records)
{
    sink->services->lost(sink, records);
}

/** Asks the program to stop: sw_should_stop() returns true from now on. */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_stop(struct sw_sink *sink)
{
    sink->services->stop(sink);
}

/**
 * Returns the value that an environment variable had during sw_open(), or NULL if it was not set.
 * Valid until close() has returned. Use it instead of getenv(), which may crash if the program
 * changes its environment while the sink's thread reads it.
 */
SW_NOT_INSTRUMENTED_ static inline const char *sw_sink_getenv(struct sw_sink *sink,
                                                              const char *name)
{
    return sink->services->environment(sink, name);
}

/**
 * Shows a line that changes, on a terminal that the program may print to as well. Does nothing
 * while the program prints with sw_print(), which means that it printed within the last 250 ms or
 * has not ended its line yet.
 *
 * wipe: the text that removes the line again. sw_print() and messages write it before their own
 * text. "": the line has a place of its own on the terminal, and stays there.
 *
 * text: written in one piece, so it must contain everything that moves the cursor to its place. ""
 * removes the line that is shown.
 *
 * Returns 1 if the text was written, and 0 if not; SW_EIO if the terminal is gone; or SW_EINVAL if
 * core is too old.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_live(struct sw_sink *sink, int fd, const char *wipe,
                                                    const char *text)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, live);
    return known ? sink->services->live(sink, fd, wipe, text) : SW_EINVAL;
}

/** Returns whether the program has printed with sw_print(). */
SW_NOT_INSTRUMENTED_ static inline bool sw_sink_prints(struct sw_sink *sink)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, prints);
    return known && sink->services->prints(sink);
}

/**
 * Takes a sample of the monitor that the descriptor names, for this sink alone: in open(), record()
 * or flush().
 *
 * interval_ns: the least time since the sample before. The first one is always due.
 *
 * Returns a record of metrics that is valid until the next call. They are as other samples, but
 * what a counter has done since the first sample takes the place of its rate: `NAME` instead of
 * `NAME_per_s`. Returns NULL if no sample is due; if the configuration has the monitor, whose
 * samples come as records then; if the run is replayed; or if the monitor could not be loaded or
 * opened, which was said, or core is too old.
 */
SW_NOT_INSTRUMENTED_ static inline const struct sw_record *sw_sink_sample(struct sw_sink *sink,
                                                                          int64_t interval_ns)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, sample);
    return known ? sink->services->sample(sink, interval_ns) : NULL;
}

/* ---- what a sink can say before it is opened ------------------------------------------------- */

/** What check() of a descriptor reports to. Valid only during the call. */
struct sw_sink_check {
    size_t size;           /**< of this struct in core */
    const char *name;      /**< of the sink */
    const char *directory; /**< base of relative paths: absolute, or "" if it has no name */
    void (*say)(struct sw_sink_check *check, bool refuses, const char *option, const char *text);
    size_t column_count;            /**< columns that reports will have: see sw_check_column() */
    size_t column_size;             /**< distance of two columns in bytes */
    const struct sw_column *column; /**< as in struct sw_report */
};

/** Returns column i of the reports that a sink will receive, from 0 to column_count - 1, for a sink
 * whose options name columns. An older core does not have them: ask
 * `SW_HAS(check->size, check, column)` first. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_column *
sw_check_column(const struct sw_sink_check *check, size_t i)
{
    return (const struct sw_column *)sw_element_(check->column, check->column_size, i);
}

/** Like sw_sink_mistake(), but takes the arguments as a va_list, and whether sw_open() fails. */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 4, 0))) static inline void
sw_sink_vmistake(struct sw_sink_check *check, bool refuses, const char *option, const char *format,
                 va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    check->say(check, refuses, option, text);
}

/**
 * Reports a mistake, with a format as for printf(). The user reads it as `stepwatch.yaml:3:25: sink
 * NAME: OPTION: text`, together with all other mistakes, and sw_open() fails.
 *
 * option: the option that is wrong; NULL: none in particular.
 */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 4))) static inline void
sw_sink_mistake(struct sw_sink_check *check, const char *option, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sw_sink_vmistake(check, true, option, format, args);
    va_end(args);
}

/** Like sw_sink_mistake(), but only `stepwatch check` shows it, and sw_open() does not fail. Use it
 * for a problem that does not prevent the sink from working. */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 4))) static inline void
sw_sink_remark(struct sw_sink_check *check, const char *option, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sw_sink_vmistake(check, false, option, format, args);
    va_end(args);
}

/* ---- the descriptor -------------------------------------------------------------------------- */

/** The types of options: what the YAML may contain → the type of the field. */
enum sw_option_type {
    SW_OPTION_BOOL,     /**< true, false → bool */
    SW_OPTION_INT,      /**< 40 → int64_t, within min..max */
    SW_OPTION_FLOAT,    /**< 0.5 → double, within min..max */
    SW_OPTION_DURATION, /**< 250ms, 2s, 1m, 1h → int64_t nanoseconds; min..max in seconds */
    SW_OPTION_SIZE,     /**< 8MiB, 64kB, 100 → int64_t bytes; min..max in bytes */
    SW_OPTION_STRING,   /**< text → const char * */
    SW_OPTION_PATH,     /**< path of a file, "-" is stdout → const char *. A leading ~/ is the
                           user's home folder; URLs are refused */
    SW_OPTION_CHOICE,   /**< one of .choices → const char * */
    SW_OPTION_LIST, /**< [a, b] or one text → const char *const *, ending with NULL; NULL if absent
                     */
    SW_OPTION_NAME,    /**< part of a file name, without /; may be empty → const char * */
    SW_OPTION_SUBPATH, /**< path relative to another path, without . and ..; may be empty → const
                          char * */
    SW_OPTION_MAP,  /**< {job: a, lab: b} → const char *const *: names and values in turn, ending
                       with NULL; NULL if absent. See sw_map_get(). It has no default */
    SW_OPTION_PATHS /**< like SW_OPTION_LIST, but each text is a path: a leading ~/ is the user's
                       home folder; URLs are refused */
};

/** Returns the value of a name in an option of the type SW_OPTION_MAP, or NULL. map may be NULL. */
SW_NOT_INSTRUMENTED_ static inline const char *sw_map_get(const char *const *map, const char *name)
{
    for (; map && map[0]; map += 2)
        if (strcmp(map[0], name) == 0)
            return map[1];
    return NULL;
}

/** One option. The table ends with a name of NULL. */
struct sw_option {
    const char *name; /**< [a-z][a-z0-9_]* */
    enum sw_option_type type;
    size_t offset;        /**< offsetof() the field in the sink's state */
    const char *fallback; /**< the default, written as in the YAML; NULL: zero */
    double min;           /**< with max: the range; both 0: any */
    double max;
    const char *choices; /**< "regions|steps|metrics" */
    const char *unit;    /**< for the help, such as "rows"; may be NULL */
    const char *help;    /**< one line, no capital, no full stop */
    bool required;       /**< the YAML must have it */
    bool secret;         /**< never printed */
    bool placeholders;   /**< the text may have placeholders such as {rank}, which are replaced
                            before open() is called. Paths, subpaths and names always may */
};

/** What happens to metrics, steps, regions and spans if the sink is too slow and its queue is full,
 * because .queue_records of them, or 16 MiB, are waiting. All other records share another 16 MiB.
 * Those fill up only if the sink hangs; then hyper-parameters, marks, pauses, reports of epochs and
 * other rare records are dropped, too. Everything that is dropped is counted; a begin is dropped
 * together with its end. */
enum sw_queue_policy {
    SW_QUEUE_DROP_OLDEST, /**< keep the newest records, for a live display */
    SW_QUEUE_DROP_NEWEST  /**< keep the oldest records, for a file */
};

#define SW_SINK_MAGIC UINT32_C(0x4b4e4953) /**< "SINK" */
#define SW_SINK_ABI UINT32_C(2)            /**< changes when old plugins can no longer be called */

/** The descriptor that a plugin exports as the constant `sw_sink_plugin`. All callbacks except
 * record may be NULL. */
struct sw_sink_plugin {
    uint32_t magic; /**< SW_SINK_HEADER fills these four */
    uint32_t abi;
    uint32_t plugin_size;
    uint32_t option_size;
    const char *name; /**< [a-z][a-z0-9_]{0,31}, the file's name without .so */
    const char *version;
    const char *license;
    const char *summary; /**< one line */
    uint32_t wants;      /**< SW_WANT(…) | … */
    enum sw_queue_policy queue;
    uint32_t queue_records;          /**< how many records may wait; 0 is 4,096 */
    const struct sw_option *options; /**< NULL: none */
    size_t state_size;

    /** Opens the sink, such as by creating its files. Do not wait for the network here: records
     * wait meanwhile. Called at the first record, or 0.1 s after sw_open(). On failure, the sink is
     * not called again, unless the code is SW_EFULL, which sw_sink_create() and others return if
     * the disk is full: then open() is called again each second with the state as it was, until
     * there is room or the run ends, and the records wait. */
    int (*open)(void *state, struct sw_sink *sink, struct sw_error *err);
    /** Processes one record. Failures are counted and the first one is reported. After 10 failures
     * in a row, SW_EFULL not counted, the sink is not called again. */
    int (*record)(void *state, const struct sw_record *record, struct sw_error *err);
    /** Writes out buffered data. Called about once a second while records arrive; while none
     * arrive, less often, but at least every five seconds. */
    int (*flush)(void *state, struct sw_error *err);
    /** Closes the sink. Called once after the last record if open succeeded. Core frees the state.
     */
    int (*close)(void *state, struct sw_error *err);
    /** Checks what the table of options cannot express, such as two options that contradict each
     * other. Called by sw_open() and by `stepwatch check` on their thread, with the options filled
     * in, before any sink is opened, and only if the table found no mistake. It reports mistakes
     * with sw_sink_mistake(), and must not create, change or wait for anything. */
    void (*check)(const void *state, struct sw_sink_check *check);
    /** Which kinds of values the sink takes, if it wants SW_RECORD_VALUE: SW_WANT_VALUE(…) | ….
     * 0: all. Others are not copied for it. */
    uint32_t values;
    /** Returns whether the option `path` is a folder in which the sink gives each rank's files
     * names of their own, or a file that all ranks may write, such as a database. Core does not add
     * the rank to `path` then, so that all ranks write into one folder, or that file. NULL: it is a
     * file of one rank. Called before open(), before and after placeholders are replaced, and on
     * different threads; it must return the same value each time. */
    bool (*path_is_folder)(const void *state);
    /** Returns which kinds of records of .wants the sink receives with its options: SW_WANT(…) | ….
     * NULL: all. sw_open() calls it on the thread of its caller, after check and before the loop
     * begins, so the loop records nothing that the sink does not use. Placeholders in texts are not
     * replaced yet. It must not create, change or wait for anything. If the choice depends on more
     * than the options, open() can change it with sw_sink_want(). */
    uint32_t (*select)(const void *state, const struct sw_run *run);
    /** Name of a monitor, such as "system", that the sink needs although the configuration may not
     * have it: core loads it with its default options for sw_sink_sample(). NULL: none. */
    const char *monitor;
};

/** The first fields of a descriptor. Core refuses values that it does not know. */
#define SW_SINK_HEADER                                                                             \
    .magic = SW_SINK_MAGIC, .abi = SW_SINK_ABI, .plugin_size = sizeof(struct sw_sink_plugin),      \
    .option_size = sizeof(struct sw_option)

/** Returns a descriptor with SW_SINK_HEADER and these texts, and 0 in all other fields: for C++
 * before C++20, which has no designated initializers, and for bindings. */
SW_NOT_INSTRUMENTED_ static inline struct sw_sink_plugin
sw_sink_plugin_make(const char *name, const char *version, const char *license, const char *summary)
{
    struct sw_sink_plugin plugin;
    memset(&plugin, 0, sizeof plugin);
    plugin.magic = SW_SINK_MAGIC;
    plugin.abi = SW_SINK_ABI;
    plugin.plugin_size = (uint32_t)sizeof(struct sw_sink_plugin);
    plugin.option_size = (uint32_t)sizeof(struct sw_option);
    plugin.name = name;
    plugin.version = version;
    plugin.license = license;
    plugin.summary = summary;
    return plugin;
}

/** Returns an option with 0 in all other fields, for the same uses. */
SW_NOT_INSTRUMENTED_ static inline struct sw_option
sw_option_make(const char *name, enum sw_option_type type, size_t offset, const char *help)
{
    static struct sw_option none; /* all fields 0, in C and in C++ */
    struct sw_option option = none;
    option.name = name;
    option.type = type;
    option.offset = offset;
    option.help = help;
    return option;
}

/** Returns the end of a table of options. */
SW_NOT_INSTRUMENTED_ static inline struct sw_option sw_option_make_end(void)
{
    return sw_option_make(NULL, SW_OPTION_BOOL, 0, NULL);
}

#if defined(__GNUC__)
#define SW_SINK_EXPORT __attribute__((visibility("default")))
#else
#define SW_SINK_EXPORT
#endif

/** The name of the descriptor: a plugin's is sw_sink_plugin. Define another one before you include
 * this header to link several sinks into one program. */
#ifndef SW_SINK_SYMBOL
#define SW_SINK_SYMBOL sw_sink_plugin
#endif

/** The only symbol that a plugin exports. Declared here so that it is visible whatever the
 * compiler's default is. */
extern SW_SINK_EXPORT const struct sw_sink_plugin SW_SINK_SYMBOL;

/**
 * Registers a sink that is part of the program, for static builds, language bindings and tests.
 * From the next sw_open() on, it takes precedence over any file of the same name.
 *
 * plugin: must be valid for the rest of the program; checked like a loaded plugin.
 *
 * user: something of the program that the sink needs, such as an object of a language binding; may
 * be NULL. The sink finds it in sink->user. It must be valid until sw_close() of each profiler that
 * names the sink. If you register the same plugin again, profilers that are opened later get the
 * new user.
 *
 * Returns 0, SW_ESINK (err says why it is refused), or SW_EINVAL if another plugin has the name.
 * This is the only function of this header that needs the library.
 */
SW_API int sw_sink_register(const struct sw_sink_plugin *plugin, void *user, struct sw_error *err);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(int, sw_sink_register,
        (const struct sw_sink_plugin *plugin, void *user, struct sw_error *err),
        (sw_error_init(err), 0))
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
