/* SPDX-License-Identifier: MIT */
/* tracking_online.h - decides whether the run is uploaded while it is written. */
#ifndef SINKS_MLFLOW_TRACKING_ONLINE_H
#define SINKS_MLFLOW_TRACKING_ONLINE_H

#include "sinks/mlflow/mlflow_sink.h"

/* Wrong settings prevent the upload, but not the journal. */
void swi_mlflow_online_start(struct mlflow *m);
void swi_mlflow_online_flush(struct mlflow *m);
/* written: the journal has everything. */
void swi_mlflow_online_close(struct mlflow *m, bool written);

#endif
