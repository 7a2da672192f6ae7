/* SPDX-License-Identifier: MIT */
/* program_output.h - alerts and lines of the program as artifacts. */
#ifndef SINKS_MLFLOW_PROGRAM_OUTPUT_H
#define SINKS_MLFLOW_PROGRAM_OUTPUT_H

#include "sinks/mlflow/mlflow_sink.h"

/* Adds an alert to the table alerts.json. */
void swi_mlflow_alert(struct mlflow *m, const struct sw_record *record);

/* Adds a line to output.log. */
void swi_mlflow_line(struct mlflow *m, const struct sw_line *line);

/* Adds the line that uploads output.log, if it has grown: each minute, or now. */
void swi_mlflow_lines_upload(struct mlflow *m, bool now);

#endif
