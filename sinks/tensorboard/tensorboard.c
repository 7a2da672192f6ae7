/* SPDX-License-Identifier: MIT */
/* tensorboard - event files that the real TensorBoard shows: scalars while the loop runs,
 * histograms and bands of each epoch, the report as text, hyper-parameters, and a page of charts.
 * docs/tensorboard.md tells what becomes of what. */
#include "sinks/tensorboard/state.h"

#include <string.h>
#include <time.h>

static const struct sw_option options[] = {
    {.name = "logdir",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct tensorboard, logdir),
     .fallback = "runs",
     .help = "folder that tensorboard --logdir is given; the run is a folder in it"},
    {.name = "run",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct tensorboard, run),
     .fallback = "",
     .help = "name of the run, to be resumed where it is there already; DATE-TIME_HOST if not "
             "said"},
    {.name = "flush",
     .type = SW_OPTION_DURATION,
     .offset = offsetof(struct tensorboard, flush_ns),
     .fallback = "2s",
     .min = 0,
     .max = 3600,
     .help = "how long values wait in memory"},
    {.name = "histograms",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct tensorboard, histograms),
     .fallback = "true",
     .help = "durations of each action, for each epoch"},
    {.name = "text",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct tensorboard, text),
     .fallback = "true",
     .help = "the report as tables"},
    {.name = "hparams",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct tensorboard, hparams),
     .fallback = "true",
     .help = "what sw_config_* told, for the HParams page"},
    {.name = "layout",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct tensorboard, layout),
     .fallback = "true",
     .help = "charts of several lines and bands, for the Custom Scalars page"},
    {.name = "split_runs",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct tensorboard, split_runs),
     .fallback = "false",
     .help = "train and valid as runs RUN/train and RUN/valid with equal tags: two lines in one "
             "chart"},
    {.name = "filename_suffix",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct tensorboard, suffix),
     .fallback = "",
     .help = "end of the event files' names"},
    {.name = NULL},
};

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int tensorboard_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct tensorboard *t = state;
    t->sink = sink;
    t->train.sub = "train";
    t->valid.sub = "valid";
    t->root.sub = "";
    t->flushed_ns = monotonic_ns();
    int rc = place_open(t, err);
    if (rc < 0)
        return rc;
    if (!stream_tb(t, &t->root, sink->run->started_s)) {
        place_close(t);
        return sw_error_set(err, SW_EIO, "no event file could be made in %s", t->directory);
    }
    return 0;
}

/* ---- records ----------------------------------------------------------------------------------
 */

/* The first step that is heard of is where the run begins, or goes on. A mark has the last step
 * done, a metric its own. */
static void begin(struct tensorboard *t, const struct sw_record *record)
{
    bool has_step = record->type == SW_RECORD_MARK || record->type == SW_RECORD_METRICS ||
                    record->report != NULL;
    if (t->begun || !has_step)
        return;
    bool own = record->type == SW_RECORD_METRICS || record->step == 0;
    t->first_step = own ? record->step : record->step + 1;
    t->last_step = t->first_step;
    t->begun = true;
    sw_tb_start(stream_tb(t, &t->root, record->wall_s), t->first_step);
    charts_begin(t, record->wall_s);
}

static void epoch_done(struct tensorboard *t, const struct sw_record *record)
{
    session_begin(t, record->wall_s);
    epoch_record(t, record);
    session_experiment(t, record->wall_s);
}

static void fit_done(struct tensorboard *t, const struct sw_record *record)
{
    session_begin(t, record->wall_s);
    summary_record(t, record);
    session_experiment(t, record->wall_s);
}

static void run_done(struct tensorboard *t, const struct sw_record *record)
{
    session_begin(t, record->wall_s);
    session_experiment(t, record->wall_s);
    session_end(t, record);
}

/* A value that cannot be written fails no record: the sink would be given up after ten, and the
 * disk may have room again. flush() says what is wrong. */
static int tensorboard_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct tensorboard *t = state;
    (void)err;
    begin(t, record);
    switch (record->type) {
    case SW_RECORD_CONFIG:
        session_config(t, record->config);
        break;
    case SW_RECORD_METRICS:
        session_begin(t, record->wall_s);
        metrics_record(t, record);
        break;
    case SW_RECORD_MARK:
        mark_record(t, record);
        break;
    case SW_RECORD_EPOCH:
        epoch_done(t, record);
        break;
    case SW_RECORD_REPORT:
        fit_done(t, record);
        break;
    case SW_RECORD_END:
        run_done(t, record);
        break;
    default:
        break;
    }
    return 0;
}

/* ---- flush and close --------------------------------------------------------------------------
 */

/* Says a failure once, and once that it is over. */
static void complain(struct tensorboard *t, int rc, const struct sw_error *err)
{
    if (rc == 0 && t->failing)
        sw_sink_say(t->sink, SW_NOTE, "the event file can be written again");
    if (rc < 0 && strncmp(t->said, err->text, sizeof t->said - 1) != 0) {
        sw_sink_say(t->sink, SW_WARNING, "%s", err->text);
        snprintf(t->said, sizeof t->said, "%.*s", (int)sizeof t->said - 1, err->text);
    }
    t->failing = rc == SW_EIO;
}

static void count(struct tensorboard *t, const struct stream *const *streams)
{
    int64_t lost = 0, repaired = 0;
    struct sw_tb_stats stats;
    for (size_t i = 0; i < 3; i++) {
        sw_tb_stats(streams[i]->tb, &stats);
        lost += stats.lost;
        repaired += stats.repaired;
    }
    if (lost > t->lost)
        sw_sink_lost(t->sink, lost - t->lost);
    t->lost = lost;
    if (repaired > 0 && !t->repaired)
        sw_sink_say(t->sink, SW_WARNING,
                    "a name or text is empty or not UTF-8: it is shown as \"unnamed\", or with "
                    "its bytes as \\xNN");
    t->repaired |= repaired > 0;
}

static int flush_all(struct tensorboard *t)
{
    struct stream *const streams[] = {&t->root, &t->train, &t->valid};
    struct sw_error err = {0}, worst = {0};
    int rc = 0;
    for (size_t i = 0; i < 3; i++) {
        stream_write(streams[i], INT64_MAX);
        int one = sw_tb_flush(streams[i]->tb, &err);
        if (one < 0 && rc == 0) {
            rc = one;
            worst = err;
        }
    }
    complain(t, rc, &worst);
    count(t, (const struct stream *const *)streams);
    t->flushed_ns = monotonic_ns();
    return 0;
}

static int tensorboard_flush(void *state, struct sw_error *err)
{
    struct tensorboard *t = state;
    (void)err;
    return monotonic_ns() - t->flushed_ns >= t->flush_ns ? flush_all(t) : 0;
}

/* Records that the disk did not take to the last. */
static int64_t waiting(const struct tensorboard *t)
{
    const struct stream *const streams[] = {&t->root, &t->train, &t->valid};
    struct sw_tb_stats stats;
    int64_t sum = 0;
    for (size_t i = 0; i < 3; i++) {
        sw_tb_stats(streams[i]->tb, &stats);
        sum += stats.waiting;
    }
    return sum;
}

static int tensorboard_close(void *state, struct sw_error *err)
{
    struct tensorboard *t = state;
    flush_all(t);
    sw_sink_lost(t->sink, waiting(t));
    stream_close(&t->root, err);
    stream_close(&t->train, err);
    stream_close(&t->valid, err);
    place_close(t);
    epoch_fini(t);
    session_fini(t);
    return err->code;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "tensorboard",
    .version = "1.0",
    .license = "MIT",
    .summary = "event files for TensorBoard: charts, histograms, report, hyper-parameters",
    .wants = SW_WANT(SW_RECORD_CONFIG) | SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_MARK) |
             SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_END),
    .queue = SW_QUEUE_DROP_NEWEST,
    .options = options,
    .state_size = sizeof(struct tensorboard),
    .open = tensorboard_open,
    .record = tensorboard_record,
    .flush = tensorboard_flush,
    .close = tensorboard_close,
};
