/* SPDX-License-Identifier: MIT */
/* value_lines.h - values that are more than a number as lines of a run log. */
#ifndef SINKS_COMMON_RUNLOG_VALUE_LINES_H
#define SINKS_COMMON_RUNLOG_VALUE_LINES_H

#include "core/text/buffer.h"
#include "core/text/map.h"

#include <stepwatch/sink.h>

#include <limits.h>

/* ---- files ----------------------------------------------------------------------------------- */

/* What is too large for a line, as files beside the log: LOG.files/, without the .gz or
 * .zst of a compressed log. */
enum swi_beside { SWI_BESIDE, SWI_INLINE_VALUES, SWI_NO_VALUES };

/* Initialise it as {0}. */
struct swi_value_files {
    struct sw_sink *sink;
    enum swi_beside how;
    char folder[PATH_MAX];   /* LOG.files, absolute */
    char copies[300];        /* folder below it for files of the program: "files" */
    size_t table_max;        /* a table whose rows take more bytes is a file */
    struct swi_map contents; /* SHA-256 of each file that was written */
    const char **written;    /* its name below the folder; by the number of the content */
    struct swi_map names;    /* of these */
    bool said;               /* that a file could not be written */
    unsigned parts;
};

/* For a log that is written to `path`. how: the option. A log that is not a file has no folder
 * beside it: then values are inline. */
void swi_value_files_init(struct swi_value_files *files, struct sw_sink *sink, const char *path,
                          enum swi_beside how);
/* For files in a folder, which is absolute and is made for the first file. copies: as above. */
void swi_value_files_in(struct swi_value_files *files, struct sw_sink *sink, const char *folder,
                        const char *copies);
void swi_value_files_fini(struct swi_value_files *files);

/* The name below the folder of a file with this content: one that was written, or a new one of this
 * name. NULL if it cannot be written, which is said. Borrowed, until the next call. */
const char *swi_value_files_put(struct swi_value_files *files, const char *name, const void *bytes,
                                size_t size, const char *sha256);

/* Copies a file of the program; sha256 is set. */
const char *swi_value_files_copy(struct swi_value_files *files, const struct sw_kept_file *file,
                                 char sha256[65], int64_t *bytes);

/* ---- lines ----------------------------------------------------------------------------------- */

/* Adds the line of a value of the summary. */
void swi_summary_line(struct swi_text *text, const struct sw_summary_value *summary);

/* Adds the line of a value, a rule, a value of the summary, or a line of the program's logger, and
 * writes the files that it names before. */
void swi_value_line(struct swi_text *text, struct swi_value_files *files,
                    const struct sw_record *record);

#endif
