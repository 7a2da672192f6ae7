/* SPDX-License-Identifier: MIT */
/* data_table.h - a table: a file below files/, an artifact, and a value in the row of its step. */
#ifndef SINKS_WANDB_DATA_TABLE_H
#define SINKS_WANDB_DATA_TABLE_H

#include "sinks/wandb/wandb.h"

struct swi_wandb_column {
    const char *name;
    bool number; /* numbers or null; if false, text or null */
};

/* Initialise it as {.key = …}: letters, digits and _, at most 48. */
struct swi_wandb_table {
    const char *key;
    size_t columns;
    const struct swi_wandb_column *column;
    size_t rows;
    struct swi_text data; /* the rows as JSON: [["draw",1.5],…] */
};

/* Writes the files and records of a table. The value goes into the row of the newest step. */
int swi_wandb_table_write(struct wandb *w, const struct sw_record *record,
                          const struct swi_wandb_table *table, struct sw_error *err);

#endif
