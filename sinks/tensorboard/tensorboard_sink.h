/* SPDX-License-Identifier: MIT */
/* tensorboard_sink.h - the state of the sink, which its parts share. */
#ifndef SINKS_TENSORBOARD_TENSORBOARD_SINK_H
#define SINKS_TENSORBOARD_TENSORBOARD_SINK_H

#include "core/text/buffer.h"
#include "core/text/map.h"
#include "sinks/common/defined_rules.h"
#include "sinks/common/thinning.h"
#include "sinks/tensorboard/writer/writer.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>
#include <stepwatch/tensorboard.h>

/* ---- event_stream.c: the tags of a stream ---------------------------------------------------- */

enum {
    TAG_MAX = 320, /* bytes of a tag: an action's or a metric's name has 255 at most */
    SLOTS = 4      /* steps whose values are still being collected */
};

/* A tag, and where its value is in each step that is being collected. */
struct tag_series {
    const char *tag;      /* the map's */
    bool described;       /* the writer knows it, so it needs no description */
    uint64_t turn[SLOTS]; /* of the slot when it had this tag last */
    size_t place[SLOTS];  /* in that turn of the slot */
};

/* Initialise it as {0}. */
struct tag_series_list {
    struct swi_map tags;
    struct tag_series **item; /* by the number of the tag */
};

/* ---- tensorboard_sink.c ---------------------------------------------------------------------- */

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

/* An event file that is complete, of a run that rotates. */
struct complete_file {
    struct stream *stream;
    char *path;
    int64_t bytes;
};

/* The files of when_full: rotate, except the one of each stream that is being written. */
struct rotation {
    struct complete_file *file; /* the oldest first */
    size_t count, room;
    int64_t bytes;                         /* of them */
    struct complete_file results[STREAMS]; /* the first files: what is kept of removed ones */
    bool copies;                           /* what is kept of the oldest file is being copied */
    struct swi_tb_copy copy;
    char part[4096 + 32]; /* path of the copy */
    bool failed;          /* this time, nothing could be copied */
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

/* A value of the summary: a number, or a text. */
struct summed {
    char *text;
    double value;
};

/* The locked file in the run's folder. */
struct claim {
    bool held;
    int fd;
    struct swi_identity identity;
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
    struct rotation rotation;

    struct sw_sink *sink;
    enum figures figures;
    char directory[4096]; /* of the run */
    int number;           /* of the directory, if others have its name; from 1 */
    struct claim claim;
    struct stream stream[STREAMS];
    bool resumed;  /* the directory has event files of an earlier run */
    bool begun;    /* the first step is known */
    bool unmarked; /* values have steps that a restart marker of a training step would hide */
    int64_t first_step;
    int64_t sampled_step; /* of the last sample; -1: none */
    size_t early_count, early_room, early_rich, early_bytes;
    struct early_value *early; /* resume.c: values that wait until the first step is known */
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
    struct sw_tb_hparam *hparam; /* their texts are ours */
    bool session;                /* the hyper-parameters are written */
    bool late;                   /* it was said that some came too late */
    bool experiment;
    bool unfinished; /* the last report is of a fit that was interrupted */
    size_t metrics;
    struct {
        const char *group;
        char tag[TAG_MAX];
    } metric[METRICS_MAX];
};

/* ---- run_directory.c ------------------------------------------------------------------------- */

/* Chooses and makes the run's directory, and claims it for this process. */
int run_directory_open(struct tensorboard *t, struct sw_error *err);
/* Says where the run is, once: in the warning if there is one. */
void run_directory_say(struct tensorboard *t);
void run_directory_close(struct tensorboard *t);
/* The same if nothing could be written: the directory is removed. */
void run_directory_leave(struct tensorboard *t);

/* ---- rotation.c ------------------------------------------------------------------------------ */

/* The end of what the files of such a run say that they are written by. */
#define ROTATED " rotate"

/* Finds the files that earlier processes have left, before the first one is opened. */
void rotation_begin(struct tensorboard *t);
/* After each record: begins another file, and removes the oldest bit by bit. */
void rotation_follow(struct tensorboard *t);
/* Removes what is still too much. */
void rotation_end(struct tensorboard *t);

/* ---- metrics.c ------------------------------------------------------------------------------- */

/* The stream of a value by its name, and the tag that it has there. */
struct stream *metrics_stream(struct tensorboard *t, const struct sw_record *record,
                              const char *name, char *tag, size_t size);
/* Notices that the step went back. */
void metrics_follow_step(struct tensorboard *t, const struct sw_record *record);
void metrics_record(struct tensorboard *t, const struct sw_record *record);
void mark_record(struct tensorboard *t, const struct sw_record *record);

/* ---- axes.c ---------------------------------------------------------------------------------- */

void axes_rule(struct tensorboard *t, const struct sw_record *record);

/* Before the points of a record are written: values of axes are those of the record. */
void axes_follow(struct tensorboard *t, const struct sw_record *record);

/* The step of a value of this name: that of the record, or the last value of its axis. Call it once
 * for each value. */
int64_t axes_step(struct tensorboard *t, const struct sw_record *record, const char *name);

/* Describes a tag by its rule, if there is one and the tag has no value yet. */
void axes_describe(struct tensorboard *t, struct stream *stream, double wall_s, const char *tag,
                   const char *name);

void axes_fini(struct tensorboard *t);

/* ---- pages.c --------------------------------------------------------------------------------- */

/* One of CHART_… has a value, or the band with this tag (without _p50). A chart without any is not
 * shown. */
void charts_has(struct tensorboard *t, int chart);
void charts_has_band(struct tensorboard *t, const char *band);
/* Writes the layout, if there are new charts. */
void charts_update(struct tensorboard *t, int64_t step, double wall_s);
void charts_fini(struct tensorboard *t);

/* ---- reports.c ------------------------------------------------------------------------------- */

void epoch_record(struct tensorboard *t, const struct sw_record *record);
void epoch_fini(struct tensorboard *t);
void summary_record(struct tensorboard *t, const struct sw_record *record);

/* ---- pages.c: HParams ------------------------------------------------------------------------ */

void hparams_page_config(struct tensorboard *t, const struct sw_record *record);
void hparams_page_begin(struct tensorboard *t, double wall_s);
void hparams_page_metric(struct tensorboard *t, const struct stream *stream, const char *tag);
void hparams_page_experiment(struct tensorboard *t, double wall_s);
void hparams_page_end(struct tensorboard *t, const struct sw_record *record);
void hparams_page_fini(struct tensorboard *t);

/* ---- rich_values.c --------------------------------------------------------------------------- */

void rich_value_record(struct tensorboard *t, const struct sw_record *record);

/* Keeps a value of the summary until the run ends. */
void rich_summary_record(struct tensorboard *t, const struct sw_record *record);
void rich_summary_write(struct tensorboard *t, const struct sw_record *record);
void rich_summary_fini(struct tensorboard *t);

/* ---- event_stream.c -------------------------------------------------------------------------- */

/* Returns the series of a tag, which stays where it is; NULL if out of memory. */
struct tag_series *tag_series_get(struct tag_series_list *list, const char *tag);

/* The folder of its files. */
void event_stream_directory(const struct tensorboard *t, const struct stream *stream,
                            char *directory, size_t size);
/* Makes the event file of a stream. */
int event_stream_open(struct tensorboard *t, struct stream *stream, double wall_s,
                      struct sw_error *err);
/* Marks in a new file where the run begins or resumes, if that is known. */
void event_stream_first(const struct tensorboard *t, struct sw_tb *tb);
/* The writer of a stream, opened if it was not; NULL when that failed, which is said. */
struct sw_tb *event_stream_tb(struct tensorboard *t, struct stream *stream, double wall_s);
/* The stream of a phase: one of its own with split_runs. */
struct stream *event_stream_of(struct tensorboard *t, enum sw_phase phase);
/* Returns whether it is the run itself: a tag there says its phase. */
bool event_stream_is_root(const struct stream *stream);
/* A value for the event of its step. */
void event_stream_point(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                        const char *tag, double value);
/* A value that is an event of its own, however many its step has. */
void event_stream_alone(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                        const char *tag, double value);
/* Describes a tag that has no value yet. */
__attribute__((format(printf, 5, 6))) void event_stream_describe(struct tensorboard *t,
                                                                 struct stream *stream,
                                                                 double wall_s, const char *tag,
                                                                 const char *format, ...);
/* Writes a text of the run itself, and frees it. */
void event_stream_text(struct tensorboard *t, double wall_s, const char *tag, const char *about,
                       int64_t step, struct swi_text *text);
/* Writes the events of all steps below this one. */
void event_stream_write(struct stream *stream, int64_t below);
/* Writes and closes; err keeps the first failure of several. */
void event_stream_close(struct stream *stream, struct sw_error *err);

/* ---- resume.c -------------------------------------------------------------------------------- */

/* A value that is not a number, as the event files have it: a text, or bins, or images. */
struct rich {
    char *text;
    struct sw_bin *bin;
    struct sw_tb_blob *image;
    size_t count; /* of bins or images */
    int width, height;
};

/* Writes one. */
void rich_write(struct sw_tb *tb, const char *tag, int64_t step, const struct rich *rich);

/* Learns the first step from a record that is not a sample. Call it before the record is written.
 */
void resume_follow(struct tensorboard *t, const struct sw_record *record);

/* A value that was counted, because no training step had begun. */
void resume_counted(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                    const char *tag, double value);

/* A value that is not a number, and has no step of the loop or of its own. */
void resume_rich(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                 const char *tag, const struct rich *rich);

/* A sample of monitors: its tags are shown once for each step, so it gets a step that no other
 * sample has. That is the training step unless another one has it. */
void resume_sample(struct tensorboard *t, const struct sw_record *record);

/* Writes what waits, at the end of a run without a training step. */
void resume_end(struct tensorboard *t);

void resume_fini(struct tensorboard *t);

#endif
