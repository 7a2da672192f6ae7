/* SPDX-License-Identifier: MIT */
/* wandb.h - one run: its options, its place, its file. */
#ifndef SINKS_WANDB_WANDB_H
#define SINKS_WANDB_WANDB_H

#include "sinks/wandb/file/records.h"
#include "sinks/wandb/account/sdk_settings.h"
#include "sinks/wandb/run/sweep.h"
#include "sinks/wandb/system_metrics.h"

#include <stepwatch/sink.h>

#include <limits.h>

struct swi_background;
struct swi_background_options;
struct swi_uploader;

struct wandb {
    /* options */
    const char *mode, *project, *entity, *run_id, *name, *notes, *group, *job_type, *dir, *ranks;
    const char *resume, *base_url, *ca_file, *key_file;
    const char *const *tags;
    int64_t interval_ns;
    bool system, insecure;

    struct sw_sink *sink;
    bool off;
    bool silent;            /* nothing is said: it goes to a file of the run */
    bool quiet;             /* what goes without saying is not said */
    struct swi_text unsaid; /* what waits for that file */
    bool console;           /* lines of output belong to the run */
    char id[SWI_WANDB_VALUE];
    bool id_made;          /* at random */
    char root[PATH_MAX];   /* DIR/wandb */
    char folder[PATH_MAX]; /* of the run */
    struct swi_records records;

    struct swi_fields row;     /* of `step`; written when a later step begins */
    struct swi_fields summary; /* all of it that was written */
    struct swi_fields fresh;   /* of the summary, what is not written yet */
    int64_t step;
    int64_t shift;   /* added to a step, where steps went back */
    int64_t written; /* step of the last row in the file; -1: none */
    double row_wall_s;
    double last_s;  /* run time of the newest record */
    bool open;      /* row holds something */
    bool own_epoch; /* the program logs a metric of that name */
    bool ended;
    bool failing;                    /* the file cannot be written, and that was said */
    int64_t lost;                    /* reported to core so far */
    int64_t passed;                  /* number of the last record that went past the file */
    bool pass_failed;                /* the upload had no room for one */
    bool end_written;                /* the file has the run's end, or keeps it for the disk */
    struct swi_sample first, sample; /* of the machine: the first one, and the newest */
    struct swi_text output;          /* files/output.log */
    struct swi_wandb_sweep sweep;    /* whose values come before the program's */
    struct swi_fields config;        /* all of it so far, for config.yaml */
    char producer[64];
    char found_project[SWI_WANDB_VALUE], found_entity[SWI_WANDB_VALUE]; /* "": not said */
    bool online_asked; /* it was said, and not only looked for */
    bool online;       /* there is a key: the run is uploaded while it is written */
    const struct swi_uploader *uploader;   /* loaded for a run that is uploaded */
    struct swi_background_options *upload; /* until the upload begins */
    struct swi_background *live;           /* the upload */
    bool resume_auto, stop_said;
    int exit_code;
    int64_t end_ns; /* when the end of the program was reported; monotonic */
    bool charted;   /* the chart of the step's time was described */
};

#endif
