/* SPDX-License-Identifier: MIT */
/* tensorboard - writes event files for TensorBoard: scalars while the loop runs, histograms and
 * bands of each epoch, the report as text, hyper-parameters, and a page of charts.
 * docs/tensorboard.md describes what goes where. */
#include "sinks/tensorboard/tensorboard_sink.h"

#include "core/clock/now.h"
#include "core/text/escape.h"
#include "sinks/common/report_output.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/sample_names.h"
#include "sinks/common/value_table.h"

#include <math.h>
#include <string.h>

/* ---- the report of all ranks of a distributed run, as text and as scalars -------------------- */

static void figure(struct tensorboard *t, const struct sw_record *record, const char *tag,
                   const char *about, const char *action, double value)
{
    if (!isfinite(value))
        return;
    event_stream_describe(t, &t->stream[ROOT], record->wall_s, tag, about, action);
    event_stream_point(t, &t->stream[ROOT], record->ranks->step, record->wall_s, tag, value);
}

static void row_figures(struct tensorboard *t, const struct sw_record *record,
                        const struct sw_ranks_row *row)
{
    char tag[TAG_MAX];
    snprintf(tag, sizeof tag, GROUP_RANKS "/%s_%s_imbalance_percent", row->phase, row->action);
    figure(t, record, tag,
           "How much more total time the slowest rank has in `%s` than the mean of all ranks.",
           row->action, 100 * row->imbalance);
}

static void figures_write(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_ranks *ranks = record->ranks;
    for (size_t i = 0; i < ranks->count && i < ROWS_MAX; i++)
        if (sw_ranks_row_at(ranks, i)->phase_id == SW_PHASE_TRAIN)
            row_figures(t, record, sw_ranks_row_at(ranks, i));
    figure(t, record, GROUP_RANKS "/lost_percent",
           "Share of the time that perfect balance of the ranks would save%s.", "",
           100 * ranks->lost);
    figure(t, record, GROUP_RANKS "/communication_percent",
           "Share of the time that even the last rank waits for others%s.", "",
           100 * ranks->communication);
}

/* Each line of the notes becomes a paragraph. */
static void notes_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    SWI_FREED struct swi_text notes = {0};
    swi_ranks_notes(&notes, ranks, swi_escape_markdown, true);
    for (const char *c = notes.data ? notes.data : ""; *c; c++) {
        swi_text_add(text, c, 1);
        swi_text_put(text, *c == '\n' ? "\n" : "");
    }
    text->failed |= notes.failed;
}

static void text_write(struct tensorboard *t, const struct sw_record *record)
{
    struct swi_text text = {0};
    struct sw_report report;
    if (swi_ranks_report_init(&report, record->ranks))
        swi_markdown_report(&text, &report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    else
        text.failed = true;
    swi_ranks_report_fini(&report);
    swi_text_put(&text, "\n");
    notes_add(&text, record->ranks);
    event_stream_text(t, record->wall_s, "all_ranks", "The report of all ranks.",
                      record->ranks->step, &text);
}

static void all_ranks_record(struct tensorboard *t, const struct sw_record *record)
{
    if (t->figures == FIGURES_ALL)
        figures_write(t, record);
    if (t->text && record->ranks->complete)
        text_write(t, record);
}

/* ---- the state of the sink, which its parts share -------------------------------------------- */

/* Bytes of the alerts of one step that are shown together. */
enum { ALERTS_MAX = 32 << 10 };

static const struct sw_option options[] = {
    SWI_OPTION(PATH, struct tensorboard, logdir,
               "folder for tensorboard --logdir; the run is a folder in it", .fallback = "runs"),
    SWI_OPTION(SUBPATH, struct tensorboard, run,
               "name of the run (default: DATE-TIME_HOST); an existing run is resumed",
               .fallback = ""),
    SWI_OPTION_NAMED("flush", DURATION, struct tensorboard, flush_ns,
                     "how long values may stay in memory before they are written", .fallback = "2s",
                     .min = 0, .max = 3600),
    SWI_OPTION_NAMED(
        "figures", CHOICE, struct tensorboard, figures_name,
        "metrics: only the program's own values; rolling: also throughput and durations, as "
        "rolling averages and for each epoch; all: also the figures of the report, one point each",
        .fallback = "all", .choices = "metrics|rolling|all"),
    SWI_OPTION(BOOL, struct tensorboard, histograms,
               "histograms of the durations of each action, for each epoch", .fallback = "true"),
    SWI_OPTION(BOOL, struct tensorboard, text, "write the report as tables", .fallback = "true"),
    SWI_OPTION(BOOL, struct tensorboard, hparams,
               "write hyper-parameters (sw_hparam_*) for the HParams page", .fallback = "true"),
    SWI_OPTION(BOOL, struct tensorboard, layout,
               "write charts with several lines or with bands for the Custom Scalars page",
               .fallback = "true"),
    SWI_OPTION(BOOL, struct tensorboard, split_runs,
               "write train and valid as the runs RUN/train and RUN/valid with the same tags: two "
               "lines in one chart",
               .fallback = "false"),
    SWI_OPTION_NAMED("filename_suffix", NAME, struct tensorboard, suffix,
                     "suffix of the event files' names", .fallback = ""),
    SWI_THINNING_OPTIONS(struct tensorboard, thinning,
                         "keep the newest steps, in several event files; of the oldest, "
                         "only results are kept"),
    {.name = NULL},
};

static enum figures figures_of(const char *name)
{
    return strcmp(name, "metrics") == 0   ? FIGURES_METRICS
           : strcmp(name, "rolling") == 0 ? FIGURES_ROLLING
                                          : FIGURES_ALL;
}

static void tensorboard_check(const void *state, struct sw_sink_check *check)
{
    const struct tensorboard *t = state;
    swi_thinning_check(&t->thinning, check);
}

static int tensorboard_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct tensorboard *t = state;
    t->sink = sink;
    t->stream[ROOT].sub = "";
    t->stream[TRAIN].sub = "train";
    t->stream[VALID].sub = "valid";
    t->figures = figures_of(t->figures_name);
    t->flushed_ns = swi_now_ns();
    t->sampled_step = -1;
    int rc = run_directory_open(t, err);
    if (rc < 0)
        return rc;
    rotation_begin(t);
    rc = event_stream_open(t, &t->stream[ROOT], sink->run->started_s, err);
    if (rc < 0) {
        run_directory_leave(t);
    } else {
        run_directory_say(t);
        swi_thinning_begin(&t->thinning, sink, t->directory);
    }
    return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

static void epoch_done(struct tensorboard *t, const struct sw_record *record)
{
    hparams_page_begin(t, record->wall_s);
    epoch_record(t, record);
    hparams_page_experiment(t, record->wall_s);
}

static void fit_done(struct tensorboard *t, const struct sw_record *record)
{
    hparams_page_begin(t, record->wall_s);
    summary_record(t, record);
    hparams_page_experiment(t, record->wall_s);
}

static void run_done(struct tensorboard *t, const struct sw_record *record)
{
    hparams_page_begin(t, record->wall_s);
    hparams_page_experiment(t, record->wall_s);
    rich_summary_write(t, record);
    hparams_page_end(t, record);
}

/* Of a step, TensorBoard shows only the last text of a tag: that must have all alerts of the step.
 */
static void alert_record(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_alert *alert = record->alert;
    struct swi_text *text = &t->alerts;
    if (record->step != t->alerts_step || text->size > ALERTS_MAX)
        text->size = 0;
    t->alerts_step = record->step;
    swi_text_format(text, "%s**%s** ", text->size ? "\n\n" : "", swi_level_word(alert->level));
    swi_escape_markdown(text, alert->title);
    swi_text_format(text, "%s%s", *alert->text ? ": " : "", alert->text);
    if (text->failed)
        swi_text_free(text);
    else
        resume_rich(t, &t->stream[ROOT], record->step, record->wall_s, "alerts",
                    &(struct rich){.text = text->data});
}

static void (*const of_type[])(struct tensorboard *t, const struct sw_record *record) = {
    [SW_RECORD_HPARAM] = hparams_page_config,
    [SW_RECORD_METRICS] = metrics_record,
    [SW_RECORD_MARK] = mark_record,
    [SW_RECORD_EPOCH] = epoch_done,
    [SW_RECORD_REPORT] = fit_done,
    [SW_RECORD_RANKS] = all_ranks_record,
    [SW_RECORD_ALERT] = alert_record,
    [SW_RECORD_VALUE] = rich_value_record,
    [SW_RECORD_RULE] = axes_rule,
    [SW_RECORD_SUMMARY] = rich_summary_record,
    [SW_RECORD_END] = run_done};

/* If a value cannot be written, the record still succeeds: the sink would be stopped after ten
 * failures, and the disk may have room again later. flush() reports what is wrong. */
static int record_write(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct tensorboard *t = state;
    bool known = (size_t)record->type < sizeof of_type / sizeof *of_type;
    (void)err;
    if (swi_is_sample(record)) {
        resume_sample(t, record);
        return 0;
    }
    resume_follow(t, record);
    if (known && of_type[record->type])
        of_type[record->type](t, record);
    return 0;
}

/* Adds up the statistics of all streams' writers. */
static struct sw_tb_stats stats_of(const struct tensorboard *t)
{
    struct sw_tb_stats sum = {0}, one;
    for (int i = 0; i < STREAMS; i++) {
        sw_tb_stats(t->stream[i].tb, &one);
        sum.bytes += one.bytes;
        sum.lost += one.lost;
        sum.waiting += one.waiting;
        sum.repaired += one.repaired;
    }
    return sum;
}

static int tensorboard_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct tensorboard *t = state;
    int rc = swi_thinning_record(&t->thinning, record, record_write, t, err);
    if (t->thinning.max_size)
        t->thinning.bytes = stats_of(t).bytes;
    rotation_follow(t);
    return rc;
}

/* ---- flush and close ------------------------------------------------------------------------- */

/* Reports each problem of a stream's writer. A disk that is still full is not reported again. */
static void complain(struct tensorboard *t, struct stream *stream, const struct sw_error *err)
{
    for (const char *line = sw_error_text(err); *line;) {
        char text[sizeof stream->said];
        size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        if (strcmp(text, stream->said) != 0)
            sw_sink_say(t->sink, SW_WARNING, "%s", text);
        memcpy(stream->said, text, sizeof text);
        line += length + (line[length] == '\n');
    }
}

/* Reports that a disk has room again. */
static void follow_waiting(struct tensorboard *t, int64_t waiting)
{
    if (t->failing && waiting == 0)
        sw_sink_say(t->sink, SW_NOTE, "the event file can be written again");
    t->failing = waiting > 0;
}

static void count(struct tensorboard *t)
{
    struct sw_tb_stats stats = stats_of(t);
    follow_waiting(t, stats.waiting);
    if (stats.lost > t->lost)
        sw_sink_lost(t->sink, stats.lost - t->lost);
    t->lost = stats.lost;
    if (stats.repaired > 0 && !t->repaired)
        sw_sink_say(t->sink, SW_WARNING,
                    "a name or text is empty or not UTF-8: it is shown as \"unnamed\", or with "
                    "its bytes as \\xNN");
    t->repaired |= stats.repaired > 0;
}

static void flush_all(struct tensorboard *t)
{
    SW_ERROR_SCOPE(err);
    for (int i = 0; i < STREAMS; i++) {
        event_stream_write(&t->stream[i], INT64_MAX);
        if (sw_tb_flush(t->stream[i].tb, &err) < 0)
            complain(t, &t->stream[i], &err);
        sw_error_free(&err);
    }
    count(t);
    t->flushed_ns = swi_now_ns();
}

static int tensorboard_flush(void *state, struct sw_error *err)
{
    struct tensorboard *t = state;
    (void)err;
    if (swi_now_ns() - t->flushed_ns >= t->flush_ns)
        flush_all(t);
    return 0;
}

static int tensorboard_close(void *state, struct sw_error *err)
{
    struct tensorboard *t = state;
    SW_ERROR_SCOPE(ignored);
    swi_thinning_end(&t->thinning, record_write, t, &ignored);
    resume_end(t);
    flush_all(t);
    /* The disk never took these. */
    sw_sink_lost(t->sink, stats_of(t).waiting);
    for (int i = 0; i < STREAMS; i++)
        event_stream_close(&t->stream[i], err);
    rotation_end(t);
    run_directory_close(t);
    axes_fini(t);
    resume_fini(t);
    rich_summary_fini(t);
    swi_text_free(&t->alerts);
    epoch_fini(t);
    charts_fini(t);
    hparams_page_fini(t);
    return err->code;
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "tensorboard",
    .version = "1.0",
    .license = "MIT",
    .summary = "event files for TensorBoard: charts, histograms, report, hyper-parameters",
    .wants = SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_MONITOR) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) |
             SW_WANT(SW_RECORD_RANKS) | SW_WANT(SW_RECORD_ALERT) | SW_WANT(SW_RECORD_FINDINGS) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_RULE) |
             SW_WANT(SW_RECORD_SUMMARY),
    .values = SW_WANT_VALUE(SW_VALUE_TEXT) | SW_WANT_VALUE(SW_VALUE_TABLE) |
              SW_WANT_VALUE(SW_VALUE_HISTOGRAM) | SW_WANT_VALUE(SW_VALUE_IMAGES),
    .queue = SW_QUEUE_DROP_NEWEST,
    .options = options,
    .state_size = sizeof(struct tensorboard),
    .open = tensorboard_open,
    .record = tensorboard_record,
    .flush = tensorboard_flush,
    .close = tensorboard_close,
    .check = tensorboard_check,
};
