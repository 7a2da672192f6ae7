/* SPDX-License-Identifier: MIT */
/* own_samples.h - figures of the machine that MLflow's own client logs, for a run without the
 * monitor `system`. */
#ifndef SINKS_MLFLOW_OWN_SAMPLES_H
#define SINKS_MLFLOW_OWN_SAMPLES_H

#include "core/text/buffer.h"

#include <stdint.h>

struct mlflow;

/* What differences are taken from. Initialise it as {0}. */
struct swi_own_samples {
    int64_t interval_ns; /* 0: no samples */
    int64_t last_ns;     /* when the last sample was taken */
    int64_t count;
    uint64_t processors[2]; /* time of all: idle, all */
    double received, sent;  /* bytes of the network when the run began */
};

/* Begins with the run. A run with the monitor `system`, or that is replayed, has no samples here.
 */
void swi_own_samples_begin(struct mlflow *m);

/* Adds the lines of a sample, if one is due. */
void swi_own_samples_look(struct swi_text *text, struct mlflow *m);

#endif
