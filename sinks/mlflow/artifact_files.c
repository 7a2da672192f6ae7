/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/mlflow_sink.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "sinks/common/part_file.h"
#include "sinks/common/value_table.h"
#include "sinks/mlflow/upload/clean_key.h"

#include <stdlib.h>
#include <string.h>

/* An image has 100 characters more in its name, and a file system allows 255. */
enum { KEY_MAX = 150 };

void swi_artifact_key(struct swi_text *path, const char *name)
{
    SWI_FREED struct swi_text key = {0};
    swi_clean_key(&key, name, strlen(name), KEY_MAX, true);
    swi_text_add(path, key.data ? key.data : "", key.size);
    path->failed |= key.failed;
}

void swi_artifact_missing(struct mlflow *m, const char *name, const struct sw_error *err)
{
    SWI_FREED struct swi_text safe = {0};
    if (!m->value_missing) {
        swi_escape_terminal(&safe, name);
        sw_sink_say(m->sink, 1, "%.300s is not in the run: %s; more such values are only counted",
                    safe.data ? safe.data : "", sw_error_text(err));
    }
    m->value_missing = true;
    sw_sink_lost(m->sink, 1);
}

void swi_artifact_line(struct mlflow *m, const char *path, const char *file, bool table)
{
    swi_json_format(&m->lines, "{\"type\":\"artifact\",\"path\":%s", path);
    if (file)
        swi_json_format(&m->lines, ",\"file\":%s", file);
    swi_text_put(&m->lines, table ? ",\"table\":true}\n" : "}\n");
}

/* The line comes after the file, so that it never names what does not exist. */
static bool end(struct mlflow *m, const struct swi_text *path, bool table, int rc,
                const struct sw_error *err)
{
    if (rc < 0)
        swi_artifact_missing(m, path->data ? path->data : "a value", err);
    else
        swi_artifact_line(m, path->data, NULL, table);
    return rc == 0;
}

static int below_make(char *below, size_t size, const struct swi_text *path, struct sw_error *err)
{
    if (path->failed || snprintf(below, size, "artifacts/%s", path->data) >= (int)size)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for its path");
    return 0;
}

bool swi_artifact_put(struct mlflow *m, const struct swi_text *path, const void *bytes, size_t size,
                      bool table)
{
    SW_ERROR_SCOPE(err);
    char below[1024];
    int rc = below_make(below, sizeof below, path, &err);
    if (rc == 0)
        rc = swi_part_write(m->sink, m->folder, below, bytes, size, &err);
    return end(m, path, table, rc, &err);
}

bool swi_artifact_copy(struct mlflow *m, const struct swi_text *path,
                       const struct sw_kept_file *file)
{
    SW_ERROR_SCOPE(err);
    char below[1024];
    int rc = below_make(below, sizeof below, path, &err);
    if (rc == 0)
        rc = swi_part_copy(m->sink, m->folder, below, file, NULL, &err);
    return end(m, path, false, rc, &err);
}

static const int64_t lines_interval_ns = INT64_C(60000000000);

/* ---- alerts ---------------------------------------------------------------------------------- */

void swi_mlflow_alert(struct mlflow *m, const struct sw_record *record)
{
    const struct sw_alert *alert = record->alert;
    SWI_FREED struct swi_text columns = {0}, rows = {0};
    char date[SWI_ISO_DATE];
    bool known = swi_iso_date(date, (int64_t)record->wall_s, -1, "Z");
    swi_text_put(&columns, "[\"time\",\"step\",\"level\",\"title\",\"text\"]");
    swi_json_format(&rows, "[[%s,%" PRId64 ",%s,%s,%s]]", known ? date : "", record->step,
                    swi_level_word(alert->level), alert->title, alert->text);
    swi_table_put(m, "alerts", &columns, &rows, 1);
}

/* ---- lines of the program -------------------------------------------------------------------- */

static bool output_open(struct mlflow *m)
{
    SW_ERROR_SCOPE(err);
    char path[PATH_MAX + 32];
    if (m->output || m->no_output)
        return m->output != NULL;
    snprintf(path, sizeof path, "%s/artifacts/output.log", m->folder);
    m->no_output = sw_sink_create(m->sink, path, &m->output, &err) < 0;
    if (m->no_output)
        swi_artifact_missing(m, "output.log", &err);
    return m->output != NULL;
}

void swi_mlflow_line(struct mlflow *m, const struct sw_line *line)
{
    if (!output_open(m))
        return;
    fprintf(m->output, "%s\n", line->text);
    m->output_grown = true;
}

void swi_mlflow_lines_upload(struct mlflow *m, bool now)
{
    int64_t now_ns = swi_now_ns();
    bool due = now || !m->output_ns || now_ns - m->output_ns >= lines_interval_ns;
    if (!m->output_grown || !due)
        return;
    fflush(m->output);
    swi_artifact_line(m, "output.log", NULL, false);
    m->output_grown = false;
    m->output_ns = now_ns;
}

/* Each new table writes its whole file again, so the file is limited. */
enum { ROWS_MAX = 10000 };

static const char table_end[] = "]}"; /* of each file */

/* ---- tables: which there are ----------------------------------------------------------------- */

/* Whether another table, or the run itself, has a file of this path. */
static bool is_taken(const struct swi_table_artifacts *tables, const char *path)
{
    return strcmp(path, "profile_report.json") == 0 || strcmp(path, "all_ranks.json") == 0 ||
           swi_map_find(&tables->paths, path, strlen(path)) >= 0;
}

void swi_tables_free(struct swi_table_artifacts *tables)
{
    for (size_t i = 0; i < tables->names.count; i++)
        free(tables->item[i].columns);
    free(tables->item);
    swi_map_free(&tables->names);
    swi_map_free(&tables->paths);
    *tables = (struct swi_table_artifacts){0};
}

/* ---- tables: their files -----------------------------------------------------------------------
 */

/* Adds NAME.json, or NAME_2.json and so on, to the paths. NULL without memory. */
static const char *path_new(struct swi_table_artifacts *tables, const char *name)
{
    SWI_FREED struct swi_text path = {0};
    int number = 1;
    do {
        path.size = 0;
        swi_artifact_key(&path, name);
        if (number > 1)
            swi_text_format(&path, "_%d", number);
        swi_text_put(&path, ".json");
        number++;
    } while (!path.failed && is_taken(tables, path.data));
    ptrdiff_t added = path.failed ? -1 : swi_map_add(&tables->paths, path.data, path.size);
    return added < 0 ? NULL : tables->paths.name[added].text;
}

/* Begins a file of a table. */
static bool begin(struct swi_table_artifacts *tables, struct swi_table_artifact *table,
                  const char *name, const char *columns)
{
    char *copy = strdup(columns);
    const char *path = copy ? path_new(tables, name) : NULL;
    if (!path) {
        free(copy);
        return false;
    }
    free(table->columns);
    *table = (struct swi_table_artifact){.columns = copy, .path = path};
    return true;
}

/* Adds what the file of a table has, up to its table_end. Returns false if it cannot be read. */
static bool rows_so_far(struct swi_text *text, const struct mlflow *m,
                        const struct swi_table_artifact *table)
{
    char path[PATH_MAX + 1024];
    snprintf(path, sizeof path, "%s/artifacts/%s", m->folder, table->path);
    FILE *file = fopen(path, "re");
    size_t size = 1;
    while (file && size && swi_text_reserve(text, 65536)) {
        size = fread(text->data + text->size, 1, 65536, file);
        text->size += size;
    }
    bool good = file && !ferror(file) && !text->failed && text->size > sizeof table_end;
    if (file)
        fclose(file);
    if (good)
        text->size -= sizeof table_end - 1;
    return good;
}

static void write_rows(struct mlflow *m, struct swi_table_artifact *table,
                       const struct swi_text *rows, size_t count)
{
    SWI_FREED struct swi_text text = {0}, path = {0};
    bool more = table->rows && rows_so_far(&text, m, table);
    if (!more) {
        text.size = 0;
        swi_text_format(&text, "{\"columns\":%s,\"data\":[", table->columns);
    }
    swi_text_put(&text, more && count ? "," : "");
    swi_text_add(&text, rows->data + 1, rows->size - 2);
    swi_text_put(&text, table_end);
    swi_text_put(&path, table->path);
    path.failed |= text.failed;
    if (swi_artifact_put(m, &path, text.data, text.size, true))
        table->rows += count;
}

/* Returns the file that these rows belong to, or NULL without memory. */
static struct swi_table_artifact *table_for(struct swi_table_artifacts *tables, const char *name,
                                            const char *columns, size_t count)
{
    struct swi_table_artifact *table =
        swi_map_item(&tables->names, &tables->item, sizeof *table, name, strlen(name));
    bool fits = table && table->columns && strcmp(table->columns, columns) == 0 &&
                table->rows + count <= ROWS_MAX;
    return fits || (table && begin(tables, table, name, columns)) ? table : NULL;
}

void swi_table_put(struct mlflow *m, const char *name, const struct swi_text *columns,
                   const struct swi_text *rows, size_t count)
{
    SW_ERROR_SCOPE(err);
    struct swi_table_artifact *table = NULL;
    if (!columns->failed && !rows->failed)
        table = table_for(&m->tables_kept, name, columns->data, count);
    if (table) {
        write_rows(m, table, rows, count);
        return;
    }
    sw_error_set(&err, SW_ENOMEM, "not enough memory for the table");
    swi_artifact_missing(m, name, &err);
}
