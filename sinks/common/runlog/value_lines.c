/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/value_lines.h"

#include "core/text/digest.h"
#include "sinks/common/file_names.h"
#include "sinks/common/runlog/line_fields.h"
#include "sinks/common/value_table.h"

#include <string.h>

/* ---- fields ---- */

/* What a line says of content that is not in it. file: NULL: there is none. */
static void content_add(struct swi_text *text, int64_t bytes, const char *sha256, const char *file)
{
    swi_field_integer(text, "bytes", bytes);
    swi_field_string(text, "sha256", sha256);
    if (file)
        swi_field_string(text, "file", file);
}

/* ---- histograms ---- */

static void bins_add(struct swi_text *text, const struct sw_bins *bins)
{
    swi_text_put(text, ",\"edges\":");
    swi_edges_json(text, bins, 0);
    swi_text_put(text, ",\"counts\":");
    swi_counts_json(text, bins);
    swi_field_integer(text, "nonfinite", bins->nonfinite);
}

/* ---- tables ---- */

static const char *type_name(enum sw_type type)
{
    return type == SW_I64 ? "int" : type == SW_F64 ? "float" : type == SW_BOOL ? "bool" : "text";
}

static void columns_add(struct swi_text *text, const struct sw_table *table)
{
    swi_text_put(text, ",\"columns\":[");
    for (size_t i = 0; i < table->columns; i++) {
        const struct sw_table_column *column = sw_table_at(table, i);
        swi_json_format(text, i ? ",{\"name\":%s,\"type\":%s}" : "{\"name\":%s,\"type\":%s}",
                        column->name, type_name(column->type));
    }
    swi_text_put(text, "]");
}

/* As wandb and MLflow read it. */
static void table_file(struct swi_text *text, const struct sw_table *table,
                       const struct swi_text *rows)
{
    swi_text_put(text, "{\"columns\":");
    swi_columns_json(text, table);
    swi_text_put(text, ",\"data\":");
    swi_text_add(text, rows->data, rows->size);
    swi_text_put(text, "}");
    text->failed |= rows->failed;
}

static void table_put(struct swi_text *text, struct swi_value_files *files,
                      const struct sw_record *record, const struct swi_text *rows)
{
    struct swi_text file = {0}, name = {0};
    char sha256[65];
    table_file(&file, record->value->table, rows);
    if (!file.failed) {
        swi_sha256_hex(file.data, file.size, sha256);
        swi_text_put(&name, "media/");
        swi_media_name(&name, record->value->name, record->step, sha256, "table.json");
        content_add(text, (int64_t)file.size, sha256,
                    name.failed
                        ? NULL
                        : swi_value_files_put(files, name.data, file.data, file.size, sha256));
    }
    text->failed |= file.failed || name.failed;
    swi_text_free(&name);
    swi_text_free(&file);
}

static void table_add(struct swi_text *text, struct swi_value_files *files,
                      const struct sw_record *record)
{
    struct swi_text rows = {0};
    columns_add(text, record->value->table);
    swi_rows_json(&rows, record->value->table, swi_cell_json);
    if (rows.failed) {
        text->failed = true;
    } else if (rows.size <= files->table_max || files->how == SWI_INLINE_VALUES) {
        swi_text_put(text, ",\"rows\":");
        swi_text_add(text, rows.data, rows.size);
    } else {
        table_put(text, files, record, &rows);
    }
    swi_text_free(&rows);
}

/* ---- images ---- */

static void picture_file_add(struct swi_text *text, struct swi_value_files *files,
                             const struct sw_record *record, const struct sw_picture *picture)
{
    SW_ERROR_SCOPE(err);
    struct swi_text name = {0};
    const void *bytes;
    size_t size;
    if (sw_sink_encode(files->sink, picture, &bytes, &size, &err) < 0) {
        sw_sink_lost(files->sink, 1);
        return;
    }
    swi_text_put(&name, "media/");
    swi_media_name(&name, record->value->name, record->step, picture->sha256, picture->format);
    const char *file = NULL;
    if (!name.failed)
        file = swi_value_files_put(files, name.data, bytes, size, picture->sha256);
    content_add(text, (int64_t)size, picture->sha256, file);
    if (files->how == SWI_INLINE_VALUES) {
        swi_text_put(text, ",\"base64\":\"");
        swi_base64_add(text, bytes, size, SWI_BASE64);
        swi_text_put(text, "\"");
    }
    text->failed |= name.failed;
    swi_text_free(&name);
}

static void pictures_add(struct swi_text *text, struct swi_value_files *files,
                         const struct sw_record *record)
{
    const struct sw_pictures *pictures = record->value->pictures;
    swi_text_put(text, ",\"pictures\":[");
    for (size_t i = 0; i < pictures->count; i++) {
        const struct sw_picture *picture = sw_pictures_at(pictures, i);
        swi_text_format(text, "%s{\"width\":%d,\"height\":%d,\"format\":\"%s\"", i ? "," : "",
                        picture->width, picture->height, picture->format);
        picture_file_add(text, files, record, picture);
        if (picture->caption)
            swi_field_string(text, "caption", picture->caption);
        swi_text_put(text, "}");
    }
    swi_text_put(text, "]");
}

/* ---- files ---- */

static void file_add(struct swi_text *text, struct swi_value_files *files,
                     const struct sw_record *record)
{
    const struct sw_kept_file *file = record->value->file;
    char sha256[65];
    int64_t bytes;
    if (file->type)
        swi_field_string(text, "artifact", file->type);
    if (file->description)
        swi_field_string(text, "description", file->description);
    if (file->aliases[0])
        swi_field_texts(text, "aliases", file->aliases);
    swi_field_string(text, "path", file->path);
    const char *name = swi_value_files_copy(files, file, sha256, &bytes);
    content_add(text, bytes, sha256, name);
}

/* ---- lines ---- */

static void value_add(struct swi_text *text, struct swi_value_files *files,
                      const struct sw_record *record)
{
    static const char *const kinds[] = {[SW_VALUE_TEXT] = "text",
                                        [SW_VALUE_TABLE] = "table",
                                        [SW_VALUE_HISTOGRAM] = "histogram",
                                        [SW_VALUE_IMAGES] = "pictures",
                                        [SW_VALUE_FILE] = "file"};
    const struct sw_value *value = record->value;
    swi_json_format(
        text, "{\"type\":\"value\",\"t\":%" PRId64 ",\"step\":%" PRId64 ",\"kind\":%s,\"name\":%s",
        record->time_ns, record->step, kinds[value->kind], value->name);
    if (record->step_source != SW_STEP_OF_LOOP && record->step > 0)
        swi_field_bool(text, "own_step", true);
    if (value->text)
        swi_field_string(text, "text", value->text);
    if (value->bins)
        bins_add(text, value->bins);
    if (value->table)
        table_add(text, files, record);
    if (value->pictures)
        pictures_add(text, files, record);
    if (value->file)
        file_add(text, files, record);
    swi_text_put(text, "}\n");
}

static void keep_add(struct swi_text *text, unsigned keep)
{
    static const char *const names[] = {"last", "min", "max", "mean", "first", "none"};
    const char *comma = "";
    swi_text_put(text, ",\"keep\":[");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(keep & 1u << i))
            continue;
        swi_text_format(text, "%s\"%s\"", comma, names[i]);
        comma = ",";
    }
    swi_text_put(text, "]");
}

static void rule_add(struct swi_text *text, const struct sw_defined_rule *defined)
{
    static const char *const goals[] = {"", "min", "max"};
    const struct sw_rule *rule = defined->rule;
    swi_text_put(text, "{\"type\":\"rule\"");
    swi_field_string(text, "pattern", defined->pattern);
    if (rule->axis)
        swi_field_string(text, "axis", rule->axis);
    keep_add(text, rule->keep);
    swi_field_string(text, "goal", goals[rule->goal]);
    swi_text_put(text, rule->hidden ? ",\"hidden\":true" : ",\"hidden\":false");
    swi_field_string(text, "unit", rule->unit ? rule->unit : "");
    swi_field_string(text, "description", rule->description ? rule->description : "");
    swi_text_put(text, "}\n");
}

void swi_summary_line(struct swi_text *text, const struct sw_summary_value *summary)
{
    swi_json_format(text, "{\"type\":\"summary\",\"name\":%s,\"value\":", summary->name);
    if (summary->text) /* which a number that JSON does not have is, too */
        swi_json_format(text, "%s,\"text\":true}\n", summary->text);
    else
        swi_json_format(text, "%g}\n", summary->value);
}

static void line_add(struct swi_text *text, const struct sw_record *record)
{
    swi_json_format(text, "{\"type\":\"line\",\"t\":%" PRId64 ",\"level\":%s,\"text\":%s}\n",
                    record->time_ns, swi_level_word(record->line->level), record->line->text);
}

void swi_value_line(struct swi_text *text, struct swi_value_files *files,
                    const struct sw_record *record)
{
    if (record->type == SW_RECORD_VALUE)
        value_add(text, files, record);
    else if (record->type == SW_RECORD_RULE)
        rule_add(text, record->rule);
    else if (record->type == SW_RECORD_SUMMARY)
        swi_summary_line(text, record->summary);
    else
        line_add(text, record);
}
