/* SPDX-License-Identifier: MIT */
/* rich_values.c - texts, tables, histograms and images of the program, and its summary. */

#include "sinks/tensorboard/tensorboard_sink.h"
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "sinks/common/value_table.h"

#include <stdlib.h>
#include <string.h>

/* The page needs half a second for a table of 64 KiB, and a minute for one of a megabyte. */
enum { TEXT_MAX = 60000, ROWS_SHOWN = 200 };

/* Where a value goes. */
struct rich_place {
    struct stream *stream;
    struct sw_tb *tb;
    int64_t step;
    char tag[TAG_MAX];
};

static void place_find(struct rich_place *place, struct tensorboard *t,
                       const struct sw_record *record)
{
    const char *name = record->value->name;
    place->stream = metrics_stream(t, record, name, place->tag, sizeof place->tag);
    place->step = axes_step(t, record, name);
    axes_describe(t, place->stream, record->wall_s, place->tag, name);
    place->tb = event_stream_tb(t, place->stream, record->wall_s);
}

/* Writes it, or keeps it until the step is known at which the run resumes. */
static void put(struct tensorboard *t, const struct rich_place *place,
                const struct sw_record *record, const struct rich *rich)
{
    if (record->step_source == SW_STEP_COUNTED && place->step == record->step)
        resume_rich(t, place->stream, place->step, record->wall_s, place->tag, rich);
    else
        rich_write(place->tb, place->tag, place->step, rich);
}

/* ---- texts and tables ---- */

static void text_put(struct swi_text *text, const char *markdown)
{
    size_t fits = swi_utf8_fit(markdown, TEXT_MAX);
    swi_text_add(text, markdown, fits);
    if (markdown[fits])
        swi_text_put(text,
                     "\n\n\u2026 The page would show a longer text slowly: the sink runlog has "
                     "all of it.\n");
}

static void text_write(struct tensorboard *t, const struct rich_place *place,
                       const struct sw_record *record)
{
    SWI_FREED struct swi_text text = {0};
    if (record->value->text)
        text_put(&text, record->value->text);
    else
        swi_value_table_markdown(&text, record->value->table, ROWS_SHOWN, TEXT_MAX);
    if (text.failed || !text.data)
        sw_sink_lost(t->sink, 1);
    else
        put(t, place, record, &(struct rich){.text = text.data});
}

/* ---- histograms ---- */

static void histogram_write(struct tensorboard *t, const struct rich_place *place,
                            const struct sw_record *record)
{
    const struct sw_bins *bins = record->value->bins;
    struct sw_bin *bin = calloc(bins->count + 1, sizeof *bin);
    for (size_t i = 0; bin && i < bins->count; i++)
        bin[i] = *sw_bins_at(bins, i);
    if (bin)
        put(t, place, record, &(struct rich){.bin = bin, .count = bins->count});
    else
        sw_sink_lost(t->sink, 1);
    free(bin);
}

/* ---- images ---- */

/* TensorBoard has no place for captions, so the first ones are in the description, numbered. */
static void captions_describe(const struct rich_place *place, const struct sw_pictures *pictures)
{
    SWI_FREED struct swi_text text = {0};
    for (size_t i = 0; i < pictures->count; i++) {
        const char *caption = sw_pictures_at(pictures, i)->caption;
        if (!caption)
            continue;
        if (pictures->count > 1)
            swi_text_format(&text, "%zu. ", i + 1);
        swi_escape_markdown(&text, caption);
        swi_text_put(&text, "\n");
    }
    if (text.size && !text.failed && !sw_tb_knows(place->tb, place->tag))
        sw_tb_describe(place->tb, place->tag, text.data);
}

static bool images_encode(struct tensorboard *t, const struct sw_pictures *pictures,
                          struct sw_tb_blob *blob)
{
    SW_ERROR_SCOPE(err);
    for (size_t i = 0; i < pictures->count; i++)
        if (sw_sink_encode(t->sink, sw_pictures_at(pictures, i), &blob[i].data, &blob[i].size,
                           &err) < 0)
            return false;
    return true;
}

static void images_write(struct tensorboard *t, const struct rich_place *place,
                         const struct sw_record *record)
{
    const struct sw_pictures *pictures = record->value->pictures;
    struct sw_tb_blob *blob = calloc(pictures->count + 1, sizeof *blob);
    const struct sw_picture *first = pictures->count ? sw_pictures_at(pictures, 0) : NULL;
    if (blob && images_encode(t, pictures, blob))
        put(t, place, record,
            &(struct rich){.image = blob,
                           .count = pictures->count,
                           .width = first ? first->width : 0,
                           .height = first ? first->height : 0});
    else
        sw_sink_lost(t->sink, 1);
    free(blob);
}

void rich_value_record(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_value *value = record->value;
    struct rich_place place;
    metrics_follow_step(t, record);
    if (value->kind == SW_VALUE_FILE)
        return;
    place_find(&place, t, record);
    if (value->text || value->table) {
        text_write(t, &place, record);
    } else if (value->bins) {
        histogram_write(t, &place, record);
    } else if (value->pictures) {
        captions_describe(&place, value->pictures);
        images_write(t, &place, record);
    }
}

/* ---- the summary ---- */

void rich_summary_record(struct tensorboard *t, const struct sw_record *record)
{
    const struct sw_summary_value *from = record->summary;
    struct summed *summed = swi_map_item(&t->summary_names, &t->summary, sizeof *t->summary,
                                         from->name, strlen(from->name));
    char *text = from->text ? strdup(from->text) : NULL;
    if (!summed || (from->text && !text)) {
        free(text);
        sw_sink_lost(t->sink, 1);
        return;
    }
    free(summed->text);
    summed->text = text;
    summed->value = from->value;
}

static void texts_add(struct swi_text *text, const struct tensorboard *t)
{
    for (size_t i = 0; i < t->summary_names.count; i++) {
        if (!t->summary[i].text)
            continue;
        swi_text_put(text, text->size ? "| " : "| name | value |\n|:---|:---|\n| ");
        swi_escape_markdown(text, t->summary_names.name[i].text);
        swi_text_put(text, " | ");
        swi_escape_markdown(text, t->summary[i].text);
        swi_text_put(text, " |\n");
    }
}

void rich_summary_write(struct tensorboard *t, const struct sw_record *record)
{
    SWI_FREED struct swi_text text = {0};
    for (size_t i = 0; i < t->summary_names.count; i++)
        if (!t->summary[i].text)
            event_stream_point(t, &t->stream[ROOT], record->step, record->wall_s,
                               t->summary_names.name[i].text, t->summary[i].value);
    texts_add(&text, t);
    if (text.size && !text.failed)
        sw_tb_text(event_stream_tb(t, &t->stream[ROOT], record->wall_s), "summary", record->step,
                   text.data);
}

void rich_summary_fini(struct tensorboard *t)
{
    for (size_t i = 0; i < t->summary_names.count; i++)
        free(t->summary[i].text);
    free(t->summary);
    swi_map_free(&t->summary_names);
}
