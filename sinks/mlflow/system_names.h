/* SPDX-License-Identifier: MIT */
/* system_names.h - samples of monitors under the names that MLflow's own client gives them. */
#ifndef SINKS_MLFLOW_SYSTEM_NAMES_H
#define SINKS_MLFLOW_SYSTEM_NAMES_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

struct mlflow;

/* What is known of the samples of one monitor. */
struct swi_sampled_monitor {
    char first[64]; /* name of its first metric, by which it is known */
    int64_t samples;
    int64_t last_ns;       /* time of the last one, since the run's start */
    double received, sent; /* bytes of the network since the start */
};

/* Initialise it as {0}. */
struct swi_sampled_monitors {
    struct swi_sampled_monitor item[16];
    size_t count;
};

/* Where the lines of a sample go. */
struct swi_sample_lines {
    struct swi_text *text;
    struct mlflow *m;
    int64_t time_ns, step;
};

/* Adds the line of one figure. name: without system/. */
void swi_sample_line(const struct swi_sample_lines *s, const char *name, double value);

/* Adds the lines of a record of a monitor. Their step counts the samples of that monitor. */
void swi_mlflow_sample_lines(struct swi_text *text, struct mlflow *m,
                             const struct sw_record *record);

#endif
