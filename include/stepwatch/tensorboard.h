/* SPDX-License-Identifier: MIT */
/* tensorboard.h - write TensorBoard event files from C and C++, without Python or TensorFlow.
 *
 * A writer makes one new event file in the directory of a run and appends to it. Every function
 * takes a NULL writer and then does nothing, so a program runs the same without one. A value that
 * cannot be written is counted and never ends the program: the call returns a negative code, and
 * sw_tb_flush() and sw_tb_close() say in a sentence what was lost.
 *
 * Threads: one writer is used by one thread at a time; different writers are independent. While
 * values come, a writer has a thread of its own that writes out what waits, every flush_s: a
 * program that is killed loses no more than that. The thread takes no signals and ends by itself
 * when no value came for flush_s, so it does not keep alive a process whose own threads have ended.
 *
 * Processes: a child of fork() has no such thread and cannot write to its parent's file. Its calls
 * do nothing, wait for nothing and return 0; sw_tb_close() frees what the child has of the writer.
 * A child may open writers of its own.
 *
 * Signals: a file that reaches the limit of its size (RLIMIT_FSIZE) is like a full disk. It does
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
#endif

/** One writer: one event file. Opaque. */
struct sw_tb;

/** What a writer can be told when it is opened; all zero is fine but for size. */
struct sw_tb_options {
    size_t size;        /**< sizeof(struct sw_tb_options) */
    const char *suffix; /**< end of the file's name, like ".v2"; NULL: none */
    const char *writer; /**< what the file says wrote it; NULL: "stepwatch/VERSION" */
    double flush_s;     /**< seconds that a value waits in memory at most; 0: 2 s; INFINITY: until
                           sw_tb_flush() is called or 64 KiB wait, without a thread */
    double wall_s;      /**< time of the file's beginning, seconds since 1970; 0: the clock's */
};

/**
 * Opens a new event file in a directory, which is the run: its name below TensorBoard's --logdir is
 * the run's name.
 *
 * dir:     made with its parents where it is missing. The file in it is new in any case and sorts
 *          after those that are there; no existing file is ever written to.
 * options: NULL for the defaults.
 * err:     filled on failure; may be NULL.
 *
 * Returns the writer, the caller's to give to sw_tb_close(), or NULL. The run is visible at once.
 */
SW_API struct sw_tb *sw_tb_open(const char *dir, const struct sw_tb_options *options,
                                struct sw_error *err);

/**
 * Writes out what waits in memory, so that a running TensorBoard shows it at its next reload.
 *
 * Returns 0; SW_EIO where the file cannot be written: what waits is kept, up to a megabyte, and
 * tried again by later calls; or the code of the first call since the last flush that failed. err
 * (may be NULL) says what failed, a sentence a line. A tag whose values are refused is named once:
 * later values of it are only counted (sw_tb_stats()). A file that was deleted meanwhile is
 * reported (SW_EIO) and replaced by a new one, which begins with what waited. Calls that write out
 * what waits notice it as well.
 */
SW_API int sw_tb_flush(struct sw_tb *tb, struct sw_error *err);

/** Writes out what waits, closes the file and ends the writer's thread. Returns as sw_tb_flush();
 * tb is invalid afterwards in any case. */
SW_API int sw_tb_close(struct sw_tb *tb, struct sw_error *err);

/** Path of the event file. Borrowed until the next call: a file that was deleted is replaced. */
SW_API const char *sw_tb_path(const struct sw_tb *tb);

/** What a writer has done so far. */
struct sw_tb_stats {
    int64_t records;  /**< records taken, the file's first one included */
    int64_t bytes;    /**< bytes of them */
    int64_t waiting;  /**< records taken that are not in the file yet */
    int64_t lost;     /**< calls refused, or not kept because the file could not be written */
    int64_t repaired; /**< names that were not valid UTF-8 or empty, counted once each, and texts */
};

/** Sets stats to what the writer has done so far; all 0 for a NULL writer. */
SW_API void sw_tb_stats(const struct sw_tb *tb, struct sw_tb_stats *stats);

/**
 * Dates what follows: seconds since 1970, for values that were measured earlier than they are
 * written. NAN: by the clock again, which is how a writer begins. Returns 0, or SW_EINVAL for an
 * infinite time.
 */
SW_API int sw_tb_set_time(struct sw_tb *tb, double wall_s);

/**
 * Says that the run begins at step, or goes on at step after a resume from a checkpoint: earlier
 * points at that step and above are not shown any more.
 *
 * To be able to resume, say it with 0 first of all in a new run too.
 */
SW_API int sw_tb_start(struct sw_tb *tb, int64_t step);

/* ---- values -------------------------------------------------------------------------------------
 *
 * tag:  the name of the series; what precedes its first '/' is its group. A byte that is not UTF-8
 *       is written as \xNN, an empty tag as "unnamed". A tag keeps the kind of its first value that
 *       was not refused: another kind is refused (SW_EINVAL). Tags that begin with "_hparams_/",
 *       and "custom_scalars__config__" and "__run_graph__", are TensorBoard's own and refused.
 *
 * step: should grow from value to value of a tag; where it goes back, TensorBoard forgets the
 *       points at that step and above.
 *
 * Each returns 0; SW_EINVAL; SW_ENOMEM; SW_EIO where the file cannot be written and the memory for
 * what waits is used up. */

/**
 * Tells what a tag's values are, as Markdown, for the info icon of its chart. Say it before the
 * tag's first value: TensorBoard looks no further.
 */
SW_API int sw_tb_describe(struct sw_tb *tb, const char *tag, const char *markdown);

/** Whether this tag was described or has a value already. */
SW_API bool sw_tb_knows(const struct sw_tb *tb, const char *tag);

/** Writes one point of a line. The file holds 32-bit floats: 7 digits. NAN and infinity are kept.
 */
SW_API int sw_tb_scalar(struct sw_tb *tb, const char *tag, int64_t step, double value);

/** A tag and its value, for sw_tb_scalars(). */
struct sw_tb_value {
    const char *tag;
    double value;
};

/**
 * Writes the values of one step together: less than half the bytes of single calls.
 *
 * Of a tag that stands there twice the last value counts. A value that is refused does not keep the
 * others from being written.
 */
SW_API int sw_tb_scalars(struct sw_tb *tb, int64_t step, const struct sw_tb_value *value,
                         size_t count);

/** Writes a histogram of bins: ascending, not overlapping; gaps between them become empty bins. */
SW_API int sw_tb_histogram(struct sw_tb *tb, const char *tag, int64_t step,
                           const struct sw_bin *bin, size_t count);

/** Writes a histogram of values in 30 bins of equal width; values that are not finite do not count.
 */
SW_API int sw_tb_histogram_values(struct sw_tb *tb, const char *tag, int64_t step,
                                  const double *value, size_t count);

/**
 * Writes a text: Markdown with pipe tables and fenced code. Keep it below 64 KiB: the page takes
 * seconds for longer tables.
 */
SW_API int sw_tb_text(struct sw_tb *tb, const char *tag, int64_t step, const char *markdown);

/** Writes a table without heading of rows * columns cells, row by row; each cell is Markdown. */
SW_API int sw_tb_table(struct sw_tb *tb, const char *tag, int64_t step, const char *const *cell,
                       size_t rows, size_t columns);

/** Writes a picture: size bytes of PNG, JPEG or GIF, that the browser gets as they are. */
SW_API int sw_tb_image(struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
                       const void *encoded, size_t size);

/* ---- charts of several tags ------------------------------------------------------------------ */

/** One chart of the Custom Scalars page: lines, or a line within a band. */
struct sw_tb_chart {
    const char *category; /**< charts of one category follow one another */
    const char *title;
    const char *const *lines; /**< regular expressions, ends with NULL; anchored at the front */
    const char *const *band;  /**< tags, threes of value, lower and upper; ends with NULL */
    bool closed;              /**< first of its category: the category is folded at first */
};

/** Writes the layout of the Custom Scalars page; a later one replaces it. step: 0 for the first. */
SW_API int sw_tb_layout(struct sw_tb *tb, int64_t step, const struct sw_tb_chart *chart,
                        size_t count);

/* ---- hyper-parameters ---------------------------------------------------------------------------
 *
 * Each of these counts once for a run: what is written a second time is not looked at. */

/** The type of a hyper-parameter. */
enum sw_tb_type { SW_TB_STRING = 1, SW_TB_BOOL = 2, SW_TB_NUMBER = 3 };

/** A hyper-parameter of a run. */
struct sw_tb_hparam {
    const char *name;
    enum sw_tb_type type;
    double number;    /**< of a number; a bool is true where it is not 0 */
    const char *text; /**< of a string */
};

/** Writes what the run was started with. group: runs of one group are shown as one; NULL: none. */
SW_API int sw_tb_hparams(struct sw_tb *tb, const struct sw_tb_hparam *hparam, size_t count,
                         const char *group);

/** How a run ended. */
enum sw_tb_status { SW_TB_SUCCESS = 1, SW_TB_FAILURE = 2, SW_TB_RUNNING = 3 };

/** Writes how the run ended; once, at the end. */
SW_API int sw_tb_hparams_end(struct sw_tb *tb, enum sw_tb_status status);

/** A column of the HParams page for a hyper-parameter. Texts but the name may be NULL. */
struct sw_tb_column {
    const char *name;
    enum sw_tb_type type;
    const char *title;
    const char *description;
    const char *const *choices; /**< of a string: ends with NULL; NULL: any */
    double min;                 /**< of a number, with max: its range; both 0: any */
    double max;
};

/** A column for a metric: the last value of a scalar. Texts but the tag may be NULL. */
struct sw_tb_metric {
    const char *tag;
    const char *group; /**< the sub-run that has it, like "valid"; NULL: the run itself */
    const char *title;
    const char *description;
    int dataset; /**< 1 training, 2 validation, 0 unknown */
};

/** What the HParams page shows. Texts may be NULL. */
struct sw_tb_experiment {
    const char *name;
    const char *description;
    const char *user;
    size_t columns;
    const struct sw_tb_column *column;
    size_t metrics;
    const struct sw_tb_metric *metric;
};

/** Writes which columns the HParams page has; without it, every scalar becomes one. */
SW_API int sw_tb_experiment(struct sw_tb *tb, const struct sw_tb_experiment *experiment);

#ifdef __cplusplus
}
#endif
#endif
