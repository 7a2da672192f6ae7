/* SPDX-License-Identifier: MIT */
/* wandb_sink.h - the state of one run: its options, its folder, its file. */
#ifndef SINKS_WANDB_WANDB_SINK_H
#define SINKS_WANDB_WANDB_SINK_H

#include "sinks/common/defined_rules.h"
#include "sinks/common/thinning.h"
#include "sinks/wandb/account/sdk_settings.h"
#include "sinks/wandb/file/run_records.h"
#include "sinks/wandb/printed_lines.h"
#include "sinks/wandb/run/sweep.h"
#include "sinks/wandb/system_metrics.h"
#include "sinks/wandb/values/fields.h"

#include <stepwatch/sink.h>

#include <limits.h>

/* ---- history.c: what the summary keeps ------------------------------------------------------- */

/* All values of a metric so far. */
struct swi_kept_metric {
    const char *name; /* the map's */
    double first, last;
    double min, max, sum; /* of the finite values */
    int64_t finite;
};

/* Initialise it as {0}. */
struct swi_kept_values {
    struct swi_defined_rules rules;
    bool kept_by_rules;    /* some rule says what to keep */
    struct swi_fields own; /* of sw_summary() */
    struct swi_map names;
    struct swi_kept_metric *metric; /* by number */
};

/* ---- wandb_sink.c ---------------------------------------------------------------------------- */

struct swi_background;

struct wandb {
    /* options */
    const char *mode, *project, *entity, *run_id, *name, *notes, *group, *job_type, *dir, *ranks;
    const char *resume, *base_url, *ca_file, *key_file, *console_choice;
    const char *const *tags;
    int64_t interval_ns;
    bool system, insecure;
    struct swi_thinning thinning;

    struct sw_sink *sink;
    bool off;
    bool silent;            /* messages go only to a file of the run */
    bool quiet;             /* unimportant messages are left out */
    struct swi_text unsaid; /* messages that wait for that file */
    bool console;           /* lines of output belong to the run */
    char id[SWI_WANDB_VALUE];
    bool id_made;          /* randomly */
    char root[PATH_MAX];   /* DIR/wandb */
    char folder[PATH_MAX]; /* of the run */
    struct swi_records records;

    struct swi_fields row;     /* the row of `step`; written when a later step begins */
    struct swi_fields summary; /* all values that were written */
    struct swi_fields newest;  /* the last row, as far as the summary does not have it yet */
    struct swi_fields fresh;   /* values of the summary before it that are not written yet */
    struct swi_fields drafted; /* what the open row makes of the summary */
    struct swi_kept_values kept;
    struct swi_fields axes; /* metrics that have no rule, but are an axis */
    int64_t step;
    int64_t shift;   /* added to steps after they went back */
    bool looped;     /* a value had the loop's step: its rows decide */
    bool said_given; /* that values of sw_log_at() have no rows of their own */
    int64_t written; /* step of the last row in the file, or -1 */
    double row_wall_s;
    int64_t last_ns; /* run time of the newest record */
    bool open;       /* row has values */
    bool own_epoch;  /* the program logs a metric named epoch */
    bool ended;
    bool failing;                /* the file cannot be written, which was reported */
    int64_t lost;                /* reported to core so far */
    int64_t passed;              /* number of the last record that bypassed the file */
    bool pass_failed;            /* the upload had no room for a record */
    bool end_written;            /* the end of the run is in the file, or waits for the disk */
    struct swi_sample_sums sums; /* of what monitors say */
    struct swi_text output;      /* what files/output.log does not have yet */
    bool output_begun, output_failing;
    struct swi_printed_lines printed;
    unsigned artifacts;           /* number of files */
    bool media_missing;           /* a file of a value could not be written, which was reported */
    bool row_cut;                 /* a row was too long, which was reported */
    struct swi_wandb_sweep sweep; /* its values have priority over the program's */
    struct swi_fields config;     /* all values so far, for config.yaml */
    char producer[64];
    char found_project[SWI_WANDB_VALUE], found_entity[SWI_WANDB_VALUE]; /* "" if not given */
    bool online_asked;             /* mode online was given, not only the default */
    bool online;                   /* there is a key: the run is uploaded while it is written */
    struct swi_background *upload; /* until the upload begins */
    struct swi_background *live;   /* afterwards */
    bool resume_auto, stop_said;
    int exit_code;
    int64_t end_ns; /* when the end of the program was reported; monotonic */
    bool charted;   /* the chart of the step's time was described */
};

#endif
