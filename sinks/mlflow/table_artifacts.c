/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/table_artifacts.h"
#include "sinks/mlflow/artifact_files.h"

#include <stdlib.h>
#include <string.h>

/* Each new table writes its whole file again, so the file is limited. */
enum { ROWS_MAX = 10000 };

static const char end[] = "]}"; /* of each file */

/* ---- which there are ------------------------------------------------------------------------- */

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

/* ---- files ----------------------------------------------------------------------------------- */

/* Adds NAME.json, or NAME_2.json and so on, to the paths. NULL without memory. */
static const char *path_new(struct swi_table_artifacts *tables, const char *name)
{
    struct swi_text path = {0};
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
    swi_text_free(&path);
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

/* Adds what the file of a table has, up to its end. Returns false if it cannot be read. */
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
    bool good = file && !ferror(file) && !text->failed && text->size > sizeof end;
    if (file)
        fclose(file);
    if (good)
        text->size -= sizeof end - 1;
    return good;
}

static void write_rows(struct mlflow *m, struct swi_table_artifact *table,
                       const struct swi_text *rows, size_t count)
{
    struct swi_text text = {0}, path = {0};
    bool more = table->rows && rows_so_far(&text, m, table);
    if (!more) {
        text.size = 0;
        swi_text_format(&text, "{\"columns\":%s,\"data\":[", table->columns);
    }
    swi_text_put(&text, more && count ? "," : "");
    swi_text_add(&text, rows->data + 1, rows->size - 2);
    swi_text_put(&text, end);
    swi_text_put(&path, table->path);
    path.failed |= text.failed;
    if (swi_artifact_put(m, &path, text.data, text.size, true))
        table->rows += count;
    swi_text_free(&text);
    swi_text_free(&path);
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
