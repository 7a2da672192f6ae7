/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/data_table.h"
#include "core/text/escape.h"
#include "core/text/sha256.h"
#include "sinks/wandb/history.h"
#include "sinks/wandb/values/artifact.h"

static void columns_put(struct swi_text *json, const struct swi_wandb_table *table)
{
    swi_text_put(json, "\"columns\":[");
    for (size_t c = 0; c < table->columns; c++) {
        swi_text_put(json, c ? "," : "");
        swi_escape_json(json, table->column[c].name);
    }
    swi_text_format(json, "],\"data\":%s", table->data.data);
}

static void types_put(struct swi_text *json, const struct swi_wandb_table *table)
{
    swi_text_put(json, "{\"params\":{\"type_map\":{");
    for (size_t c = 0; c < table->columns; c++) {
        swi_text_put(json, c ? "," : "");
        swi_escape_json(json, table->column[c].name);
        swi_text_format(json,
                        ":{\"params\":{\"allowed_types\":[{\"wb_type\":\"none\"},"
                        "{\"wb_type\":\"%s\"}]},\"wb_type\":\"union\"}",
                        table->column[c].number ? "number" : "string");
    }
    swi_text_put(json, "}},\"wb_type\":\"typedDict\"}");
}

static int file_write(struct wandb *w, const char *below, const struct swi_text *json,
                      struct sw_error *err)
{
    char path[PATH_MAX + 512];
    if (json->failed)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the table %s", below);
    snprintf(path, sizeof path, "%s/%s", w->folder, below);
    return sw_sink_replace(w->sink, path, json->data, json->size, err);
}

/* A failure is not an error: a table is complete without its artifact. */
static bool artifact_write(struct wandb *w, const struct swi_wandb_table *table,
                           struct swi_wandb_artifact *artifact, struct sw_error *err)
{
    char below[128], path[PATH_MAX + 128];
    struct swi_text json = {0};
    swi_text_put(&json, "{\"_type\":\"table\",\"column_types\":");
    types_put(&json, table);
    swi_text_put(&json, ",");
    columns_put(&json, table);
    swi_text_format(&json, ",\"log_mode\":\"IMMUTABLE\",\"ncols\":%zu,\"nrows\":%zu}",
                    table->columns, table->rows);
    snprintf(below, sizeof below, "artifacts/%s_%" PRId64 ".table.json", table->key, w->step);
    snprintf(path, sizeof path, "%s/%s", w->folder, below);
    *artifact = (struct swi_wandb_artifact){.run_id = w->id,
                                            .project = w->found_project,
                                            .entity = w->found_entity,
                                            .local_path = path};
    bool made = file_write(w, below, &json, err) == 0 &&
                swi_wandb_artifact_make(artifact, table->key, json.data, json.size);
    if (made)
        swi_records_artifact(&w->records, artifact);
    swi_text_free(&json);
    return made;
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

int swi_wandb_table_write(struct wandb *w, const struct sw_record *record,
                          const struct swi_wandb_table *table, struct sw_error *err)
{
    char sha[65], below[256];
    const char *path = below + sizeof "files/" - 1;
    struct swi_wandb_artifact artifact;
    struct swi_text json = {0};
    swi_text_put(&json, "{");
    columns_put(&json, table);
    swi_text_put(&json, "}");
    swi_sha256_hex(json.data, json.size, sha);
    snprintf(below, sizeof below, "files/media/table/%s_%" PRId64 "_%.20s.table.json", table->key,
             w->step, sha);
    int rc = file_write(w, below, &json, err);
    struct swi_text *value = rc < 0 ? NULL : swi_fields_set(swi_wandb_row(w, record), table->key);
    if (value) {
        bool made = artifact_write(w, table, &artifact, err);
        swi_records_file(&w->records, path, true);
        value_put(value, table, path, sha, json.size);
        if (made)
            value_artifact_put(value, &artifact);
        swi_text_put(value, "}");
    }
    swi_text_free(&json);
    return rc;
}
