/* SPDX-License-Identifier: MIT */
/* data_table.h - a table: a file below files/, an artifact, and a value in the row of its step. */
#ifndef SINKS_WANDB_DATA_TABLE_H
#define SINKS_WANDB_DATA_TABLE_H

#include "sinks/wandb/wandb_sink.h"

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
