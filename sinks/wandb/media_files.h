/* SPDX-License-Identifier: MIT */
/* media_files.h - files of values below files/media/, which rows name. */
#ifndef SINKS_WANDB_MEDIA_FILES_H
#define SINKS_WANDB_MEDIA_FILES_H

#include "sinks/wandb/wandb_sink.h"

/* Writes a file for a row, and the record that uploads it. Adds its path below files/ to `path`:
 * media/KIND/KEY_STEP_SHA20.EXTENSION. Returns false if it could not be written; the first time,
 * that is reported, and it is counted. */
bool swi_wandb_media_put(struct wandb *w, struct swi_text *path, const char *kind, const char *key,
                         const char *extension, const void *bytes, size_t size, const char *sha256);

/* Reports and counts a value or a file that is missing from the run. */
void swi_wandb_media_missing(struct wandb *w, const char *name, const struct sw_error *err);

/* A cell may also be null. */
enum swi_wandb_type { SWI_WANDB_STRING, SWI_WANDB_NUMBER, SWI_WANDB_BOOLEAN };

struct swi_wandb_column {
    const char *name;
    enum swi_wandb_type type;
};

/* Initialise it as {.key = …}. */
struct swi_wandb_table {
    const char *key;
    size_t columns;
    const struct swi_wandb_column *column;
    size_t rows;
    struct swi_text data; /* the rows as JSON: [["draw",1.5],…] */
};

/* Writes the files and records of a table. The value goes into the row of the newest step. A file
 * that cannot be written is reported and counted, and is not an error. */
int swi_wandb_table_write(struct wandb *w, const struct sw_record *record,
                          const struct swi_wandb_table *table, struct sw_error *err);

#endif
