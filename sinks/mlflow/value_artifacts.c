/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/value_artifacts.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "sinks/common/value_table.h"
#include "sinks/mlflow/artifact_files.h"
#include "sinks/mlflow/image_artifacts.h"
#include "sinks/mlflow/unsupported.h"

#include <string.h>

/* ---- texts and histograms -------------------------------------------------------------------- */

/* FOLDER/NAME_STEP.EXTENSION: a later value of the same step replaces it. */
static void step_path(struct swi_text *path, const struct sw_record *record, const char *folder,
                      const char *extension)
{
    swi_text_put(path, folder);
    swi_artifact_key(path, record->value->name);
    swi_text_format(path, "_%" PRId64 ".%s", record->step, extension);
}

static void text_put(struct mlflow *m, const struct sw_record *record)
{
    struct swi_text path = {0};
    const char *text = record->value->text;
    step_path(&path, record, "texts/", "md");
    swi_artifact_put(m, &path, text, strlen(text), false);
    swi_text_free(&path);
}

static void bin_add(struct swi_text *text, const struct sw_bin *bin)
{
    swi_text_put(text, "[");
    swi_number_json(text, bin->low);
    swi_text_put(text, ",");
    swi_number_json(text, bin->high);
    swi_text_format(text, ",%" PRIu64 "]", bin->count);
}

static void histogram_put(struct mlflow *m, const struct sw_record *record)
{
    struct swi_text path = {0}, text = {0};
    const struct sw_bins *bins = record->value->bins;
    step_path(&path, record, "histograms/", "json");
    swi_text_put(&text, "{\"columns\":[\"low\",\"high\",\"count\"],\"data\":[");
    for (size_t i = 0; i < bins->count; i++) {
        swi_text_put(&text, i ? "," : "");
        bin_add(&text, sw_bins_at(bins, i));
    }
    swi_text_put(&text, "]}");
    path.failed |= text.failed;
    swi_artifact_put(m, &path, text.data, text.size, false);
    swi_text_free(&path);
    swi_text_free(&text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_put(struct mlflow *m, const struct sw_record *record)
{
    struct swi_text columns = {0}, rows = {0};
    const struct sw_table *table = record->value->table;
    for (size_t i = 0; i < table->columns; i++) {
        swi_text_put(&columns, i ? "," : "[");
        swi_escape_json(&columns, sw_table_at(table, i)->name);
    }
    swi_text_put(&columns, table->columns ? "]" : "[]");
    swi_rows_json(&rows, table, swi_cell_json);
    swi_table_put(m, record->value->name, &columns, &rows, table->rows);
    swi_text_free(&columns);
    swi_text_free(&rows);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Whether the run itself has a file of this name. */
static bool is_own(const char *name)
{
    static const char *const own[] = {"report.md", "profile_report.json", "alerts.json",
                                      "output.log"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

/* BASE, or NAME/BASE of an artifact, as log_artifact() does. A file of the same path replaces it.
 */
static void file_put(struct mlflow *m, const struct sw_kept_file *file)
{
    struct swi_text path = {0};
    if (file->type) {
        swi_artifact_key(&path, file->name);
        swi_text_put(&path, "/");
    } else if (is_own(file->base)) {
        swi_text_put(&path, "files/");
    }
    swi_artifact_key(&path, file->base);
    swi_artifact_copy(m, &path, file);
    if (file->description || file->aliases[0])
        swi_mlflow_unsupported(
            m, SWI_UNSUPPORTED_ALIASES,
            "MLflow has no aliases and descriptions of files, so they are not in the run");
    swi_text_free(&path);
}

void swi_mlflow_value(struct mlflow *m, const struct sw_record *record)
{
    const struct sw_value *value = record->value;
    if (value->file)
        file_put(m, value->file);
    else if (value->text)
        text_put(m, record);
    else if (value->bins)
        histogram_put(m, record);
    else if (value->table)
        table_put(m, record);
    else if (value->pictures)
        swi_mlflow_images(m, record);
}
