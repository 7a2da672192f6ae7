/* SPDX-License-Identifier: MIT */
/* The types trackio.image, trackio.table, trackio.histogram and trackio.markdown of Trackio 0.43.
 */
#include "sinks/sqlite/database_layout.h"
#include "core/text/escape.h"
#include "core/text/vec.h"
#include "sinks/common/file_names.h"
#include "sinks/common/value_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the values of a step -------------------------------------------------------------------- */

/* Returns whether Trackio has a column with this name. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"project", "run",  "timestamp",
                                           "step",    "time", "metrics"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return strncmp(name, "__", 2) == 0;
}

static void key_add(struct swi_text *text, const char *name)
{
    SWI_FREED struct swi_text key = {0};
    swi_text_put(&key, is_reserved(name) ? "__" : "");
    swi_text_put(&key, name);
    swi_escape_json(text, key.data ? key.data : "");
    text->failed |= key.failed;
}

static void last_end(struct swi_object *object)
{
    if (object->count)
        object->pair[object->count - 1].end = object->text.size;
}

void swi_object_key(struct swi_object *object, const char *name)
{
    size_t begin = object->text.size;
    last_end(object);
    key_add(&object->text, name);
    bool fits = !object->text.failed &&
                swi_vec_grow(&object->pair, object->count, &object->room, sizeof *object->pair);
    size_t *newest = fits ? swi_map_item(&object->keys, &object->newest, sizeof *newest,
                                         object->text.data + begin, object->text.size - begin)
                          : NULL;
    object->text.failed |= !newest;
    if (!newest)
        return;
    if (*newest)
        object->pair[*newest - 1].replaced = true;
    object->pair[object->count] =
        (struct swi_object_pair){.key = (size_t)(newest - object->newest), .begin = begin};
    *newest = ++object->count;
    swi_text_put(&object->text, ":");
}

static void keys_free(struct swi_object *object)
{
    swi_map_free(&object->keys);
    free(object->newest);
    object->newest = NULL;
}

void swi_object_take(struct swi_object *object, struct swi_text *json)
{
    const char *comma = "{";
    last_end(object);
    for (size_t i = 0; i < object->count; i++) {
        const struct swi_object_pair *pair = &object->pair[i];
        object->newest[pair->key] = 0;
        if (pair->replaced)
            continue;
        swi_text_put(json, comma);
        swi_text_add(json, object->text.data + pair->begin, pair->end - pair->begin);
        comma = ",";
    }
    swi_text_put(json, object->count ? "}" : "{}");
    json->failed |= object->text.failed;
    object->text.failed = false;
    /* A program that has new names again and again must not fill the memory. */
    if (object->keys.count > 2 * object->count + 32)
        keys_free(object);
    object->text.size = object->count = 0;
}

void swi_object_free(struct swi_object *object)
{
    swi_text_free(&object->text);
    free(object->pair);
    keys_free(object);
}

/* ---- texts, histograms, tables --------------------------------------------------------------- */

void swi_trackio_markdown(struct swi_text *json, const char *text)
{
    swi_json_format(json, "{\"_type\":\"trackio.markdown\",\"_value\":%s}", text);
}

/* A single value is a bin around it, as numpy makes it: Trackio draws no bin without a width. */
static void histogram_add(struct swi_text *json, const struct sw_bins *bins)
{
    bool single = bins->count == 1 && sw_bins_at(bins, 0)->low == sw_bins_at(bins, 0)->high;
    swi_text_put(json, "{\"_type\":\"trackio.histogram\",\"bins\":");
    swi_edges_json(json, bins, single ? 0.5 : 0);
    swi_text_put(json, ",\"values\":");
    swi_counts_json(json, bins);
    swi_text_put(json, "}");
}

#define TABLE "{\"_type\":\"trackio.table\",\"_value\":["

static void table_row_add(struct swi_text *json, const struct sw_table *table, size_t row)
{
    for (size_t i = 0; i < table->columns; i++) {
        swi_json_format(json, i ? ",%s:" : "{%s:", sw_table_at(table, i)->name);
        swi_cell_json(json, sw_table_at(table, i), row);
    }
    swi_text_put(json, "}");
}

static void table_add(struct swi_text *json, const struct sw_table *table)
{
    swi_text_put(json, TABLE);
    for (size_t row = 0; row < table->rows; row++) {
        swi_text_put(json, row ? "," : "");
        table_row_add(json, table, row);
    }
    swi_text_put(json, "]}");
}

/* ---- images and files ------------------------------------------------------------------------ */

static const char *project_of(const struct swi_value_files *files)
{
    return strrchr(files->folder, '/') + 1;
}

void swi_trackio_files_begin(struct swi_sqlite_run *run, struct sw_sink *sink, const char *database)
{
    const struct sw_run *of = run->run;
    char folder[PATH_MAX], name[201];
    SWI_FREED struct swi_text copies = {0};
    const char *project = strrchr(database, '/') + 1;
    snprintf(folder, sizeof folder, "%.*s/media/%.*s", (int)(project - 1 - database), database,
             (int)(strlen(project) - strlen(".db")), project);
    snprintf(run->name, sizeof run->name, of->world_size == 1 ? "%s" : "%s rank %" PRId64, of->name,
             of->rank);
    snprintf(name, sizeof name, "%.200s", run->name);
    swi_text_put(&copies, "files/");
    swi_media_path(&copies, name);
    swi_text_format(&copies, "-%.8s", run->uid);
    swi_value_files_in(&run->files, sink, folder, copies.failed ? "files" : copies.data);
}

/* RUN/STEP/NUMBER.png, as the client has it. The number is made of the content. */
static void image_name(struct swi_text *name, const struct swi_sqlite_run *run,
                       const struct sw_record *record, const struct sw_picture *picture)
{
    swi_media_path(name, run->name);
    swi_text_format(name, "/%" PRId64 "/%.32s.%s", record->step, picture->sha256, picture->format);
}

/* Returns the path of the image's file below the project's folder; NULL if it cannot be written. */
static const char *image_file(struct swi_sqlite_run *run, const struct sw_record *record,
                              const struct sw_picture *picture)
{
    SW_ERROR_SCOPE(err);
    SWI_FREED struct swi_text name = {0};
    const char *file = NULL;
    const void *bytes;
    size_t size;
    if (sw_sink_encode(run->files.sink, picture, &bytes, &size, &err) == 0) {
        image_name(&name, run, record, picture);
        if (!name.failed)
            file = swi_value_files_put(&run->files, name.data, bytes, size, picture->sha256);
    } else {
        sw_sink_lost(run->files.sink, 1);
    }
    return file;
}

/* Adds an image as Trackio's client does: the path of its file below the folder of all media. */
static void image_add(struct swi_text *json, const struct swi_value_files *files, const char *file,
                      const char *caption)
{
    SWI_FREED struct swi_text path = {0};
    swi_text_format(&path, "%s/%s", project_of(files), file);
    swi_json_format(json, "{\"_type\":\"trackio.image\",\"file_path\":%s,\"caption\":",
                    path.data ? path.data : "");
    if (caption)
        swi_json_format(json, "%s}", caption);
    else
        swi_text_put(json, "null}");
    json->failed |= path.failed;
}

static void one_image(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_picture *picture = sw_pictures_at(record->value->pictures, 0);
    const char *file = image_file(run, record, picture);
    if (!file)
        return;
    swi_object_key(&run->open, swi_clean_name(&run->clean_names, record->value->name));
    image_add(&run->open.text, &run->files, file, picture->caption);
}

static void image_row_add(struct swi_text *json, struct swi_sqlite_run *run,
                          const struct sw_record *record, const struct sw_picture *picture)
{
    const char *file = image_file(run, record, picture);
    if (!file)
        return;
    swi_text_put(json, json->size ? ",{\"image\":" : "{\"image\":");
    image_add(json, &run->files, file, picture->caption);
    swi_json_format(json, ",\"caption\":%s}", picture->caption ? picture->caption : "");
}

/* Trackio has one image for a key, but a table may have one in each row. */
static void several_images(struct swi_sqlite_run *run, const struct sw_record *record)
{
    struct swi_text *json = &run->open.text;
    const struct sw_pictures *pictures = record->value->pictures;
    SWI_FREED struct swi_text rows = {0};
    for (size_t i = 0; i < pictures->count; i++)
        image_row_add(&rows, run, record, sw_pictures_at(pictures, i));
    swi_object_key(&run->open, swi_clean_name(&run->clean_names, record->value->name));
    swi_text_format(json, TABLE "%s]}", rows.data ? rows.data : "");
    json->failed |= rows.failed;
}

static void file_copy(struct swi_sqlite_run *run, const struct sw_kept_file *file)
{
    char sha256[65];
    int64_t bytes;
    swi_value_files_copy(&run->files, file, sha256, &bytes);
}

void swi_trackio_value(struct swi_sqlite_run *run, const struct sw_record *record)
{
    const struct sw_value *value = record->value;
    if (value->text || value->bins || value->table)
        swi_object_key(&run->open, swi_clean_name(&run->clean_names, value->name));
    if (value->text)
        swi_trackio_markdown(&run->open.text, value->text);
    else if (value->bins)
        histogram_add(&run->open.text, value->bins);
    else if (value->table)
        table_add(&run->open.text, value->table);
    else if (value->pictures && value->pictures->count == 1)
        one_image(run, record);
    else if (value->pictures)
        several_images(run, record);
    else if (value->file)
        file_copy(run, value->file);
}
