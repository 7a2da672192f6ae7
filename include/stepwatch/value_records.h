/* SPDX-License-Identifier: MIT */
/* value_records.h - the records of what <stepwatch/values.h> logs, for sinks; part of
 * <stepwatch/sink.h>.
 *
 * As with all records, everything is valid only during record(). Names and texts are as the user
 * gave them. Unless a comment says UTF-8, they may contain any bytes. */
#ifndef STEPWATCH_VALUE_RECORDS_H
#define STEPWATCH_VALUE_RECORDS_H

#include <stepwatch/values.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** A histogram. */
struct sw_bins {
    size_t size;              /**< of this struct in core */
    size_t count;             /**< of bins; 0: it is empty */
    size_t stride;            /**< bytes from one bin to the next; see sw_bins_at() */
    const struct sw_bin *bin; /**< ascending; the high of each is the low of the next */
    int64_t nonfinite;        /**< values that are in no bin */
};

/** Returns bin i of a histogram, from 0; i is less than bins->count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_bin *sw_bins_at(const struct sw_bins *bins,
                                                                   size_t i)
{
    return (const struct sw_bin *)sw_element_(bins->bin, bins->stride, i);
}

/** A table. */
struct sw_table {
    size_t size;    /**< of this struct in core */
    size_t columns; /**< how many */
    size_t rows;
    size_t stride;                        /**< from one column to the next; see sw_table_at() */
    const struct sw_table_column *column; /**< SW_I64, SW_F64, SW_BOOL or SW_TEXT */
};

/** Returns column i of a table, from 0; i is less than table->columns. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_table_column *
sw_table_at(const struct sw_table *table, size_t i)
{
    return (const struct sw_table_column *)sw_element_(table->column, table->stride, i);
}

/** An image: its pixels, or the file that the program gave. */
struct sw_picture {
    size_t size; /**< of this struct in core */
    int width;
    int height;
    int channels;         /**< 1, 3 or 4; 0 for a file */
    const uint8_t *pixel; /**< row by row, the channels of a pixel together, without gaps; NULL
                             for a file */
    const void *encoded;  /**< the file; NULL if there are pixels. See sw_sink_encode() */
    size_t encoded_size;
    const char *format;  /**< "png", "jpg" or "gif": of the file, or of what sw_sink_encode() makes
                          */
    const char *caption; /**< UTF-8; NULL: none */
    const char *sha256;  /**< of the file, 64 hex digits; may be "" until sw_sink_encode() */
};

/** The images of one value. */
struct sw_pictures {
    size_t size;  /**< of this struct in core */
    size_t count; /**< may be 0 */
    size_t stride;
    const struct sw_picture *picture; /**< see sw_pictures_at() */
};

/** Returns image i, from 0; i is less than pictures->count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_picture *
sw_pictures_at(const struct sw_pictures *pictures, size_t i)
{
    return (const struct sw_picture *)sw_element_(pictures->picture, pictures->stride, i);
}

/** A file that sw_log_file() opened. */
struct sw_kept_file {
    size_t size;                /**< of this struct in core */
    int fd;                     /**< open for reading. Other sinks read it, too: use pread() only */
    const char *path;           /**< as the program gave it */
    const char *base;           /**< the last part of that */
    int64_t bytes;              /**< size when it was opened */
    int64_t changed_ns;         /**< last change before it was opened, since 1970 */
    const char *name;           /**< of the artifact; never NULL */
    const char *type;           /**< of the artifact; NULL for a file of the run */
    const char *description;    /**< may be NULL */
    const char *const *aliases; /**< ends with NULL; never NULL itself */
    uint64_t device, inode;     /**< of the file: fd is another one if the program has closed it */
};

/** What was logged. Only the pointer that belongs to `kind` is set. */
struct sw_value {
    size_t size;             /**< of this struct in core */
    enum sw_value_kind kind; /**< never SW_VALUE_LINE */
    const char *name;        /**< for a file: the artifact's name, or the file's base name */
    const char *text;        /**< UTF-8 */
    const struct sw_table *table;
    const struct sw_bins *bins;
    const struct sw_pictures *pictures;
    const struct sw_kept_file *file;
};

/** A line of the program's logger. */
struct sw_line {
    size_t size; /**< of this struct in core */
    enum sw_level level;
    const char *text; /**< UTF-8, without a line feed */
};

/** A value that the program sets in the run's summary. */
struct sw_summary_value {
    size_t size; /**< of this struct in core */
    const char *name;
    double value;     /**< valid if text is NULL */
    const char *text; /**< UTF-8; NULL: it is a number */
};

/** A rule of sw_define(). */
struct sw_defined_rule {
    size_t size; /**< of this struct in core */
    const char *pattern;
    const struct sw_rule *rule; /**< complete, with the size that it has in core */
};

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
