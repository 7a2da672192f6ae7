/* SPDX-License-Identifier: MIT */
/* values.h - values that are more than one number: text, tables, histograms, images and files, and
 * what to show of a metric.
 *
 * Everything is copied during the call, so you can free or reuse it at once. A value belongs to the
 * current training step, like a value of sw_log(). Before the first training step, it has the step
 * of the newest number that was logged. Any thread may call these functions; in a pause, in a child
 * of fork() and with a NULL profiler they do nothing and return 0.
 *
 * If no sink takes values of a kind, a call returns before it copies anything: see sw_wants(). The
 * key `values_memory` of `profiler` limits the memory of values that wait for the sinks (64 MiB).
 * When it is full, new values are dropped and counted: the loop never waits.
 *
 * A name keeps the kind of its first value: number, text, table, histogram, images or file. Names
 * are copied; a name of more than 255 bytes is cut, and ends with a checksum. There may be up to
 * 4,096 names of such values.
 *
 * The functions that return int return 0; SW_EINVAL if the value is refused, which is reported once
 * for each name and counted; or SW_ENOMEM if memory ran out, or values_memory is full. A loop
 * may ignore the result. */
#ifndef STEPWATCH_VALUES_H
#define STEPWATCH_VALUES_H

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

struct sw_profiler;

/** The type of the elements of an array. */
enum sw_type {
    SW_U8 = 1, /**< uint8_t */
    SW_I32,    /**< int32_t */
    SW_I64,    /**< int64_t */
    SW_F32,    /**< float */
    SW_F64,    /**< double */
    SW_F16,    /**< half precision of IEEE 754, as uint16_t */
    SW_BF16,   /**< bfloat16, as uint16_t */
    SW_BOOL,   /**< bool; in tables */
    SW_TEXT    /**< const char *, NULL is a missing value; in tables */
};

/** The kinds of values, for sw_wants(). */
enum sw_value_kind {
    SW_VALUE_TEXT = 1,  /**< sw_log_text() */
    SW_VALUE_TABLE,     /**< sw_log_table() */
    SW_VALUE_HISTOGRAM, /**< sw_log_bins(), and sw_log_vector() with SW_HISTOGRAM */
    SW_VALUE_IMAGES,    /**< sw_log_images() and sw_log_image() */
    SW_VALUE_FILE,      /**< sw_log_file() */
    SW_VALUE_LINE,      /**< sw_log_line() */
    SW_VALUE_KINDS
};

/**
 * Returns whether any sink takes values of this kind. If not, you need not copy them from a device.
 * Until the sinks are open, it returns true if one of them may want such values. Never waits.
 */
SW_API bool sw_wants(struct sw_profiler *sw, enum sw_value_kind kind);

/** A number with a name. */
struct sw_named {
    const char *name;
    double value;
};

/** Logs several numbers as sw_log() does, with the same time and the same step. If a name is given
 * twice, its last value counts. */
SW_API void sw_log_many(struct sw_profiler *sw, const struct sw_named *value, size_t count);

/**
 * Logs a text. Sinks that can, such as TensorBoard, format it as Markdown; others show it as it is.
 * Of a text of more than 1 MiB, the first 1 MiB is kept. Bytes that are not UTF-8 become \xNN.
 */
SW_API int sw_log_text(struct sw_profiler *sw, const char *name, const char *markdown);

/** What sw_log_vector() computes of an array. Values that are not finite count only for
 * SW_NONFINITE. */
enum sw_what {
    SW_HISTOGRAM = 1,   /**< a histogram of 64 bins, named as given */
    SW_NORM = 2,        /**< the Euclidean norm, as the number NAME/norm */
    SW_MEAN = 4,        /**< NAME/mean */
    SW_STD = 8,         /**< NAME/std, of the population */
    SW_MIN = 16,        /**< NAME/min */
    SW_MAX = 32,        /**< NAME/max */
    SW_ZEROS = 64,      /**< NAME/zeros: how many values are 0 */
    SW_NONFINITE = 128, /**< NAME/nonfinite: how many are not finite; logged even without this flag
                           if there are any */
    SW_WHAT_ALL = 255   /**< all of these */
};

/**
 * Computes figures of an array, such as the weights or gradients of a layer, and logs them. The
 * figures are computed during the call: a million floats take about a millisecond.
 *
 * type: SW_U8, SW_I32, SW_I64, SW_F32, SW_F64, SW_F16 or SW_BF16. Integers beyond 2^53 are rounded.
 *
 * what: SW_HISTOGRAM | …. If no value is finite, the histogram is empty, and the numbers except the
 * two counts are NAN; of an array without elements, all are.
 */
SW_API int sw_log_vector(struct sw_profiler *sw, const char *name, enum sw_type type,
                         const void *data, size_t count, unsigned what);

/** Logs a histogram of at most 512 bins. The bins must be finite and ascending, and must not
 * overlap; a gap becomes an empty bin. A last bin from NAN to NAN counts the values that are not
 * finite. All counts together are at most INT64_MAX. */
SW_API int sw_log_bins(struct sw_profiler *sw, const char *name, const struct sw_bin *bin,
                       size_t count);

/** How the pixels of an image are stored. */
enum sw_layout {
    SW_HWC = 1, /**< row by row, the channels of a pixel together */
    SW_CHW,     /**< one channel after the other, each row by row */
    SW_ENCODED  /**< a whole PNG, JPEG or GIF file */
};

/** An image. Set it to 0 first, and size to sizeof(struct sw_image). */
struct sw_image {
    size_t size;
    const void *data; /**< pixels, or a whole file */
    size_t bytes; /**< size of the file; for pixels 0, or their size in bytes, which is checked */
    enum sw_layout layout;
    enum sw_type type; /**< of pixels: SW_U8, SW_F32, SW_F64, SW_F16 or SW_BF16 */
    int width;         /**< 1 to 65,500; ignored for a file, which has its own */
    int height;
    int channels;     /**< 1 grey, 3 RGB or 4 RGBA */
    size_t row_bytes; /**< from one row to the next; 0: no gap */
    double low;       /**< of pixels that are not SW_U8: the value of black */
    double high;      /**< the value of white; both 0: 0 and 1. Values outside are clamped */
    const char *caption;
};

/**
 * Logs up to 64 images with up to 64 MiB of pixels in total. The images may differ in size. Pixels
 * are converted to 8 bits during the call; a NAN becomes 0. Sinks that need PNG files encode them
 * on their own threads.
 */
SW_API int sw_log_images(struct sw_profiler *sw, const char *name, const struct sw_image *image,
                         size_t count);

/** Logs an image of SW_U8, or of SW_F32 from 0 to 1, in SW_HWC without gaps. caption may be NULL.
 */
SW_API int sw_log_image(struct sw_profiler *sw, const char *name, enum sw_type type,
                        const void *pixels, int width, int height, int channels,
                        const char *caption);

/** A column of a table. */
struct sw_table_column {
    const char *name;  /**< not empty; columns of a table have different names */
    enum sw_type type; /**< SW_I32, SW_I64, SW_F32, SW_F64, SW_BOOL or SW_TEXT */
    const void *data;  /**< one element for each row. NAN and NULL are missing values */
};

/**
 * Logs a table of at most 256 columns and 16 MiB; each column is an array. Of more than 10,000
 * rows, the first 10,000 are kept.
 */
SW_API int sw_log_table(struct sw_profiler *sw, const char *name,
                        const struct sw_table_column *column, size_t columns, size_t rows);

/** What to do with a file. Set it to 0 first, and size to sizeof(struct sw_file). */
struct sw_file {
    size_t size;
    const char *name; /**< of the artifact; NULL: the base name of the file */
    const char *type; /**< such as "model": the file becomes an artifact; NULL: a file of the run */
    const char *description;
    const char *const *aliases; /**< ends with NULL; NULL: none */
};

/**
 * Logs a file. It is opened during the call, so you may rename or remove it afterwards. The sinks
 * copy it on their threads, and report an error if it has changed by then.
 *
 * file: what to do with it; NULL: log it as a file of the run, under its base name.
 *
 * Returns SW_ENOMEM if 16 files are already waiting to be copied, and SW_EINVAL for a folder.
 */
SW_API int sw_log_file(struct sw_profiler *sw, const char *path, const struct sw_file *file);

/**
 * Logs a line, for a program that has a logger of its own: W&B shows it on the Logs tab. Nothing is
 * printed. A line feed makes several lines; of more than 64 KiB, the first 64 KiB are kept.
 */
SW_API int sw_log_line(struct sw_profiler *sw, enum sw_level level, const char *text);

/** Sets a number in the run's summary. It takes precedence over what a rule keeps of the metric of
 * the same name. The last call counts. There may be 1,024 names. */
SW_API void sw_summary(struct sw_profiler *sw, const char *name, double value);
/** Like sw_summary(), for a text. */
SW_API void sw_summary_text(struct sw_profiler *sw, const char *name, const char *text);

/** What the summary keeps of a metric. Values that are not finite count only for SW_KEEP_FIRST and
 * SW_KEEP_LAST. */
enum sw_keep {
    SW_KEEP_LAST = 1,
    SW_KEEP_MIN = 2,
    SW_KEEP_MAX = 4,
    SW_KEEP_MEAN = 8,
    SW_KEEP_FIRST = 16,
    SW_KEEP_NONE = 32, /**< nothing */
    SW_KEEP_ALL = 63   /**< all bits */
};

/** Which values of a metric are better. */
enum sw_goal { SW_GOAL_NONE, SW_GOAL_MIN, SW_GOAL_MAX };

/** What to show of a metric. Set it to 0 first, and size to sizeof(struct sw_rule). */
struct sw_rule {
    size_t size;
    const char *axis; /**< the metric that is the x axis; NULL: the training step */
    unsigned keep;    /**< SW_KEEP_MAX | …; 0: the last value */
    enum sw_goal goal;
    bool hidden;             /**< make no chart of it */
    const char *unit;        /**< may be NULL */
    const char *description; /**< may be NULL */
};

/**
 * Defines what to show of metrics.
 *
 * pattern: a metric's name, or the beginning of names followed by *. A later rule replaces an
 * earlier one of the same pattern. If several rules match, the rule of the name itself takes
 * precedence, then that of the longest pattern. There may be 256 rules.
 *
 * You may define a rule after the metric has values: those values count, too. Sinks without charts
 * ignore rules.
 */
SW_API int sw_define(struct sw_profiler *sw, const char *pattern, const struct sw_rule *rule);

/** Draws metrics over another metric instead of the training step: sw_define() with an axis only.
 */
SW_NOT_INSTRUMENTED_ static inline int sw_metric_axis(struct sw_profiler *sw, const char *pattern,
                                                      const char *axis)
{
    struct sw_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.size = sizeof rule;
    rule.axis = axis;
    return sw_define(sw, pattern, &rule);
}

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(bool, sw_wants, (struct sw_profiler *sw, enum sw_value_kind kind), false)
SW_OFF_(void, sw_log_many, (struct sw_profiler *sw, const struct sw_named *value, size_t count), )
SW_OFF_(int, sw_log_text, (struct sw_profiler *sw, const char *name, const char *markdown), 0)
SW_OFF_(int, sw_log_vector,
        (struct sw_profiler *sw, const char *name, enum sw_type type, const void *data,
         size_t count, unsigned what),
        0)
SW_OFF_(int, sw_log_bins,
        (struct sw_profiler *sw, const char *name, const struct sw_bin *bin, size_t count), 0)
SW_OFF_(int, sw_log_images,
        (struct sw_profiler *sw, const char *name, const struct sw_image *image, size_t count), 0)
SW_OFF_(int, sw_log_image,
        (struct sw_profiler *sw, const char *name, enum sw_type type, const void *pixels,
         int width, int height, int channels, const char *caption),
        0)
SW_OFF_(int, sw_log_table,
        (struct sw_profiler *sw, const char *name, const struct sw_table_column *column,
         size_t columns, size_t rows),
        0)
SW_OFF_(int, sw_log_file, (struct sw_profiler *sw, const char *path, const struct sw_file *file), 0)
SW_OFF_(int, sw_log_line, (struct sw_profiler *sw, enum sw_level level, const char *text), 0)
SW_OFF_(void, sw_summary, (struct sw_profiler *sw, const char *name, double value), )
SW_OFF_(void, sw_summary_text, (struct sw_profiler *sw, const char *name, const char *text), )
SW_OFF_(int, sw_define,
        (struct sw_profiler *sw, const char *pattern, const struct sw_rule *rule), 0)
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
