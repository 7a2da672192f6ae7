/* SPDX-License-Identifier: MIT */
/* mlflow_sink.h - the state of the sink mlflow. */
#ifndef SINKS_MLFLOW_MLFLOW_SINK_H
#define SINKS_MLFLOW_MLFLOW_SINK_H

#include "sinks/common/thinning.h"
#include "sinks/mlflow/journal.h"
#include "sinks/mlflow/own_samples.h"
#include "sinks/mlflow/summary_lines.h"
#include "sinks/mlflow/system_names.h"
#include "sinks/mlflow/table_artifacts.h"

#include <stepwatch/sink.h>

#include <limits.h>

struct swi_tracking_upload;

struct mlflow {
    const char *dir; /* the options */
    const char *mode;
    const char *tracking_uri;
    const char *experiment;
    const char *run_name;
    const char *notes;
    const char *const *tags;
    const char *ranks;
    int64_t interval_ns;
    bool user;
    bool system;
    struct swi_thinning thinning;

    struct sw_sink *sink;
    bool off; /* another process makes the run */
    char uid[33];
    char folder[PATH_MAX];
    struct swi_journal journal;
    bool failing;           /* the journal could not be written, which was said */
    struct swi_text lines;  /* of one record; reused for its memory */
    struct swi_text tables; /* of the last report, for the note */
    struct swi_sampled_monitors monitors;
    struct swi_own_samples own;
    struct swi_table_artifacts tables_kept;
    struct swi_summary_lines summary;
    FILE *output;         /* of the program's lines; NULL: none so far */
    int64_t output_ns;    /* when it was last uploaded */
    bool output_grown;    /* since then */
    bool no_output;       /* it could not be created, which was said */
    bool has_images;      /* the run has a tag that says so */
    bool value_missing;   /* which was said */
    unsigned unsupported; /* what was said that MLflow lacks */
    int64_t end_ns;       /* when the end of the run was known; 0: not yet */
    bool ended;           /* the journal has the end of the run */

    struct swi_tracking_upload *live; /* the upload; NULL: none */
};

#endif
