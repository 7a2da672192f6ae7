/* SPDX-License-Identifier: MIT */
/* value_artifacts.h - values and the report of all ranks as artifacts, where MLflow's own
 * client and page look for them. */
#ifndef SINKS_MLFLOW_VALUE_ARTIFACTS_H
#define SINKS_MLFLOW_VALUE_ARTIFACTS_H

#include "sinks/mlflow/mlflow_sink.h"

#include <stepwatch/ranks.h>

/* Writes a value as a file and adds the lines that upload it. */
void swi_mlflow_value(struct mlflow *m, const struct sw_record *record);

/* Writes all_ranks.md, with the verdict, and the table all_ranks.json, in place of those of an
 * earlier fit. */
void swi_mlflow_ranks(struct mlflow *m, const struct sw_ranks *ranks);

#endif
