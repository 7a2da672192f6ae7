/* SPDX-License-Identifier: MIT */
/* artifact_files.h - files that become artifacts of the run: the folder artifacts/ of the run's
 * folder is what the server will have. */
#ifndef SINKS_MLFLOW_ARTIFACT_FILES_H
#define SINKS_MLFLOW_ARTIFACT_FILES_H

#include "sinks/mlflow/mlflow_sink.h"

#include <stepwatch/ranks.h>

/* Adds a name as the path of an artifact, without what the server or its page would refuse. */
void swi_artifact_key(struct swi_text *path, const char *name);

/* Writes a whole artifact, in place of one of that path, and then adds the line that uploads it.
 * table: the server's page shows it as a table. Returns false if it could not be written; the first
 * time, that is said, and it is counted. */
bool swi_artifact_put(struct mlflow *m, const struct swi_text *path, const void *bytes, size_t size,
                      bool table);

/* Copies a file of the program, in the same way. */
bool swi_artifact_copy(struct mlflow *m, const struct swi_text *path,
                       const struct sw_kept_file *file);

/* Adds the line that uploads an artifact as it is by then. file: path of the artifact whose content
 * it has; NULL: its own. */
void swi_artifact_line(struct mlflow *m, const char *path, const char *file, bool table);

/* Reports and counts a value that is missing from the run. */
void swi_artifact_missing(struct mlflow *m, const char *name, const struct sw_error *err);

/* Adds an alert to the table alerts.json. */
void swi_mlflow_alert(struct mlflow *m, const struct sw_record *record);

/* Adds a line to output.log. */
void swi_mlflow_line(struct mlflow *m, const struct sw_line *line);

/* Adds the line that uploads output.log, if it has grown: each minute, or now. */
void swi_mlflow_lines_upload(struct mlflow *m, bool now);

/* Adds rows to the file of a table. If the columns are others than before, or the file is full, it
 * begins another file. columns: JSON array of texts. rows: JSON array of `count` arrays. */
void swi_table_put(struct mlflow *m, const char *name, const struct swi_text *columns,
                   const struct swi_text *rows, size_t count);
void swi_tables_free(struct swi_table_artifacts *tables);

/* ---- value_artifacts.c ----------------------------------------------------------------------- */

/* Writes a value as a file and adds the lines that upload it. */
void swi_mlflow_value(struct mlflow *m, const struct sw_record *record);

/* Writes all_ranks.md, with the verdict, and the table all_ranks.json, in place of those of an
 * earlier fit. */
void swi_mlflow_ranks(struct mlflow *m, const struct sw_ranks *ranks);

#endif
