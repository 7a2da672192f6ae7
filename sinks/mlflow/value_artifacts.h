/* SPDX-License-Identifier: MIT */
/* value_artifacts.h - texts, tables, histograms, images and files as artifacts, where MLflow's own
 * client and page look for them. */
#ifndef SINKS_MLFLOW_VALUE_ARTIFACTS_H
#define SINKS_MLFLOW_VALUE_ARTIFACTS_H

#include "sinks/mlflow/mlflow_sink.h"

/* Writes a value as a file and adds the lines that upload it. */
void swi_mlflow_value(struct mlflow *m, const struct sw_record *record);

#endif
