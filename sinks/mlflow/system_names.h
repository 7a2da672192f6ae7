/* SPDX-License-Identifier: MIT */
/* system_names.h - samples of monitors under the names that MLflow's own client gives them. */
#ifndef SINKS_MLFLOW_SYSTEM_NAMES_H
#define SINKS_MLFLOW_SYSTEM_NAMES_H

#include "sinks/mlflow/mlflow_sink.h"

/* Adds the lines of a record of a monitor. Their step counts the samples. */
void swi_mlflow_sample_lines(struct swi_text *text, struct mlflow *m,
                             const struct sw_record *record);

#endif
