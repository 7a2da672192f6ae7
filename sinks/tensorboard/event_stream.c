/* SPDX-License-Identifier: MIT */
/* event_stream.c - collects the values of a step into one event, and opens writers when needed. */
#include "sinks/tensorboard/tensorboard_sink.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tags of a stream -------------------------------------------------------------------- */

struct tag_series *tag_series_get(struct tag_series_list *list, const char *tag)
{
    struct tag_series **series =
        swi_map_item(&list->tags, &list->item, sizeof(void *), tag, strnlen(tag, TAG_MAX - 1));
    if (!series)
        return NULL;
    if (!*series && (*series = calloc(1, sizeof **series)))
        (*series)->tag = list->tags.name[series - list->item].text;
    return *series;
}

static void tag_series_fini(struct tag_series_list *list)
{
    for (size_t i = 0; i < list->tags.count; i++)
        free(list->item[i]);
    free(list->item);
    swi_map_free(&list->tags);
    list->item = NULL;
}

/* The most values of one event. A step with more gets several events. */
enum { POINTS_MAX = 1024 };

struct stream *event_stream_of(struct tensorboard *t, enum sw_phase phase)
{
    if (!t->split_runs)
        return &t->stream[ROOT];
    return &t->stream[phase == SW_PHASE_TRAIN ? TRAIN : phase == SW_PHASE_VALID ? VALID : ROOT];
}

bool event_stream_is_root(const struct stream *stream)
{
    return *stream->sub == '\0';
}

/* TensorBoard only notes the first marker of a directory. */
void event_stream_first(const struct tensorboard *t, struct sw_tb *tb)
{
    if (t->begun && !(t->resumed && t->unmarked))
        sw_tb_start(tb, t->first_step);
}

void event_stream_directory(const struct tensorboard *t, const struct stream *stream,
                            char *directory, size_t size)
{
    snprintf(directory, size, "%s%s%s", t->directory, *stream->sub ? "/" : "", stream->sub);
}

int event_stream_open(struct tensorboard *t, struct stream *stream, double wall_s,
                      struct sw_error *err)
{
    char directory[sizeof t->directory + 16];
    char writer[64];
    event_stream_directory(t, stream, directory, sizeof directory);
    snprintf(writer, sizeof writer, "stepwatch/%.40s%s", t->sink->run->version,
             swi_thinning_rotates(&t->thinning) ? ROTATED : "");
    /* The sink flushes, and records have their own time. */
    struct sw_tb_options options = {.size = sizeof options,
                                    .suffix = t->suffix,
                                    .writer = writer,
                                    .flush_s = INFINITY,
                                    .wall_s = wall_s};
    stream->tb = sw_tb_open(directory, &options, err);
    stream->given_up = !stream->tb;
    sw_tb_set_time(stream->tb, wall_s);
    event_stream_first(t, stream->tb);
    return stream->tb ? 0 : err->code;
}

/* Opens a writer, or reports why it cannot. */
static void event_stream_try(struct tensorboard *t, struct stream *stream, double wall_s)
{
    SW_ERROR_SCOPE(err);
    if (event_stream_open(t, stream, wall_s, &err) < 0)
        sw_sink_say(t->sink, SW_ERROR, "%s", sw_error_text(&err));
}

struct sw_tb *event_stream_tb(struct tensorboard *t, struct stream *stream, double wall_s)
{
    if (!stream->tb && !stream->given_up)
        event_stream_try(t, stream, wall_s);
    sw_tb_set_time(stream->tb, wall_s);
    return stream->tb;
}

void event_stream_describe(struct tensorboard *t, struct stream *stream, double wall_s,
                           const char *tag, const char *format, ...)
{
    char markdown[512];
    va_list args;
    struct sw_tb *tb = event_stream_tb(t, stream, wall_s);
    struct tag_series *series = tb ? tag_series_get(&stream->series, tag) : NULL;
    if (!series || series->described)
        return;
    series->described = true;
    if (sw_tb_knows(tb, tag))
        return;
    va_start(args, format);
    vsnprintf(markdown, sizeof markdown, format, args);
    va_end(args);
    sw_tb_describe(tb, tag, markdown);
}

void event_stream_text(struct tensorboard *t, double wall_s, const char *tag, const char *about,
                       int64_t step, struct swi_text *text)
{
    event_stream_describe(t, &t->stream[ROOT], wall_s, tag, "%s", about);
    if (text->failed)
        sw_sink_lost(t->sink, 1);
    else
        sw_tb_text(event_stream_tb(t, &t->stream[ROOT], wall_s), tag, step, text->data);
    swi_text_free(text);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void slot_write(struct stream *stream, struct slot *slot)
{
    struct sw_tb_value value[POINTS_MAX];
    for (size_t i = 0; i < slot->count; i++)
        value[i] = (struct sw_tb_value){slot->point[i].series->tag, slot->point[i].value};
    sw_tb_set_time(stream->tb, slot->wall_s);
    sw_tb_scalars(stream->tb, slot->step, value, slot->count);
    slot->count = 0;
}

/* Returns the slot with the lowest step that has values. */
static struct slot *lowest(struct stream *stream)
{
    struct slot *low = NULL;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &stream->slot[i];
        if (slot->count > 0 && (!low || slot->step < low->step))
            low = slot;
    }
    return low;
}

void event_stream_write(struct stream *stream, int64_t below)
{
    for (struct slot *slot = lowest(stream); slot && slot->step < below; slot = lowest(stream))
        slot_write(stream, slot);
}

static struct slot *slot_of(struct stream *stream, int64_t step)
{
    struct slot *empty = NULL;
    for (int i = 0; i < SLOTS; i++) {
        if (stream->slot[i].count > 0 && stream->slot[i].step == step)
            return &stream->slot[i];
        if (stream->slot[i].count == 0)
            empty = &stream->slot[i];
    }
    if (!empty) {
        empty = lowest(stream);
        slot_write(stream, empty);
    }
    empty->step = step;
    empty->turn++;
    return empty;
}

/* Returns the point of this series if the step has one, because the later value replaces it. */
static struct point *point_of(struct slot *slot, const struct tag_series *series, size_t number)
{
    bool has = slot->count && series->turn[number] == slot->turn;
    return has ? &slot->point[series->place[number]] : NULL;
}

/* Returns NULL if out of memory. */
static struct point *point_add(struct stream *stream, struct slot *slot, struct tag_series *series)
{
    size_t number = (size_t)(slot - stream->slot);
    if (slot->count == POINTS_MAX) {
        slot_write(stream, slot);
        slot->turn++;
    }
    if (!swi_vec_grow(&slot->point, slot->count, &slot->room, sizeof *slot->point))
        return NULL;
    series->turn[number] = slot->turn;
    series->place[number] = slot->count;
    slot->point[slot->count].series = series;
    return &slot->point[slot->count++];
}

void event_stream_point(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                        const char *tag, double value)
{
    if (!event_stream_tb(t, stream, wall_s))
        return;
    struct slot *slot = slot_of(stream, step);
    struct tag_series *series = tag_series_get(&stream->series, tag);
    struct point *point = series ? point_of(slot, series, (size_t)(slot - stream->slot)) : NULL;
    if (!point && series)
        point = point_add(stream, slot, series);
    if (!point) {
        sw_sink_lost(t->sink, 1);
        return;
    }
    point->value = value;
    slot->wall_s = wall_s;
}

void event_stream_alone(struct tensorboard *t, struct stream *stream, int64_t step, double wall_s,
                        const char *tag, double value)
{
    struct sw_tb *tb = event_stream_tb(t, stream, wall_s);
    if (!tb)
        return;
    sw_tb_set_time(tb, wall_s);
    sw_tb_scalar(tb, tag, step, value);
}

void event_stream_close(struct stream *stream, struct sw_error *err)
{
    SW_ERROR_SCOPE(why);
    event_stream_write(stream, INT64_MAX);
    for (int i = 0; i < SLOTS; i++)
        free(stream->slot[i].point);
    tag_series_fini(&stream->series);
    int rc = sw_tb_close(stream->tb, &why);
    stream->tb = NULL;
    if (rc < 0 && !err->code)
        sw_error_set(err, rc, "%s", sw_error_text(&why));
}
