/* SPDX-License-Identifier: MIT */
/* media_files.c - files of values below files/media/, which rows name. */
#include "core/text/escape.h"
#include "core/text/digest.h"
#include "sinks/common/file_names.h"
#include "sinks/common/part_file.h"
#include "sinks/wandb/wandb_sink.h"
#include "sinks/wandb/values/artifact.h"

#include <ctype.h>

/* ---- files of values ------------------------------------------------------------------------- */

void swi_wandb_media_missing(struct wandb *w, const char *name, const struct sw_error *err)
{
    SWI_FREED struct swi_text safe = {0};
    if (!w->media_missing)
        swi_escape_terminal(&safe, name);
    if (!w->media_missing)
        swi_wandb_say(w, 1, "%.300s is not in the run: %s; more such values are only counted",
                      safe.data ? safe.data : "", sw_error_text(err));
    w->media_missing = true;
    sw_sink_lost(w->sink, 1);
}

bool swi_wandb_media_put(struct wandb *w, struct swi_text *path, const char *kind, const char *key,
                         const char *extension, const void *bytes, size_t size, const char *sha256)
{
    SW_ERROR_SCOPE(err);
    size_t from = path->size;
    swi_text_format(path, "files/media/%s/", kind);
    swi_media_name(path, key, w->step, sha256, extension);
    int rc = path->failed
                 ? sw_error_set(&err, SW_ENOMEM, "not enough memory for its path")
                 : swi_part_write(w->sink, w->folder, path->data + from, bytes, size, &err);
    if (rc < 0) {
        swi_wandb_media_missing(w, key, &err);
        path->size = from;
        return false;
    }
    size_t cut = sizeof "files/" - 1;
    memmove(path->data + from, path->data + from + cut, path->size - from - cut + 1);
    path->size -= cut;
    swi_records_file(&w->records, path->data + from, SWI_FILE_OF_VALUE);
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

void swi_wandb_column_add(struct swi_wandb_table *table, const char *name, enum swi_wandb_type type)
{
    static const char *const types[] = {"string", "number", "boolean"};
    const char *comma = table->columns++ ? "," : "";
    swi_text_put(&table->names, comma);
    swi_escape_json(&table->names, name);
    swi_text_put(&table->types, comma);
    swi_json_format(&table->types,
                    "%s:{\"params\":{\"allowed_types\":[{\"wb_type\":\"none\"},"
                    "{\"wb_type\":%s}]},\"wb_type\":\"union\"}",
                    name, table->rows ? types[type] : "unknown");
}

/* Adds the members that both files have. */
static void columns_put(struct swi_text *json, const struct swi_wandb_table *table)
{
    swi_text_format(json, "\"columns\":[%s],\"data\":%s", table->columns ? table->names.data : "",
                    table->data.data);
}

/* What the SDK puts into the artifact: the table and the types of its columns. */
static void artifact_json(struct swi_text *json, const struct swi_wandb_table *table)
{
    swi_text_format(json,
                    "{\"_type\":\"table\",\"column_types\":{\"params\":{\"type_map\":{%s}},"
                    "\"wb_type\":\"typedDict\"},",
                    table->columns ? table->types.data : "");
    columns_put(json, table);
    swi_text_format(json, ",\"log_mode\":\"IMMUTABLE\",\"ncols\":%zu,\"nrows\":%zu}",
                    table->columns, table->rows);
}

/* KEY_STEP_NUMBER.table.json without folders, because the upload looks only directly in artifacts/.
 */
static void local_name(struct wandb *w, const char *key, char *below, size_t size)
{
    snprintf(below, size, "artifacts/%.48s_%" PRId64 "_%u.table.json", key, w->step,
             w->artifacts++);
    for (char *at = below + sizeof "artifacts"; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '.' && *at != '-')
            *at = '_';
}

static bool artifact_write(struct wandb *w, const struct swi_wandb_table *table,
                           struct swi_wandb_artifact *artifact, const struct swi_text *json)
{
    char below[160], path[PATH_MAX + 160];
    SWI_FREED struct swi_text file = {0};
    SW_ERROR_SCOPE(err);
    local_name(w, table->key, below, sizeof below);
    snprintf(path, sizeof path, "%s/%s", w->folder, below);
    *artifact = (struct swi_wandb_artifact){.run_id = w->id,
                                            .project = w->found_project,
                                            .entity = w->found_entity,
                                            .local_path = path,
                                            .type = "run_table"};
    swi_media_path(&file, table->key);
    swi_text_put(&file, ".table.json");
    bool made = !file.failed && !json->failed &&
                swi_part_write(w->sink, w->folder, below, json->data, json->size, &err) == 0 &&
                swi_wandb_artifact_table(artifact, table->key, file.data, json->data, json->size);
    if (made)
        swi_records_artifact(&w->records, artifact);
    return made;
}

/* A failure is not an error: a table is complete without its artifact. */
static bool artifact_make(struct wandb *w, const struct swi_wandb_table *table,
                          struct swi_wandb_artifact *artifact)
{
    SWI_FREED struct swi_text json = {0};
    artifact_json(&json, table);
    return artifact_write(w, table, artifact, &json);
}

static void value_put(struct swi_text *value, const struct swi_wandb_table *table, const char *path,
                      const char *sha, size_t size)
{
    swi_text_format(value,
                    "{\"_type\":\"table-file\",\"path\":\"%s\",\"sha256\":\"%s\",\"size\":%zu,"
                    "\"ncols\":%zu,\"nrows\":%zu",
                    path, sha, size, table->columns, table->rows);
}

static void value_artifact_put(struct swi_text *value, const struct swi_wandb_artifact *artifact)
{
    swi_text_format(value,
                    ",\"log_mode\":\"IMMUTABLE\","
                    "\"artifact_path\":\"wandb-client-artifact://%s/%s\","
                    "\"_latest_artifact_path\":\"wandb-client-artifact://%s:latest/%s\"",
                    artifact->id, artifact->file, artifact->sequence, artifact->file);
}

static void row_put(struct wandb *w, const struct sw_record *record,
                    const struct swi_wandb_table *table, const struct swi_text *json)
{
    char sha[65];
    SWI_FREED struct swi_text path = {0};
    struct swi_wandb_artifact artifact;
    swi_sha256_hex(json->data, json->size, sha);
    struct swi_text *value = swi_wandb_media_put(w, &path, "table", table->key, "table.json",
                                                 json->data, json->size, sha)
                                 ? swi_fields_set(swi_wandb_row(w, record), table->key)
                                 : NULL;
    if (value) {
        value_put(value, table, path.data, sha, json->size);
        if (artifact_make(w, table, &artifact))
            value_artifact_put(value, &artifact);
        swi_text_put(value, "}");
    }
}

int swi_wandb_table_write(struct wandb *w, const struct sw_record *record,
                          struct swi_wandb_table *table, struct sw_error *err)
{
    SWI_FREED struct swi_text json = {0};
    json.failed = table->names.failed || table->types.failed || table->data.failed;
    swi_text_put(&json, "{");
    if (!json.failed)
        columns_put(&json, table);
    swi_text_put(&json, "}");
    int rc = json.failed
                 ? sw_error_set(err, SW_ENOMEM, "not enough memory for the table %s", table->key)
                 : 0;
    if (rc == 0)
        row_put(w, record, table, &json);
    swi_text_free(&table->names);
    swi_text_free(&table->types);
    swi_text_free(&table->data);
    return rc;
}
