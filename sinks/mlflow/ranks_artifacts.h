/* SPDX-License-Identifier: MIT */
/* ranks_artifacts.h - the report of all ranks as files of the run. */
#ifndef SINKS_MLFLOW_RANKS_ARTIFACTS_H
#define SINKS_MLFLOW_RANKS_ARTIFACTS_H

#include "sinks/mlflow/mlflow_sink.h"

#include <stepwatch/ranks.h>

/* Writes all_ranks.md, with the verdict, and the table all_ranks.json, in place of those of an
 * earlier fit. */
void swi_mlflow_ranks(struct mlflow *m, const struct sw_ranks *ranks);

#endif
