/* SPDX-License-Identifier: MIT */
/* tensorboard.h - writes TensorBoard event files from C and C++, without Python or TensorFlow.
 *
 * A writer creates a new event file in the directory of a run and appends to it. Every function
 * accepts a NULL writer and then does nothing, so a program runs the same without one. A value that
 * cannot be written is counted and never ends the program: the call returns a negative code, and
 * sw_tb_flush() and sw_tb_close() report what was lost.
 *
 * Threads: only one thread at a time may use a writer; different writers are independent. While
 * values arrive, each writer runs a thread that writes out the buffered values every flush_s, so a
 * program that is killed loses no more than the values of the last flush_s. The thread blocks all
 * signals. It ends by itself when no value has arrived for flush_s, so it does not keep a process
 * alive whose own threads have ended.
 *
 * Processes: a child of fork() has no such thread and cannot write to its parent's file. Its calls
 * do nothing and return 0 at once; sw_tb_close() frees the child's copy of the writer. A child may
 * open its own writers.
 *
 * Signals: a file that reaches its size limit (RLIMIT_FSIZE) is handled like a full disk and does
 * not end the program: SIGXFSZ is blocked while the writer writes.
 *
 * Link with -lstepwatch-tensorboard (pkg-config stepwatch-tensorboard); libstepwatch is not needed.
 */
#ifndef STEPWATCH_TENSORBOARD_H
#define STEPWATCH_TENSORBOARD_H

#include <stepwatch/error.h>
#include <stepwatch/report.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** A writer of one event file. Opaque. */
struct sw_tb;

/** Options of a writer. All except size may be zero. */
struct sw_tb_options {
    size_t size;        /**< sizeof(struct sw_tb_options) */
    const char *suffix; /**< end of the file's name, such as ".v2"; NULL: none */
    const char *writer; /**< name of the writing program in the file; NULL: "stepwatch/VERSION" */
    double flush_s;     /**< longest time in seconds that a value is buffered; 0: 2 s; INFINITY: no
                           thread, until sw_tb_flush() is called or 64 KiB are buffered */
    double wall_s;      /**< start time of the file, seconds since 1970; 0: now */
};

/**
 * Opens a new event file in the directory of a run. The name of the run is the directory's path
 * below TensorBoard's --logdir.
 *
 * dir:     created with its parents if it does not exist. The event file is always new and sorts
 *          after the existing ones; an existing file is never written to.
 *
 * options: NULL for the defaults.
 *
 * err:     filled on failure; may be NULL.
 *
 * Returns the writer, which the caller must close with sw_tb_close(), or NULL on failure.
 * TensorBoard shows the run at once.
 */
SW_API struct sw_tb *sw_tb_open(const char *dir, const struct sw_tb_options *options,
                                struct sw_error *err);

/**
 * Writes out all buffered values, so that a running TensorBoard shows them at its next reload.
 *
 * Returns 0 on success. Returns SW_EIO if the file cannot be written: up to a megabyte is kept in
 * memory, and later calls try again. Otherwise returns the code of the first call that failed since
 * the last flush.
 *
 * err (may be NULL) says what failed, one sentence on each line. A tag whose values are refused is
 * named once; its later values are only counted (sw_tb_stats()).
 *
 * If the file has been deleted, that is reported (SW_EIO) and a new file is created, which begins
 * with the buffered values. Other calls that write out buffered values also notice it.
 */
SW_API int sw_tb_flush(struct sw_tb *tb, struct sw_error *err);

/** Writes out all buffered values, closes the file and ends the writer's thread. Returns the same
 * codes as sw_tb_flush(). tb is invalid afterwards, even on failure. */
SW_API int sw_tb_close(struct sw_tb *tb, struct sw_error *err);

/** Returns the path of the event file. It is valid until the next call, because a deleted file is
 * replaced by a new one. */
SW_API const char *sw_tb_path(const struct sw_tb *tb);

/** Counters of a writer. */
struct sw_tb_stats {
    int64_t records;  /**< records accepted, including the first one of the file */
    int64_t bytes;    /**< their size in bytes */
    int64_t waiting;  /**< records accepted but not yet in the file */
    int64_t lost;     /**< calls refused, or lost because the file could not be written */
    int64_t repaired; /**< names (once each) and texts that were empty or not valid UTF-8 */
};

/** Sets stats to the writer's counters; all 0 for a NULL writer. */
SW_API void sw_tb_stats(const struct sw_tb *tb, struct sw_tb_stats *stats);

/**
 * Sets the time of the following values, in seconds since 1970, for values that were measured
 * earlier than they are written. NAN, the default: use the clock. Returns 0, or SW_EINVAL for an
 * infinite time.
 */
SW_API int sw_tb_set_time(struct sw_tb *tb, double wall_s);

/**
 * Marks that the run starts at step, or resumes at step from a checkpoint: TensorBoard no longer
 * shows earlier points at that step and above.
 *
 * If you may resume a run later, also call it first of all in the new run, with step 0.
 */
SW_API int sw_tb_start(struct sw_tb *tb, int64_t step);

/* ---- values -------------------------------------------------------------------------------------
 *
 * tag:  the name of the series; the part before its first '/' is its group. A byte that is not
 *       UTF-8 is written as \xNN, an empty tag as "unnamed". The first accepted value sets the kind
 *       of a tag; values of another kind are refused (SW_EINVAL). Tags that begin with
 *       "_hparams_/", and "custom_scalars__config__" and "__run_graph__", are reserved by
 *       TensorBoard and refused.
 *
 * step: should increase from value to value of a tag. If it goes back, TensorBoard discards the
 *       points at that step and above.
 *
 * Each function returns 0, SW_EINVAL, SW_ENOMEM, or SW_EIO if the file cannot be written and the
 * buffer is full. */

/**
 * Describes a tag, in Markdown, for the info icon of its chart. Call it before the tag's first
 * value: TensorBoard reads no later description.
 */
SW_API int sw_tb_describe(struct sw_tb *tb, const char *tag, const char *markdown);

/** Returns true if the tag has been described or has a value. */
SW_API bool sw_tb_knows(const struct sw_tb *tb, const char *tag);

/** Writes one point of a line. The file has 32-bit floats: 7 digits. NAN and infinity are kept. */
SW_API int sw_tb_scalar(struct sw_tb *tb, const char *tag, int64_t step, double value);

/** A tag and its value, for sw_tb_scalars(). */
struct sw_tb_value {
    const char *tag;
    double value;
};

/**
 * Writes the values of one step together, in less than half the bytes of single calls.
 *
 * If a tag is given twice, its last value counts. If a value is refused, the others are still
 * written.
 */
SW_API int sw_tb_scalars(struct sw_tb *tb, int64_t step, const struct sw_tb_value *value,
                         size_t count);

/** Writes a histogram. The bins must be ascending and must not overlap; gaps become empty bins. */
SW_API int sw_tb_histogram(struct sw_tb *tb, const char *tag, int64_t step,
                           const struct sw_bin *bin, size_t count);

/** Writes a histogram of 30 bins of equal width from an array. Ignores values that are not finite.
 */
SW_API int sw_tb_histogram_values(struct sw_tb *tb, const char *tag, int64_t step,
                                  const double *value, size_t count);

/**
 * Writes a text: Markdown with pipe tables and fenced code. Keep it below 64 KiB: TensorBoard takes
 * seconds to show longer tables.
 */
SW_API int sw_tb_text(struct sw_tb *tb, const char *tag, int64_t step, const char *markdown);

/** Writes a table of rows * columns cells, row by row, without a heading. Each cell is Markdown. */
SW_API int sw_tb_table(struct sw_tb *tb, const char *tag, int64_t step, const char *const *cell,
                       size_t rows, size_t columns);

/** Writes a picture: size bytes of PNG, JPEG or GIF, which are passed to the browser unchanged. */
SW_API int sw_tb_image(struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
                       const void *encoded, size_t size);

/** A file in memory. */
struct sw_tb_blob {
    const void *data;
    size_t size; /**< bytes */
};

/**
 * Writes several pictures of one step: `count` files of PNG, JPEG or GIF, which the page shows side
 * by side. Their sizes may differ, and so may their number from step to step.
 *
 * width, height: of the first; 0 if there is none.
 */
SW_API int sw_tb_images(struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
                        const struct sw_tb_blob *image, size_t count);

/* ---- charts of several tags ------------------------------------------------------------------ */

/** One chart of the Custom Scalars page: lines, or a line within a band. */
struct sw_tb_chart {
    const char *category; /**< charts of the same category must follow one another */
    const char *title;
    const char *const *lines; /**< regular expressions, ends with NULL; anchored at the front */
    const char *const *band; /**< tags in groups of three: the value, its lower and its upper bound;
                                ends with NULL */
    bool closed;             /**< in the first chart of a category: the category starts folded */
};

/** Writes the layout of the Custom Scalars page. A later layout replaces it. step: 0 for the first
 * layout. */
SW_API int sw_tb_layout(struct sw_tb *tb, int64_t step, const struct sw_tb_chart *chart,
                        size_t count);

/* ---- hyper-parameters ---------------------------------------------------------------------------
 *
 * Call each of these once for a run: TensorBoard ignores a second call. */

/** The type of a hyper-parameter. */
enum sw_tb_type { SW_TB_STRING = 1, SW_TB_BOOL = 2, SW_TB_NUMBER = 3 };

/** A hyper-parameter of a run. */
struct sw_tb_hparam {
    const char *name;
    enum sw_tb_type type;
    double number;    /**< value of a number; a bool is true if it is not 0 */
    const char *text; /**< value of a string */
};

/** Writes the hyper-parameters of the run. group: runs of the same group are shown as one; NULL:
 * none. */
SW_API int sw_tb_hparams(struct sw_tb *tb, const struct sw_tb_hparam *hparam, size_t count,
                         const char *group);

/** How a run ended. */
enum sw_tb_status { SW_TB_SUCCESS = 1, SW_TB_FAILURE = 2, SW_TB_RUNNING = 3 };

/** Writes how the run ended. Call it once, at the end. */
SW_API int sw_tb_hparams_end(struct sw_tb *tb, enum sw_tb_status status);

/** A column of the HParams page for a hyper-parameter. All texts except the name may be NULL. */
struct sw_tb_column {
    const char *name;
    enum sw_tb_type type;
    const char *title;
    const char *description;
    const char *const *choices; /**< for a string: its choices, ends with NULL; NULL: any */
    double min;                 /**< for a number: its range, with max; both 0: any */
    double max;
};

/** A column for a metric: the last value of a scalar. All texts except the tag may be NULL. */
struct sw_tb_metric {
    const char *tag;
    const char *group; /**< the sub-run that has it, such as "valid"; NULL: the run itself */
    const char *title;
    const char *description;
    int dataset; /**< 1 training, 2 validation, 0 unknown */
};

/** The contents of the HParams page. Texts may be NULL. */
struct sw_tb_experiment {
    const char *name;
    const char *description;
    const char *user;
    size_t columns;
    const struct sw_tb_column *column;
    size_t metrics;
    const struct sw_tb_metric *metric;
};

/** Sets the columns of the HParams page. Without it, every scalar becomes a column. */
SW_API int sw_tb_experiment(struct sw_tb *tb, const struct sw_tb_experiment *experiment);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(struct sw_tb *, sw_tb_open,
        (const char *dir, const struct sw_tb_options *options, struct sw_error *err),
        (sw_error_init(err), (struct sw_tb *)NULL))
SW_OFF_(int, sw_tb_flush, (struct sw_tb *tb, struct sw_error *err), (sw_error_init(err), 0))
SW_OFF_(int, sw_tb_close, (struct sw_tb *tb, struct sw_error *err), (sw_error_init(err), 0))
SW_OFF_(const char *, sw_tb_path, (const struct sw_tb *tb), "")
SW_OFF_(int, sw_tb_set_time, (struct sw_tb *tb, double wall_s), 0)
SW_OFF_(int, sw_tb_start, (struct sw_tb *tb, int64_t step), 0)
SW_OFF_(int, sw_tb_describe, (struct sw_tb *tb, const char *tag, const char *markdown), 0)
SW_OFF_(bool, sw_tb_knows, (const struct sw_tb *tb, const char *tag), false)
SW_OFF_(int, sw_tb_scalar, (struct sw_tb *tb, const char *tag, int64_t step, double value), 0)
SW_OFF_(int, sw_tb_scalars,
        (struct sw_tb *tb, int64_t step, const struct sw_tb_value *value, size_t count), 0)
SW_OFF_(int, sw_tb_histogram,
        (struct sw_tb *tb, const char *tag, int64_t step, const struct sw_bin *bin, size_t count), 0)
SW_OFF_(int, sw_tb_histogram_values,
        (struct sw_tb *tb, const char *tag, int64_t step, const double *value, size_t count), 0)
SW_OFF_(int, sw_tb_text, (struct sw_tb *tb, const char *tag, int64_t step, const char *markdown), 0)
SW_OFF_(int, sw_tb_table,
        (struct sw_tb *tb, const char *tag, int64_t step, const char *const *cell, size_t rows,
         size_t columns), 0)
SW_OFF_(int, sw_tb_image,
        (struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
         const void *encoded, size_t size), 0)
SW_OFF_(int, sw_tb_images,
        (struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
         const struct sw_tb_blob *image, size_t count), 0)
SW_OFF_(int, sw_tb_layout,
        (struct sw_tb *tb, int64_t step, const struct sw_tb_chart *chart, size_t count), 0)
SW_OFF_(int, sw_tb_hparams,
        (struct sw_tb *tb, const struct sw_tb_hparam *hparam, size_t count, const char *group), 0)
SW_OFF_(int, sw_tb_hparams_end, (struct sw_tb *tb, enum sw_tb_status status), 0)
SW_OFF_(int, sw_tb_experiment, (struct sw_tb *tb, const struct sw_tb_experiment *experiment), 0)
/* clang-format on */
SW_API void sw_tb_stats(const struct sw_tb *tb, struct sw_tb_stats *stats)
{
    memset(stats, 0, sizeof *stats);
}
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
