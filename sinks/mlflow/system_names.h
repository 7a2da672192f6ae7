/* SPDX-License-Identifier: MIT */
/* system_names.h - samples of monitors under the names that MLflow's own client gives them. */
#ifndef SINKS_MLFLOW_SYSTEM_NAMES_H
#define SINKS_MLFLOW_SYSTEM_NAMES_H

#include "core/text/buffer.h"
#include "sinks/common/sample_names.h"

struct mlflow;

/* What is known of the samples so far. Initialise it as {0}. */
struct swi_mlflow_samples {
    int64_t interval_ns;     /* between two that the sink takes itself; 0: it takes none */
    bool taken;              /* one was */
    struct swi_map monitors; /* by the name of the first metric, which is the same in all samples */
    int64_t *count;          /* of the samples of each monitor */
    struct swi_sample_sums sums;
};

/* Begins with the run: the figures of the first sample are differences to now. */
void swi_mlflow_samples_begin(struct mlflow *m);

/* Adds the lines of a sample, if one is due. */
void swi_mlflow_samples_look(struct swi_text *text, struct mlflow *m);

/* Adds the lines of a record of a monitor. Their step counts the samples of that monitor. */
void swi_mlflow_sample_lines(struct swi_text *text, struct mlflow *m,
                             const struct sw_record *record);

void swi_mlflow_samples_free(struct swi_mlflow_samples *samples);

#endif
