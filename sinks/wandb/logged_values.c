/* SPDX-License-Identifier: MIT */
/* logged_values.c - texts, tables, histograms and images in the row of their step. */
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "core/text/digest.h"
#include "core/text/opened.h"
#include "sinks/common/file_names.h"
#include "sinks/common/part_file.h"
#include "sinks/common/value_table.h"
#include "sinks/wandb/wandb_sink.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- files of the run ------------------------------------------------------------------------ */

/* Whether the run itself has a file or a folder of this name. */
static bool is_taken(const char *name)
{
    static const char *const own[] = {"config.yaml", "wandb-summary.json", "wandb-metadata.json",
                                      "output.log",  "requirements.txt",   "diff.patch",
                                      "media",       "artifact",           "code",
                                      "program"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

static int run_file(struct wandb *w, const struct sw_kept_file *file, struct sw_error *err)
{
    SWI_FREED struct swi_text below = {0};
    size_t size, cut = sizeof "files/" - 1;
    swi_text_put(&below, is_taken(file->base) ? "files/program/" : "files/");
    swi_media_path(&below, file->base);
    int rc = below.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for its path")
                          : swi_part_copy(w->sink, w->folder, below.data, file, &size, err);
    if (rc == 0)
        swi_records_file(&w->records, below.data + cut, SWI_FILE_OF_PROGRAM);
    return rc;
}

/* ---- artifacts ------------------------------------------------------------------------------- */

static int artifact_fill(struct swi_wandb_artifact *artifact, const struct sw_kept_file *file,
                         struct sw_error *err)
{
    SWI_CLOSED int fd = open(artifact->local_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool read = fd >= 0 && swi_md5_file(fd, artifact->md5);
    if (!read)
        return sw_error_set(err, SW_EIO, "the copy in the run's folder cannot be read");
    swi_wandb_artifact_name(artifact, file->name);
    return swi_wandb_artifact_end(artifact)
               ? 0
               : sw_error_set(err, SW_EIO, "there are no random numbers for its id");
}

/* A copy keeps a name of its own, because a later file of the same name is another version. */
static int artifact_copy(struct wandb *w, const struct sw_kept_file *file,
                         struct swi_wandb_artifact *artifact, char path[PATH_MAX + 1024],
                         struct sw_error *err)
{
    SWI_FREED struct swi_text below = {0}, name = {0};
    swi_media_path(&name, file->base);
    swi_text_format(&below, "artifacts/%u-%s", w->artifacts++, name.data ? name.data : "");
    bool failed = below.failed || name.failed;
    snprintf(path, PATH_MAX + 1024, "%s/%s", w->folder, failed ? "" : below.data);
    snprintf(artifact->file, sizeof artifact->file, "%s", failed ? "" : name.data);
    return failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for its path")
                  : swi_part_copy(w->sink, w->folder, below.data, file, &artifact->size, err);
}

/* The format has only UTF-8. NULL stays NULL. */
static char *repaired(const char *text)
{
    return text ? swi_utf8_repair(text, strlen(text)) : NULL;
}

static int artifact_save(struct wandb *w, const struct sw_kept_file *file, struct sw_error *err)
{
    char path[PATH_MAX + 1024];
    char *type = repaired(file->type), *description = repaired(file->description);
    struct swi_wandb_artifact artifact = {.run_id = w->id,
                                          .project = w->found_project,
                                          .entity = w->found_entity,
                                          .local_path = path,
                                          .type = type,
                                          .description = description,
                                          .aliases = file->aliases};
    int rc = artifact_copy(w, file, &artifact, path, err);
    if (rc == 0)
        rc = artifact_fill(&artifact, file, err);
    if (rc == 0)
        swi_records_artifact(&w->records, &artifact);
    free(type);
    free(description);
    return rc;
}

/* Copies a file into the run's folder, and writes the record that uploads it. */
static void wandb_saved_file(struct wandb *w, const struct sw_kept_file *file)
{
    SW_ERROR_SCOPE(err);
    int rc = file->type ? artifact_save(w, file, &err) : run_file(w, file, &err);
    if (rc < 0)
        swi_wandb_media_missing(w, file->base, &err);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void value_set(struct wandb *w, const struct sw_record *record, const struct swi_text *json)
{
    struct swi_text *value =
        json->failed ? NULL : swi_fields_set(swi_wandb_row(w, record), record->value->name);
    if (value)
        swi_text_add(value, json->data, json->size);
    if (!value || value->failed)
        sw_sink_lost(w->sink, 1);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A longer text is cut in its row, and the run has all of it as a file. */
enum { TEXT_MAX = 64 << 10 };

static void text_cut(struct swi_text *text, const char *from)
{
    static const char more[] = "\u2026";
    swi_text_add(text, from, swi_utf8_fit(from, TEXT_MAX - (sizeof more - 1)));
    swi_text_put(text, more);
}

static void text_put(struct wandb *w, const struct sw_record *record)
{
    const char *text = record->value->text;
    SWI_FREED struct swi_text json = {0}, cut = {0}, path = {0};
    char sha256[65];
    size_t size = strlen(text);
    if (size > TEXT_MAX) {
        swi_sha256_hex(text, size, sha256);
        swi_wandb_media_put(w, &path, "text", record->value->name, "md", text, size, sha256);
        text_cut(&cut, text);
    }
    swi_escape_json(&json, cut.data && !cut.failed ? cut.data : text);
    value_set(w, record, &json);
}

/* ---- histograms ------------------------------------------------------------------------------ */

enum { BINS_MAX = 512, BINS_OF_NOTHING = 64 };

static void number_put(struct swi_text *text, bool first, double value)
{
    swi_text_put(text, first ? "" : ",");
    swi_json_number(text, value);
}

/* How many neighbours must become one, so that there are not too many. */
static size_t joined_of(const struct sw_bins *bins)
{
    return (bins->count + BINS_MAX - 1) / BINS_MAX;
}

static uint64_t count_of(const struct sw_bins *bins, size_t from, size_t joined)
{
    uint64_t count = 0;
    for (size_t i = from; i < bins->count && i < from + joined; i++)
        count += sw_bins_at(bins, i)->count;
    return count;
}

/* What numpy makes of no value: empty bins from 0 to 1. */
static void nothing_put(struct swi_text *counts, struct swi_text *edges)
{
    for (int i = 0; i < BINS_OF_NOTHING; i++) {
        swi_text_put(counts, i ? ",0" : "0");
        number_put(edges, i == 0, (double)i / BINS_OF_NOTHING);
    }
    swi_text_put(edges, ",1");
}

/* And of equal ones: a bin of the width 1 around them, or the least that there is. */
static void equal_put(struct swi_text *edges, double value)
{
    double low = value - 0.5, high = value + 0.5;
    number_put(edges, true, low < value ? low : nextafter(value, -INFINITY));
    number_put(edges, false, high > value ? high : nextafter(value, INFINITY));
}

static void bins_put(struct swi_text *counts, struct swi_text *edges, const struct sw_bins *bins)
{
    const struct sw_bin *last = sw_bins_at(bins, bins->count - 1);
    size_t joined = joined_of(bins);
    bool equal = bins->count == 1 && last->low == last->high;
    for (size_t i = 0; i < bins->count; i += joined) {
        swi_text_format(counts, "%s%" PRIu64, i ? "," : "", count_of(bins, i, joined));
        if (!equal)
            number_put(edges, i == 0, sw_bins_at(bins, i)->low);
    }
    if (equal)
        equal_put(edges, last->low);
    else
        number_put(edges, false, last->high);
}

static void histogram_put(struct wandb *w, const struct sw_record *record)
{
    const struct sw_bins *bins = record->value->bins;
    SWI_FREED struct swi_text json = {0}, counts = {0}, edges = {0};
    if (bins->count)
        bins_put(&counts, &edges, bins);
    else
        nothing_put(&counts, &edges);
    json.failed = counts.failed || edges.failed;
    if (!json.failed)
        swi_text_format(&json, "{\"_type\":\"histogram\",\"values\":[%s],\"bins\":[%s]}",
                        counts.data, edges.data);
    value_set(w, record, &json);
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Adds the path of an image's file. Returns false if there is none. */
static bool image_put(struct wandb *w, const struct sw_record *record,
                      const struct sw_picture *picture, struct swi_text *path, size_t *size)
{
    SW_ERROR_SCOPE(err);
    const void *bytes;
    if (sw_sink_encode(w->sink, picture, &bytes, size, &err) < 0) {
        swi_wandb_media_missing(w, record->value->name, &err);
        return false;
    }
    return swi_wandb_media_put(w, path, "images", record->value->name, picture->format, bytes,
                               *size, picture->sha256);
}

static void one_image(struct wandb *w, const struct sw_record *record)
{
    const struct sw_picture *picture = sw_pictures_at(record->value->pictures, 0);
    SWI_FREED struct swi_text json = {0}, path = {0};
    size_t size;
    if (!image_put(w, record, picture, &path, &size))
        return;
    swi_text_format(&json,
                    "{\"_type\":\"image-file\",\"path\":\"%s\",\"sha256\":\"%s\",\"size\":%zu,"
                    "\"width\":%d,\"height\":%d,\"format\":\"%s\"",
                    path.data, picture->sha256, size, picture->width, picture->height,
                    picture->format);
    if (picture->caption)
        swi_json_format(&json, ",\"caption\":%s", picture->caption);
    swi_text_put(&json, "}");
    value_set(w, record, &json);
}

/* The images of a value whose files could be written. */
struct written {
    struct swi_text names, captions;
    size_t count;
    bool captioned;
    const struct sw_picture *first;
};

static void written_add(struct written *to, const struct sw_picture *picture, const char *path)
{
    swi_text_format(&to->names, "%s\"%s\"", to->count ? "," : "", path);
    swi_text_put(&to->captions, to->count ? "," : "");
    if (picture->caption)
        swi_escape_json(&to->captions, picture->caption);
    else
        swi_text_put(&to->captions, "null");
    to->captioned |= picture->caption != NULL;
    to->first = to->first ? to->first : picture;
    to->count++;
}

static void written_put(struct swi_text *json, const struct written *written)
{
    const struct sw_picture *first = written->first;
    swi_text_format(json,
                    "{\"_type\":\"images/separated\",\"width\":%d,\"height\":%d,\"format\":\"%s\","
                    "\"count\":%zu,\"filenames\":[%s]",
                    first ? first->width : 0, first ? first->height : 0,
                    first ? first->format : "png", written->count,
                    written->names.data ? written->names.data : "");
    if (written->captioned)
        swi_text_format(json, ",\"captions\":[%s]", written->captions.data);
    swi_text_put(json, "}");
    json->failed |= written->names.failed || written->captions.failed;
}

static void several_images(struct wandb *w, const struct sw_record *record)
{
    const struct sw_pictures *pictures = record->value->pictures;
    SWI_FREED struct swi_text json = {0}, path = {0};
    struct written written = {.count = 0};
    for (size_t i = 0; i < pictures->count; i++) {
        size_t size;
        path.size = 0;
        if (image_put(w, record, sw_pictures_at(pictures, i), &path, &size))
            written_add(&written, sw_pictures_at(pictures, i), path.data);
    }
    if (written.count || !pictures->count) {
        written_put(&json, &written);
        value_set(w, record, &json);
    }
    swi_text_free(&written.names);
    swi_text_free(&written.captions);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void cell_put(struct swi_text *text, const struct sw_table_column *column, size_t row)
{
    bool number = column->type == SW_F64 && !swi_cell_is_missing(column, row);
    if (number)
        swi_json_number(text, ((const double *)column->data)[row]);
    else
        swi_cell_json(text, column, row);
}

static enum swi_wandb_type type_of(enum sw_type type)
{
    return type == SW_TEXT   ? SWI_WANDB_STRING
           : type == SW_BOOL ? SWI_WANDB_BOOLEAN
                             : SWI_WANDB_NUMBER;
}

static void table_put(struct wandb *w, const struct sw_record *record)
{
    SW_ERROR_SCOPE(err);
    const struct sw_table *from = record->value->table;
    struct swi_wandb_table table = {.key = record->value->name, .rows = from->rows};
    for (size_t i = 0; i < from->columns; i++)
        swi_wandb_column_add(&table, sw_table_at(from, i)->name,
                             type_of(sw_table_at(from, i)->type));
    swi_rows_json(&table.data, from, cell_put);
    if (swi_wandb_table_write(w, record, &table, &err) < 0)
        swi_wandb_media_missing(w, record->value->name, &err);
}

/* ---- all ------------------------------------------------------------------------------------- */

void swi_wandb_value(struct wandb *w, const struct sw_record *record)
{
    const struct sw_value *value = record->value;
    if (value->file) {
        wandb_saved_file(w, value->file);
        return;
    }
    swi_wandb_step_of(w, record);
    if (value->text)
        text_put(w, record);
    else if (value->bins)
        histogram_put(w, record);
    else if (value->table)
        table_put(w, record);
    else if (value->pictures && value->pictures->count == 1)
        one_image(w, record);
    else if (value->pictures)
        several_images(w, record);
}
