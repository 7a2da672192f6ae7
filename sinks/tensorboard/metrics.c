/* SPDX-License-Identifier: MIT */
/* metrics.c - writes what arrives while the loop runs: metrics, and the marks of epochs. */

#include "sinks/tensorboard/tensorboard_sink.h"
#include "core/text/parts.h"

#include <string.h>

/* Joins two texts and cuts them off at size. A step has many tags, and printf would take most of
 * the time. */
static void join(char *tag, size_t size, const char *first, const char *second)
{
    size_t before = strlen(first), after = strlen(second);
    before = before < size ? before : size - 1;
    after = after < size - before ? after : size - before - 1;
    memcpy(tag, first, before);
    memcpy(tag + before, second, after);
    tag[before + after] = '\0';
}

/* With split_runs, the name of a metric tells its run ("train/loss" or "loss/train"), else the
 * place in the loop does. That part of the name is left out of the tag. */
struct stream *metrics_stream(struct tensorboard *t, const struct sw_record *record,
                              const char *name, char *tag, size_t size)
{
    static const struct {
        const char *word;
        enum sw_phase phase;
    } words[] = {{"train", SW_PHASE_TRAIN}, {"valid", SW_PHASE_VALID}, {"val", SW_PHASE_VALID}};
    join(tag, size, "", name);
    for (size_t i = 0; t->split_runs && i < sizeof words / sizeof *words; i++) {
        size_t word = strlen(words[i].word), length = strlen(tag);
        if (swi_begins(tag, words[i].word) && tag[word] == '/' && tag[word + 1])
            memmove(tag, tag + word + 1, length - word);
        else if (length > word + 1 && strcmp(tag + length - word, words[i].word) == 0 &&
                 tag[length - word - 1] == '/')
            tag[length - word - 1] = '\0';
        else
            continue;
        return event_stream_of(t, words[i].phase);
    }
    return event_stream_of(t, record->phase);
}

/* Returns the stream. tag: set. */
static struct stream *own_point(struct tensorboard *t, const struct sw_record *record,
                                const struct sw_metric *metric, char tag[TAG_MAX])
{
    struct stream *stream = metrics_stream(t, record, metric->name, tag, TAG_MAX);
    int64_t step = axes_step(t, record, metric->name);
    axes_describe(t, stream, record->wall_s, tag, metric->name);
    event_stream_describe(t, stream, record->wall_s, tag,
                          "Logged by the program, by its training step.");
    if (record->step_source == SW_STEP_COUNTED && step == record->step)
        resume_counted(t, stream, step, record->wall_s, tag, metric->value);
    else
        event_stream_point(t, stream, step, record->wall_s, tag, metric->value);
    return stream;
}

static void user_metric(struct tensorboard *t, const struct sw_record *record,
                        const struct sw_metric *metric)
{
    char tag[TAG_MAX];
    struct stream *stream = own_point(t, record, metric, tag);
    hparams_page_metric(t, stream, tag);
}

struct thinned_point {
    struct tensorboard *t;
    const struct sw_record *record;
};

static void thinned_point(void *arg, const struct sw_metric *metric)
{
    const struct thinned_point *of = arg;
    char tag[TAG_MAX];
    own_point(of->t, of->record, metric, tag);
}

static void describe(struct tensorboard *t, struct stream *stream, const struct sw_record *record,
                     const char *tag, const char *action)
{
    int64_t n = t->sink->run->rolling_average;
    if (strcmp(tag, GROUP_RATE "/draw") == 0)
        event_stream_describe(
            t, stream, record->wall_s, tag,
            "Samples per second that drawing batches costs (zero or negative), over "
            "the last %" PRId64 " training steps.",
            n);
    else if (swi_begins(tag, GROUP_RATE))
        event_stream_describe(
            t, stream, record->wall_s, tag,
            "Samples per second of `%s`: mean batch size over mean duration of the "
            "last %" PRId64 " training steps.",
            action, n);
    else
        event_stream_describe(t, stream, record->wall_s, tag,
                              "Duration of `%s` in milliseconds: mean over the last %" PRId64
                              " training steps.",
                              action, n);
}

/* The charts that show a figure. */
static void chart_of(struct tensorboard *t, bool is_rate, const char *action)
{
    bool step = strcmp(action, "step") == 0, batch = strcmp(action, "batch") == 0;
    bool whole = step || (batch && t->sink->run->mode == SW_MODE_SIMPLE);
    if (is_rate && (step || batch))
        charts_has(t, CHART_RATE);
    else if (is_rate)
        charts_has(t, CHART_RATES);
    else if (!whole)
        charts_has(t, CHART_PARTS);
}

/* What an action used of a counter: `counters/ACTION/NAME`. It is no metric of the program's, so it
 * is not one of its hyper-parameters' page either. */
static void counter_metric(struct tensorboard *t, const struct sw_record *record,
                           const struct sw_metric *metric)
{
    struct stream *stream = event_stream_of(t, SW_PHASE_TRAIN);
    if (t->figures == FIGURES_METRICS)
        return;
    event_stream_describe(t, stream, record->wall_s, metric->name,
                          "Used per training step: mean over the last %" PRId64 " of them.",
                          t->sink->run->rolling_average);
    event_stream_point(t, stream, record->step + 1, record->wall_s, metric->name, metric->value);
}

/* The step of the profiler's figures is the number of finished training steps, from which they were
 * computed. zero_grad processes no samples, and its rate would make the others look like straight
 * lines. */
static void profiler_metric(struct tensorboard *t, const struct sw_record *record,
                            const struct sw_metric *metric)
{
    static const char rate[] = "throughput/", time[] = "time_ms/";
    bool is_rate = swi_begins(metric->name, rate);
    if (swi_begins(metric->name, "counters/")) {
        counter_metric(t, record, metric);
        return;
    }
    if (!is_rate && !swi_begins(metric->name, time)) {
        user_metric(t, record, metric);
        return;
    }
    if (t->figures == FIGURES_METRICS)
        return;
    const char *action = strchr(metric->name, '/') + 1;
    if (is_rate && strcmp(action, "zero_grad") == 0)
        return;
    struct stream *stream = event_stream_of(t, SW_PHASE_TRAIN);
    char tag[TAG_MAX];
    join(tag, sizeof tag, is_rate ? GROUP_RATE "/" : GROUP_TIME "/", action);
    describe(t, stream, record, tag, action);
    event_stream_point(t, stream, record->step + 1, record->wall_s, tag, metric->value);
    chart_of(t, is_rate, action);
}

static void restart(struct tensorboard *t, const struct sw_record *record)
{
    for (int i = 0; i < STREAMS; i++) {
        event_stream_write(&t->stream[i], INT64_MAX);
        sw_tb_set_time(t->stream[i].tb, record->wall_s);
        if (!t->unmarked)
            sw_tb_start(t->stream[i].tb, record->step);
    }
    t->sampled_step = record->step - 1;
    sw_sink_say(t->sink, SW_NOTE,
                "the step went back from %" PRId64 " to %" PRId64
                ": charts drop the points from there on",
                t->last_step, record->step);
    t->last_step = record->step;
}

/* Values of other threads may arrive one step late; that is not a restart. */
void metrics_follow_step(struct tensorboard *t, const struct sw_record *record)
{
    if (record->step_source != SW_STEP_OF_LOOP)
        return;
    if (record->step + 1 < t->last_step)
        restart(t, record);
    if (record->step > t->last_step)
        t->last_step = record->step;
}

void metrics_record(struct tensorboard *t, const struct sw_record *record)
{
    bool of_loop = record->step_source == SW_STEP_OF_LOOP;
    hparams_page_begin(t, record->wall_s);
    metrics_follow_step(t, record);
    axes_follow(t, record);
    for (int i = 0; of_loop && i < STREAMS; i++)
        event_stream_write(&t->stream[i], record->step);
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->by == SW_BY_PROFILER)
            profiler_metric(t, record, metric);
        else
            user_metric(t, record, metric);
        swi_thinned_each(&t->thinning, record, i, thinned_point,
                         &(struct thinned_point){t, record});
    }
    charts_update(t, t->last_step + 1, record->wall_s);
}

/* ---- how long epochs take -------------------------------------------------------------------- */

static void duration(struct tensorboard *t, const struct sw_record *record, int action, double ms)
{
    enum sw_phase phase = action == SW_TRAIN   ? SW_PHASE_TRAIN
                          : action == SW_VALID ? SW_PHASE_VALID
                                               : SW_PHASE_FIT;
    struct stream *stream = event_stream_of(t, phase);
    const char *name = sw_record_region(record, 0)->action;
    char tag[TAG_MAX];
    snprintf(tag, sizeof tag, GROUP_EPOCH "/%s", event_stream_is_root(stream) ? name : "phase");
    event_stream_describe(t, stream, record->wall_s, tag,
                          "Duration of `%s` in each epoch, in milliseconds.", name);
    event_stream_point(t, stream, record->step + 1, record->wall_s, tag, ms);
    charts_has(t, CHART_EPOCHS);
}

void mark_record(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_region *region = sw_record_region(record, 0);
    int action = region->action_id;
    bool is_measured = action == SW_EPOCH || action == SW_TRAIN || action == SW_VALID;
    if (!is_measured || t->figures == FIGURES_METRICS)
        return;
    if (region->event == SW_REGION_BEGIN)
        t->mark_ns[action] = region->time_ns;
    else if (region->event == SW_REGION_END)
        duration(t, record, action, (double)(region->time_ns - t->mark_ns[action]) * 1e-6);
}
