/* SPDX-License-Identifier: MIT */
/* mlflow_sink.h - the state of the sink mlflow. */
#ifndef SINKS_MLFLOW_MLFLOW_SINK_H
#define SINKS_MLFLOW_MLFLOW_SINK_H

#include "sinks/mlflow/journal.h"
#include "sinks/mlflow/upload/tracking_uploader.h"

#include <stepwatch/sink.h>

#include <limits.h>

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

    struct sw_sink *sink;
    bool off; /* another process makes the run */
    char uid[33];
    char folder[PATH_MAX];
    struct swi_journal journal;
    struct swi_text lines;  /* of one record; reused for its memory */
    struct swi_text tables; /* of the last report, for the note */
    int64_t samples;        /* of monitors so far */
    int64_t sampled_ns;     /* time of the last one, since the run's start */
    double received, sent;  /* bytes of the network since the start */
    int64_t end_ns;         /* when the end of the run was known; 0: not yet */
    bool ended;             /* the journal has the end of the run */

    bool online;
    struct swi_tracking_upload_options *upload; /* until the upload begins */
    const struct swi_mlflow_uploader *uploader;
    struct swi_tracking_upload *live;
};

#endif
