/* SPDX-License-Identifier: MIT */
/* journal_reader.h - reads the journal of a run, which may still be growing, line by line. */
#ifndef SINKS_MLFLOW_UPLOAD_JOURNAL_READER_H
#define SINKS_MLFLOW_UPLOAD_JOURNAL_READER_H

#include "core/text/buffer.h"

#include <stepwatch/error.h>

#include <jansson.h>

/* Initialise it as {.fd = -1}. */
struct swi_journal_reader {
    int fd;
    struct swi_text bytes; /* read, and not yet taken from `at` on */
    size_t at;
    int64_t offset;  /* of the end of the last line that was taken */
    int64_t skipped; /* lines that are not JSON */
};

int swi_journal_open(struct swi_journal_reader *reader, const char *path, struct sw_error *err);
void swi_journal_close(struct swi_journal_reader *reader);

/* Reads the next whole line. Returns 1 with *line set, for which the caller calls json_decref(); 0
 * if there is none yet; SW_EIO or SW_ENOMEM. Skips and counts damaged lines. */
int swi_journal_next(struct swi_journal_reader *reader, json_t **line, struct sw_error *err);

/* Returns the bytes after the last whole line: of a line that is being written, or was cut off. */
size_t swi_journal_rest(const struct swi_journal_reader *reader);

#endif
