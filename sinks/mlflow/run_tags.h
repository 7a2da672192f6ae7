/* SPDX-License-Identifier: MIT */
/* run_tags.h - the line of the journal that says what the run is in MLflow: its experiment, name
 * and tags. */
#ifndef SINKS_MLFLOW_RUN_TAGS_H
#define SINKS_MLFLOW_RUN_TAGS_H

#include "sinks/mlflow/mlflow_sink.h"

/* Adds the line. */
void swi_mlflow_run_line(struct swi_text *text, struct mlflow *m);

/* Adds a line that sets a tag. */
void swi_mlflow_tag_line(struct swi_text *text, const char *key, const char *value);

#endif
