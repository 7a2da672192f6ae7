/* SPDX-License-Identifier: MIT */
/* sink.h - write a plugin that takes what stepwatch measured somewhere.
 *
 * A plugin is one shared object NAME.so that exports one constant, `sw_sink_plugin`. Core allocates
 * the sink's state, zeroed, fills its options from the YAML by the option table, and calls open,
 * record, flush and close on a thread of the sink's own, one at a time: a sink needs no lock. A
 * sink calls back only through its struct sw_sink, so it has no undefined symbol of stepwatch and
 * loads into any program. */
#ifndef STEPWATCH_SINK_H
#define STEPWATCH_SINK_H

#include <stepwatch/error.h>
#include <stepwatch/report.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what arrives
 * -------------------------------------------------------------------------------- */

/** The kinds of records. A sink gets those that its descriptor wants. */
enum sw_record_type {
    SW_RECORD_RUN,     /**< first of all: what run this is (record->run) */
    SW_RECORD_CONFIG,  /**< a hyper-parameter (record->config) */
    SW_RECORD_METRICS, /**< named numbers at a step (record->metrics) */
    SW_RECORD_MARK, /**< begin and end of fit, epoch, train and valid (record->regions, always one)
                     */
    SW_RECORD_STEP, /**< a finished step with its durations (record->step_done) */
    SW_RECORD_REGIONS, /**< begins, ends and cancels of all regions, in order for each thread
                          (record->regions) */
    SW_RECORD_EPOCH,   /**< the report so far, at the end of each epoch (record->report) */
    SW_RECORD_REPORT,  /**< the report at the end of a fit (record->report) */
    SW_RECORD_END,     /**< last of all: how the run ended (record->end) */
    SW_RECORD_PAUSE,   /**< sw_pause() or sw_resume() was called (record->pause) */
    SW_RECORD_TYPES
};

/** For .wants: `SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT)`. */
#define SW_WANT(type) (UINT32_C(1) << (type))

/** Who made a metric. */
enum sw_origin {
    SW_BY_USER,    /**< sw_log() */
    SW_BY_PROFILER /**< throughput/… (samples per second) and time_ms/… (milliseconds), rolling
                      averages */
};

/** One named number. */
struct sw_metric {
    const char *name; /**< as the user gave it, which may be no UTF-8: escape it for its place */
    double value;     /**< may be NAN or infinite */
    enum sw_origin by;
};

/** A hyper-parameter. */
struct sw_config {
    const char *name;
    enum { SW_CONFIG_INT, SW_CONFIG_FLOAT, SW_CONFIG_STRING } type;
    int64_t integer;
    double number;
    const char *string;
};

/** What happened to a region. */
enum sw_region_event { SW_REGION_BEGIN, SW_REGION_END, SW_REGION_CANCEL };

/** One begin, end or cancel. */
struct sw_region {
    int64_t time_ns; /**< from the run's start */
    enum sw_region_event event;
    enum sw_phase phase;
    const char *action;
    int action_id;
    int thread;      /**< 0 is the thread that measured first, as a rule the loop's */
    int64_t samples; /**< at the end of a batch; else -1 */
};

/** One duration within a step. An action that was called more than once in the step has more than
 * one. */
struct sw_step_part {
    const char *action;
    int action_id;
    int inner; /**< 1: inside of another call of the same action, whose duration holds it; else 0 */
    int64_t duration_ns;
};

/** A finished step. */
struct sw_step {
    enum sw_phase phase; /**< SW_PHASE_TRAIN or SW_PHASE_VALID */
    int64_t samples;     /**< 0 where the batch had none, -1 for a cancelled batch (then batch is no
                            part) */
    size_t count;
    const struct sw_step_part *part; /**< draw, batch and what was inside, in order of their ends */
};

/** What run this is. Texts live as long as the sink. */
struct sw_run {
    size_t size; /**< sizeof(struct sw_run) of the core */
    const char
        *name; /**< the run's name: option `name` of the configuration, else the program's name */
    const char *program; /**< base name of the program, or "" */
    const char *host;
    int64_t pid;
    double started_s;    /**< wall clock, seconds since 1970 */
    const char *version; /**< of stepwatch */
    enum sw_mode mode;
    int64_t rolling_average; /**< training steps */
    bool drop_first_batch;
    const char *config_file; /**< the YAML file, absolute; "" without one */
    const char *directory; /**< what relative paths of the configuration are relative to: absolute,
                              or "" where that folder has no name any more */
    bool replayed;         /**< the run is being replayed from a run log */
    int64_t close_timeout_ns; /**< how long sw_close() waits for the sinks */
    int64_t utc_offset_s; /**< local time less UTC at the run's start: sinks do not look at TZ */
};

/** A pause began or ended: the time between is in no duration. */
struct sw_pause {
    bool paused; /**< it began; false: it ended */
    int thread;  /**< whose open regions go on after it */
};

/** How a run ended. */
struct sw_end {
    int exit_status;  /**< 0 is success; sw_set_exit_status(), or what the program exits with */
    int signal;       /**< the signal that ends the program, or 0 */
    bool interrupted; /**< ended without sw_close() */
    /** What ended it without sw_close(), like "exit(3) without sw_close()" or "SIGSEGV in sink
     * csv"; NULL otherwise. */
    const char *cause;
};

/**
 * What flows to sinks. Immutable and shared: valid during record(); what a sink wants to keep it
 * copies.
 */
struct sw_record {
    enum sw_record_type type;
    int64_t time_ns;        /**< from the run's start, monotonic */
    double wall_s;          /**< the same as wall clock, seconds since 1970: started_s + time_ns */
    int64_t step;           /**< number of the training step that it belongs to, from 0 */
    int64_t steps_expected; /**< sw_expect_steps(); 0 is unknown */
    int64_t epoch;          /**< epoch that it belongs to, from 0, counted over the run */
    int fit;                /**< 1 for the program's first fit; 0 before any */
    enum sw_phase phase;    /**< where the loop was */
    struct {
        size_t count;
        const struct sw_metric *item;
    } metrics;
    struct {
        size_t count;
        const struct sw_region *item;
    } regions;
    const struct sw_step *step_done;
    const struct sw_run *run;
    const struct sw_config *config;
    const struct sw_report *report;
    const struct sw_end *end;
    const struct sw_pause *pause;
    double samples_per_s; /**< of a step, or of rolling averages: samples of the phase so far in
                             this fit by the time that it has taken; 0 where it is not known */
};

/* ---- what a sink can ask for
 * ----------------------------------------------------------------------- */

struct sw_sink;

/** The service table; used through the functions below. */
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
};

/** What core offers to one open sink. Given to open(), valid until close() has returned. */
struct sw_sink {
    const struct sw_sink_services *services;
    const struct sw_run *run;
    const char *name; /**< "csv", or "csv-2" for the second instance of the plugin */
};

/**
 * Says something to whoever runs the program, printf-like, as "sink NAME: text". level: 0 note, 1
 * warning, 2 error (enum sw_level). Escaped and cut by core; after 20 messages one a second is
 * said, the others are counted.
 */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 4))) static inline void
sw_sink_say(struct sw_sink *sink, int level, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sink->services->say(sink, level, text);
}

/** Says which records arrive from now on: a subset of the descriptor's .wants. In open(), by the
 * sink's options, or later, when it has seen enough of a kind. */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_want(struct sw_sink *sink, uint32_t wants)
{
    sink->services->want(sink, wants);
}

/**
 * Creates a file for writing as the run goes on; an existing one is replaced, never appended to.
 *
 * path: relative to the configuration's directory; missing directories are made; "-" is stdout. A
 * device or a FIFO is written to as it is, unless it belongs to another user or lies in a directory
 * that everybody may write to or that belongs to another user: then it is refused. A link in place
 * of the file is refused, and a link on the way to it in such a directory.
 * file: set to a stream that is core's: core flushes it each second and at the end, reports its
 * errors as the sink's, and closes it. It is written at its end (O_APPEND), by whole lines. Only
 * the sink's own thread writes to it, and fileno() of it fails. What does not fit on a full disk is
 * kept, up to 1 MiB, and written when there is room; beyond that whole lines are dropped and
 * counted.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_create(struct sw_sink *sink, const char *path,
                                                      FILE **file, struct sw_error *err)
{
    return sink->services->create(sink, path, file, err);
}

/**
 * Sets what a file of sw_sink_create() begins with after another program has cut it off while it is
 * being written (copytruncate of logrotate): what is needed to read the rest by itself.
 *
 * text: whole lines, copied; they replace an earlier text. Until then a file that was cut off goes
 * on with the next line. Returns 0, SW_ENOMEM, or SW_EINVAL where file is none of the sink's, or
 * core is too old to do it.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_head(struct sw_sink *sink, FILE *file,
                                                    const char *text, size_t size)
{
    bool known = sink->services->size > offsetof(struct sw_sink_services, head);
    return known ? sink->services->head(sink, file, text, size) : SW_EINVAL;
}

/**
 * Writes a whole file at once: whoever looks sees the old content or the new, never a part. "-"
 * prints to stdout. size bytes of text. Temporary file, fsync, rename.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_replace(struct sw_sink *sink, const char *path,
                                                       const char *text, size_t size,
                                                       struct sw_error *err)
{
    return sink->services->replace(sink, path, text, size, err);
}

/** Makes an absolute path of an option's path, for a sink that creates its files itself. Fails
 * where the path leads through a link that another user may have laid, as sw_sink_create() does. */
SW_NOT_INSTRUMENTED_ static inline int sw_sink_resolve(struct sw_sink *sink, const char *path,
                                                       char *buffer, size_t size,
                                                       struct sw_error *err)
{
    return sink->services->resolve(sink, path, buffer, size, err);
}

/** Counts records that the sink itself could not keep, for the summary at close. */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_lost(struct sw_sink *sink, int64_t records)
{
    sink->services->lost(sink, records);
}

/** Passes a stop from outside on to the program: sw_should_stop() is true from now on. */
SW_NOT_INSTRUMENTED_ static inline void sw_sink_stop(struct sw_sink *sink)
{
    sink->services->stop(sink);
}

/**
 * The value that an environment variable had inside sw_open(), valid until close() has returned;
 * NULL where it was not set. Use it instead of getenv(): the program may change its environment
 * while the sink's thread reads it, and then getenv() may crash.
 */
SW_NOT_INSTRUMENTED_ static inline const char *sw_sink_getenv(struct sw_sink *sink,
                                                              const char *name)
{
    return sink->services->environment(sink, name);
}

/* ---- the descriptor
 * -------------------------------------------------------------------------------- */

/** An option's type: what the YAML may say, and the field that it fills. */
enum sw_option_type {
    SW_OPTION_BOOL,     /**< true, false → bool */
    SW_OPTION_INT,      /**< 40 → int64_t, within min..max */
    SW_OPTION_FLOAT,    /**< 0.5 → double, within min..max */
    SW_OPTION_DURATION, /**< 250ms, 2s, 1m, 1h → int64_t nanoseconds; min..max in seconds */
    SW_OPTION_SIZE,     /**< 8MiB, 64kB, 100 → int64_t bytes; min..max in bytes */
    SW_OPTION_STRING,   /**< text → const char * */
    SW_OPTION_PATH,     /**< a file's path, "-" is stdout → const char *. A ~/ in front is the
                           user's home folder; URLs are refused */
    SW_OPTION_CHOICE,   /**< one of .choices → const char * */
    SW_OPTION_LIST, /**< [a, b] or one text → const char *const *, ends with NULL; NULL where absent
                     */
    SW_OPTION_NAME,   /**< a part of a file's name, without /; may be empty → const char * */
    SW_OPTION_SUBPATH /**< a path that stays below another: relative, without . and ..; may be empty
                         → const char * */
};

/** One option. The table ends with a name of NULL. */
struct sw_option {
    const char *name; /**< [a-z][a-z0-9_]* */
    enum sw_option_type type;
    size_t offset; /**< offsetof() the field in the sink's state */
    const char
        *fallback; /**< the value when the YAML has none, as it would stand there; NULL: zero */
    double min;    /**< with max: the range; both 0 is any */
    double max;
    const char *choices; /**< "regions|steps|metrics" */
    const char *unit;    /**< for the help, like "rows"; may be NULL */
    const char *help;    /**< one line, no capital, no full stop */
    bool required;       /**< the YAML must have it */
    bool secret;         /**< never printed */
};

/** What happens to metrics, steps and regions when the sink is too slow and its queue is full: so
 * many records (.queue_records) or 16 MiB wait. Where a sink hangs, another 16 MiB of
 * hyper-parameters, marks, pauses and reports of epochs wait; what comes then is dropped and
 * counted, a begin together with its end. */
enum sw_queue_policy {
    SW_QUEUE_DROP_OLDEST, /**< the newest matter: a live display */
    SW_QUEUE_DROP_NEWEST  /**< what came first is kept */
};

#define SW_SINK_MAGIC UINT32_C(0x4b4e4953) /**< "SINK" */
#define SW_SINK_ABI UINT32_C(1)            /**< changes when old plugins can no longer be called */

/** What a plugin exports as the constant `sw_sink_plugin`. Callbacks may be NULL but for record. */
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
    uint32_t queue_records;          /**< how many may wait; 0 is 4,096 */
    const struct sw_option *options; /**< NULL: none */
    size_t state_size;

    /** Opens: make files, connect nothing that could make others wait. Called at the first record,
     * or 0.1 s after sw_open(). On failure the sink is not called again. */
    int (*open)(void *state, struct sw_sink *sink, struct sw_error *err);
    /** Takes one record. A failure is said once and counted; after 10 in a row the sink is given
     * up. */
    int (*record)(void *state, const struct sw_record *record, struct sw_error *err);
    /** Called about once a second, after new records and when idle: push out what is buffered. */
    int (*flush)(void *state, struct sw_error *err);
    /** Called once after the last record when open succeeded. Core frees the state. */
    int (*close)(void *state, struct sw_error *err);
};

/** The first fields of a descriptor: core refuses what it does not know. */
#define SW_SINK_HEADER                                                                             \
    .magic = SW_SINK_MAGIC, .abi = SW_SINK_ABI, .plugin_size = sizeof(struct sw_sink_plugin),      \
    .option_size = sizeof(struct sw_option)

#if defined(__GNUC__)
#define SW_SINK_EXPORT __attribute__((visibility("default")))
#else
#define SW_SINK_EXPORT
#endif

/** The plugin's one exported symbol; declared here so that it is visible whatever the compiler's
 * default. */
extern SW_SINK_EXPORT const struct sw_sink_plugin sw_sink_plugin;

/**
 * Registers a sink that is part of the program: static builds, language bindings, tests. It is
 * found by name before any file, from the next sw_open() on.
 *
 * plugin: static; checked as a loaded one. Returns 0, SW_ESINK (err says why it is refused), or
 * SW_EINVAL when another plugin has the name. This is the one function of this header that needs
 * the library.
 */
SW_API int sw_sink_register(const struct sw_sink_plugin *plugin, struct sw_error *err);

#ifdef __cplusplus
}
#endif
#endif
