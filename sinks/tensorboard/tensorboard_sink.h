/* SPDX-License-Identifier: MIT */
/* tensorboard_sink.h - the state of the sink, which its parts share. */
#ifndef SINKS_TENSORBOARD_TENSORBOARD_SINK_H
#define SINKS_TENSORBOARD_TENSORBOARD_SINK_H

#include "core/text/buffer.h"
#include "core/text/map.h"
#include "sinks/common/defined_rules.h"
#include "sinks/common/thinning.h"
#include "sinks/tensorboard/tag_series.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>
#include <stepwatch/tensorboard.h>

/* Groups of our own tags. Pages sort groups by name and open the first two: what the program logs
 * comes first, for '~' sorts after every letter, and then the throughput. All durations are
 * milliseconds. */
#define GROUP_RATE "~throughput"
#define GROUP_TIME "~time_ms"
#define GROUP_BAND "~time_ms_band"
#define GROUP_EPOCH "~time_ms_epoch"
#define GROUP_HISTOGRAM "~time_ms_histogram"
#define GROUP_FIT "~whole_fit"
#define GROUP_RANKS "~ranks"

/* The option `figures`: which scalars there are besides those of the program. */
enum figures {
    FIGURES_METRICS, /* none */
    FIGURES_ROLLING, /* those that are lines: while the loop runs, and of each epoch */
    FIGURES_ALL      /* and those of the report, one point each */
};

/* The charts of the Custom Scalars page that are there from the first value on. */
enum { CHART_RATE, CHART_PARTS, CHART_RATES, CHART_EPOCHS, CHARTS };

enum {
    ROWS_MAX = 256,  /* rows of a report with charts of their own */
    METRICS_MAX = 16 /* columns of the HParams page for the program's own metrics */
};

/* A value on its way into the event of its step. */
struct point {
    const struct tag_series *series;
    double value;
};

struct slot {
    int64_t step;
    double wall_s;
    uint64_t turn; /* from 1: how many steps it has been used for */
    size_t count;
    size_t room;
    struct point *point;
};

/* A run of ours is one of TensorBoard's, or with split_runs three. */
enum { ROOT, TRAIN, VALID, STREAMS };

/* One run of TensorBoard: a directory with our event file, made when it is first needed. */
struct stream {
    const char *sub; /* "train", "valid"; "": ROOT, the run itself */
    struct sw_tb *tb;
    bool given_up;   /* it could not be opened */
    char said[1024]; /* the last complaint */
    struct slot slot[SLOTS];
    struct tag_series_list series;
};

/* Durations of a row as the last epoch's report had them: reports count from the fit's begin. */
struct history {
    enum sw_phase phase;
    int action;
    size_t count;
    struct sw_bin *bin; /* edges in ticks */
};

/* A metric that is the axis of others, and its last value. */
struct axis {
    bool known; /* it has a value */
    double value;
};

/* A metric with an axis. Its points must not go back, so it leaves the axis for good when that has
 * a value that is not a step. */
struct on_axis {
    size_t axis;    /* number of its name */
    bool follows;   /* the axis is the step */
    int64_t last_x; /* of the axis */
};

/* A value of a resumed run that waits until the step is known at which the run resumes. */
struct early_point {
    struct stream *stream;
    const struct tag_series *series; /* of the stream */
    int64_t step;                    /* counted; SAMPLED: of a monitor */
    double wall_s, value;
};
#define SAMPLED INT64_C(-1)

/* A value of the summary: a number, or a text. */
struct summed {
    char *text;
    double value;
};

struct hparam {
    enum sw_tb_type type;
    double number;
    char *text;
};

struct tensorboard {
    const char *logdir; /* the options */
    const char *run;
    const char *suffix;
    int64_t flush_ns;
    const char *figures_name;
    bool histograms;
    bool text;
    bool hparams;
    bool layout;
    bool split_runs;
    struct swi_thinning thinning;

    struct sw_sink *sink;
    enum figures figures;
    char directory[4096]; /* of the run */
    int number;           /* of the directory, if others have its name; from 1 */
    struct claim *claim;  /* on the directory; NULL: none */
    struct stream stream[STREAMS];
    bool resumed;  /* the directory has event files of an earlier run */
    bool begun;    /* the first step is known */
    bool unmarked; /* values have steps that a restart marker of a training step would hide */
    int64_t first_step;
    int64_t sampled_step; /* of the last sample; -1: none */
    size_t held_count, held_room;
    struct early_point *held;
    size_t early_count, early_bytes;
    struct early_value *early; /* resume.h */
    int64_t last_step;         /* of a metric */
    struct swi_text alerts;    /* of the step alerts_step */
    int64_t alerts_step;
    int64_t flushed_ns;
    int64_t lost; /* reported so far */
    bool failing;
    bool repaired;

    int64_t mark_ns[SW_BUILTIN_ACTIONS]; /* when fit, epoch, train, valid began */
    int fit;
    int64_t epoch; /* of the fit: how many the last report had */
    size_t histories;
    struct history *history;
    bool has_chart[CHARTS]; /* it has a value */
    size_t bands;           /* tags of bands that have a value, without _p50 */
    char (*band)[TAG_MAX];
    bool charts_new; /* since the layout was written */

    struct swi_defined_rules rules;
    struct swi_map axis_names, on_axis_names, summary_names, hparam_names;
    struct axis *axis; /* these are by the number of the name */
    struct on_axis *on_axis;
    struct summed *summary;
    struct hparam *hparam;
    bool session; /* the hyper-parameters are written */
    bool late;    /* it was said that some came too late */
    bool experiment;
    bool unfinished; /* the last report is of a fit that was interrupted */
    size_t metrics;
    struct {
        const char *group;
        char tag[TAG_MAX];
    } metric[METRICS_MAX];
};

#endif
