/* SPDX-License-Identifier: MIT */
/* table_artifacts.h - tables as the client's log_table() writes them:
 * {"columns":[...],"data":[[...],
 * ...]}, with the rows of all tables of a name. */
#ifndef SINKS_MLFLOW_TABLE_ARTIFACTS_H
#define SINKS_MLFLOW_TABLE_ARTIFACTS_H

#include "core/text/buffer.h"
#include "core/text/map.h"

#include <stdbool.h>
#include <stddef.h>

struct mlflow;

/* The newest file of a table. */
struct swi_table_artifact {
    char *columns;    /* JSON of their names; NULL: there is no file yet */
    const char *path; /* one of `paths` */
    size_t rows;      /* in that file */
};

/* Initialise it as {0}. */
struct swi_table_artifacts {
    struct swi_map names;
    struct swi_table_artifact *item; /* by the number of the name */
    struct swi_map paths;            /* of all files so far, so that no other table gets one */
};

/* Adds rows to the file of a table. If the columns are others than before, or the file is full, it
 * begins another file. columns: JSON array of texts. rows: JSON array of `count` arrays. */
void swi_table_put(struct mlflow *m, const char *name, const struct swi_text *columns,
                   const struct swi_text *rows, size_t count);
void swi_tables_free(struct swi_table_artifacts *tables);

#endif
