/* SPDX-License-Identifier: MIT */
/* resume.c - where a run resumes, TensorBoard hides the points of earlier runs from that step on:
 * its default loader those of each tag that gets a new one, the slower loader those of all tags, at
 * a marker in the file. Values that come before the program has said where it resumes have no step
 * yet. At step 0, they would hide everything. So they wait, if the directory has an earlier run. */

#include "core/text/vec.h"
#include "sinks/tensorboard/tensorboard_sink.h"

#include <stdlib.h>
#include <string.h>

/* ---- values that wait ------------------------------------------------------------------------ */

/* What a program logs before its first training step is little: a validation of the checkpoint. A
 * run that has more numbers than this before it may have no step. */
enum { NUMBERS_MAX = 1024, RICH_MAX = 1024, BYTES_MAX = 16 << 20 };

#define SAMPLED INT64_C(-1)

struct early_value {
    struct stream *stream;
    const struct tag_series *series; /* of the stream */
    int64_t step;                    /* counted; SAMPLED: of a monitor */
    double wall_s;
    double number;
    bool is_rich;
    struct rich rich; /* in place of the number */
};

static void rich_free(struct rich *rich)
{
    for (size_t i = 0; rich->image && i < rich->count; i++)
        free((void *)(uintptr_t)rich->image[i].data);
    free(rich->image);
    free(rich->bin);
    free(rich->text);
}

static size_t rich_bytes(const struct rich *rich)
{
    size_t bytes = rich->text ? strlen(rich->text) : rich->count * sizeof *rich->bin;
    for (size_t i = 0; rich->image && i < rich->count; i++)
        bytes += rich->image[i].size;
    return bytes;
}

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size + 1);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

static bool images_copy(struct rich *copy, const struct rich *rich)
{
    copy->image = calloc(rich->count + 1, sizeof *copy->image);
    for (size_t i = 0; copy->image && i < rich->count; i++) {
        copy->image[i].size = rich->image[i].size;
        if (!(copy->image[i].data = copy_of(rich->image[i].data, rich->image[i].size)))
            return false;
    }
    return copy->image;
}

static bool rich_copy(struct rich *copy, const struct rich *rich)
{
    *copy = (struct rich){.count = rich->count, .width = rich->width, .height = rich->height};
    if (rich->text)
        return (copy->text = strdup(rich->text));
    if (rich->image)
        return images_copy(copy, rich);
    return (copy->bin = copy_of(rich->bin, rich->count * sizeof *rich->bin));
}

/* Keeps a number, or a copy of something rich. Returns false if out of memory. */
static bool early_keep(struct tensorboard *t, const struct early_value *value, const char *tag)
{
    struct tag_series *series = tag_series_get(&value->stream->series, tag);
    if (!series || !swi_vec_grow(&t->early, t->early_count, &t->early_room, sizeof *t->early))
        return false;
    struct early_value *early = &t->early[t->early_count];
    *early = *value;
    early->series = series;
    if (early->is_rich && !rich_copy(&early->rich, &value->rich)) {
        rich_free(&early->rich);
        return false;
    }
    t->early_count++;
    t->early_rich += early->is_rich;
    t->early_bytes += early->is_rich ? rich_bytes(&early->rich) : 0;
    return true;
}

static void early_forget(struct tensorboard *t)
{
    for (size_t i = 0; i < t->early_count; i++)
        if (t->early[i].is_rich)
            rich_free(&t->early[i].rich);
    t->early_count = t->early_rich = t->early_bytes = 0;
}

void rich_write(struct sw_tb *tb, const char *tag, int64_t step, const struct rich *rich)
{
    if (rich->text)
        sw_tb_text(tb, tag, step, rich->text);
    else if (rich->image)
        sw_tb_images(tb, tag, step, rich->width, rich->height, rich->image, rich->count);
    else
        sw_tb_histogram(tb, tag, step, rich->bin, rich->count);
}

/* ---- the step at which a run begins or resumes ----------------------------------------------- */

static bool waits(const struct tensorboard *t)
{
    return t->resumed && !t->begun;
}

/* ---- samples --------------------------------------------------------------------------------- */

static void sample_begin(struct tensorboard *t, int64_t step)
{
    t->sampled_step = step > t->sampled_step ? step : t->sampled_step + 1;
}

/* ---- values that have waited ----------------------------------------------------------------- */

/* Writes those that were counted, numbers or rich ones. shift: added to their steps, which begin at
 * 0. */
static void counted_write(struct tensorboard *t, bool rich, int64_t shift)
{
    for (size_t i = 0; i < t->early_count; i++) {
        const struct early_value *early = &t->early[i];
        int64_t step = early->step + shift > 0 ? early->step + shift : 0;
        if (early->step == SAMPLED || early->is_rich != rich)
            continue;
        struct sw_tb *tb = rich ? event_stream_tb(t, early->stream, early->wall_s) : NULL;
        if (tb)
            rich_write(tb, early->series->tag, step, &early->rich);
        else if (!rich)
            event_stream_point(t, early->stream, step, early->wall_s, early->series->tag,
                               early->number);
    }
}

static void sampled_write(struct tensorboard *t)
{
    double wall_s = -1;
    for (size_t i = 0; i < t->early_count; i++) {
        const struct early_value *early = &t->early[i];
        if (early->step != SAMPLED)
            continue;
        if (early->wall_s != wall_s)
            sample_begin(t, t->first_step);
        wall_s = early->wall_s;
        event_stream_alone(t, early->stream, t->sampled_step, wall_s, early->series->tag,
                           early->number);
    }
}

/* The run begins or continues with this step. */
static void begin(struct tensorboard *t, int64_t step, double wall_s)
{
    int64_t last = 0;
    t->first_step = t->last_step = step;
    t->begun = true;
    event_stream_first(t, event_stream_tb(t, &t->stream[ROOT], wall_s));
    for (size_t i = 0; i < t->early_count; i++)
        last = t->early[i].step > last ? t->early[i].step : last;
    /* The last one belongs to the step before the first, as in a validation. */
    int64_t shift = step ? step - 1 - last : 0;
    counted_write(t, false, shift);
    counted_write(t, true, shift);
    sampled_write(t);
    early_forget(t);
}

static void hold(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                 const char *tag, double value)
{
    const struct early_value early = {
        .stream = stream, .step = step, .wall_s = wall_s, .number = value};
    if (!early_keep(t, &early, tag))
        sw_sink_lost(t->sink, 1);
    else if (t->early_count - t->early_rich == NUMBERS_MAX)
        begin(t, 0, wall_s);
}

void resume_counted(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                    const char *tag, double value)
{
    if (waits(t))
        hold(t, stream, step, wall_s, tag, value);
    else
        event_stream_point(t, stream, step, wall_s, tag, value);
}

void resume_rich(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                 const char *tag, const struct rich *rich)
{
    const struct early_value early = {
        .stream = stream, .step = step, .wall_s = wall_s, .is_rich = true, .rich = *rich};
    bool fits = t->early_rich < RICH_MAX && rich_bytes(rich) <= BYTES_MAX - t->early_bytes;
    if (waits(t) && fits && early_keep(t, &early, tag))
        return;
    if (waits(t))
        begin(t, 0, wall_s);
    struct sw_tb *tb = event_stream_tb(t, stream, wall_s);
    if (tb)
        rich_write(tb, tag, step, rich);
}

void resume_sample(struct tensorboard *t, const struct sw_record *record)
{
    struct stream *stream = &t->stream[ROOT];
    bool wait = waits(t);
    if (!wait)
        sample_begin(t, record->step);
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        event_stream_describe(t, stream, record->wall_s, metric->name, "Measured by a monitor.");
        if (wait)
            hold(t, stream, SAMPLED, record->wall_s, metric->name, metric->value);
        else
            event_stream_alone(t, stream, t->sampled_step, record->wall_s, metric->name,
                               metric->value);
    }
}

/* ---- the first step -------------------------------------------------------------------------- */

/* Returns the first step as a record tells it; -1: it does not. A mark has the last finished step;
 * a metric, a value and an alert have their own. Where an earlier run ended is not step 0, until a
 * step is there. */
static int64_t first_step(const struct tensorboard *t, const struct sw_record *record)
{
    bool none = t->resumed && record->step == 0;
    switch (record->type) {
    case SW_RECORD_METRICS:
    case SW_RECORD_VALUE:
        if (record->step_source != SW_STEP_OF_LOOP)
            return t->resumed ? -1 : 0;
        return record->step;
    case SW_RECORD_ALERT:
        return none ? -1 : record->step;
    case SW_RECORD_MARK:
        return none ? -1 : record->step ? record->step + 1 : 0;
    default:
        return !record->report ? -1 : record->step ? record->step + 1 : 0;
    }
}

void resume_follow(struct tensorboard *t, const struct sw_record *record)
{
    t->unmarked |= record->step_source == SW_STEP_GIVEN;
    int64_t first = t->begun ? -1 : first_step(t, record);
    if (first >= 0)
        begin(t, first, record->wall_s);
}

void resume_end(struct tensorboard *t)
{
    double wall_s = t->sink->run->started_s;
    for (size_t i = 0; i < t->early_count; i++)
        wall_s = t->early[i].is_rich ? wall_s : t->early[i].wall_s;
    if (t->early_count)
        begin(t, 0, wall_s);
}

void resume_fini(struct tensorboard *t)
{
    early_forget(t);
    free(t->early);
}
