/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/table_artifacts.h"
#include "sinks/mlflow/artifact_files.h"

#include <stdlib.h>
#include <string.h>

/* Each new table writes its whole file again, so the file is limited. */
enum { ROWS_MAX = 10000 };

static const char end[] = "]}"; /* of each file */

/* ---- which there are ------------------------------------------------------------------------- */

/* Returns the newest file of a table, or NULL. */
static struct swi_table_artifact *find(struct swi_table_artifacts *tables, const char *name)
{
    for (size_t i = tables->count; i-- > 0;)
        if (strcmp(tables->item[i].name, name) == 0)
            return &tables->item[i];
    return NULL;
}

/* Whether another table, or the run itself, has a file of this path. */
static bool is_taken(const struct swi_table_artifacts *tables, const char *path)
{
    bool taken = strcmp(path, "profile_report.json") == 0 || strcmp(path, "all_ranks.json") == 0;
    for (size_t i = 0; i < tables->count; i++)
        taken |= strcmp(tables->item[i].path, path) == 0;
    return taken;
}

static void item_free(struct swi_table_artifact *table)
{
    free(table->name);
    free(table->columns);
    free(table->path);
}

void swi_tables_free(struct swi_table_artifacts *tables)
{
    for (size_t i = 0; i < tables->count; i++)
        item_free(&tables->item[i]);
    free(tables->item);
    *tables = (struct swi_table_artifacts){0};
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Returns NAME.json, or NAME_2.json and so on; NULL without memory. */
static char *path_find(const struct swi_table_artifacts *tables, const char *name)
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
    char *found = path.failed ? NULL : strdup(path.data);
    swi_text_free(&path);
    return found;
}

/* Begins a file; earlier ones of the table stay in the list, so that none gets their path. */
static struct swi_table_artifact *begin(struct swi_table_artifacts *tables, const char *name,
                                        const char *columns)
{
    struct swi_table_artifact *grown = realloc(tables->item, (tables->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    tables->item = grown;
    grown += tables->count;
    *grown = (struct swi_table_artifact){strdup(name), strdup(columns), path_find(tables, name), 0};
    if (grown->name && grown->columns && grown->path) {
        tables->count++;
        return grown;
    }
    item_free(grown);
    return NULL;
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
    struct swi_table_artifact *table = find(tables, name);
    bool fits = table && strcmp(table->columns, columns) == 0 && table->rows + count <= ROWS_MAX;
    return fits ? table : begin(tables, name, columns);
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
