/* SPDX-License-Identifier: MIT */
/* value_artifacts.c - values and the report of all ranks as artifacts, where MLflow's own
 * client and page look for them. */
#include "core/text/escape.h"
#include "sinks/common/file_names.h"
#include "sinks/common/grid.h"
#include "sinks/common/report_output.h"
#include "sinks/common/value_table.h"
#include "sinks/mlflow/mlflow_sink.h"

#include <math.h>
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
    SWI_FREED struct swi_text path = {0};
    const char *text = record->value->text;
    step_path(&path, record, "texts/", "md");
    swi_artifact_put(m, &path, text, strlen(text), false);
}

static void histogram_put(struct mlflow *m, const struct sw_record *record)
{
    SWI_FREED struct swi_text path = {0}, text = {0};
    const struct sw_bins *bins = record->value->bins;
    step_path(&path, record, "histograms/", "json");
    swi_text_put(&text, "{\"columns\":[\"low\",\"high\",\"count\"],\"data\":[");
    for (size_t i = 0; i < bins->count; i++) {
        const struct sw_bin *bin = sw_bins_at(bins, i);
        swi_json_format(&text, i ? ",[%g,%g,%" PRIu64 "]" : "[%g,%g,%" PRIu64 "]", bin->low,
                        bin->high, bin->count);
    }
    swi_text_put(&text, "]}");
    path.failed |= text.failed;
    swi_artifact_put(m, &path, text.data, text.size, false);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_put(struct mlflow *m, const struct sw_record *record)
{
    SWI_FREED struct swi_text columns = {0}, rows = {0};
    const struct sw_table *table = record->value->table;
    swi_columns_json(&columns, table);
    swi_rows_json(&rows, table, swi_cell_json);
    swi_table_put(m, record->value->name, &columns, &rows, table->rows);
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Random, as the client's: equal images of one step are two. */
static int uuid_make(char uuid[37], struct sw_error *err)
{
    char id[33];
    int rc = swi_random_id(id, err);
    if (rc == 0)
        snprintf(uuid, 37, "%.8s-%.4s-4%.3s-a%.3s-%.12s", id, id + 8, id + 13, id + 17, id + 20);
    return rc;
}

/* images/KEY+step+S+timestamp+MS+UUID, where a slash of the key is ~: MLflow's page reads all of it
 * from the name. */
static void image_path(struct swi_text *path, const struct sw_record *record, const char *uuid)
{
    size_t from = sizeof "images/" - 1;
    swi_text_put(path, "images/");
    swi_artifact_key(path, record->value->name);
    for (size_t i = from; i < path->size; i++)
        path->data[i] = path->data[i] == '/' ? '~' : path->data[i];
    swi_text_format(path, "+step+%" PRId64 "+timestamp+%.0f+%s", record->step,
                    floor(record->wall_s * 1e3), uuid);
}

/* The page shows files of these two names only, whatever they contain: the first at its full size,
 * the second, which the client makes smaller, in the list. */
static void image_files(struct mlflow *m, struct swi_text *name, const void *bytes, size_t size)
{
    SWI_FREED struct swi_text path = {0};
    swi_text_add(&path, name->data ? name->data : "", name->size);
    swi_text_put(&path, ".png");
    swi_text_put(name, "+compressed.webp");
    path.failed |= name->failed;
    if (swi_artifact_put(m, &path, bytes, size, false))
        swi_artifact_line(m, name->data, path.data, false);
}

static void image_put(struct mlflow *m, const struct sw_record *record,
                      const struct sw_picture *picture)
{
    SW_ERROR_SCOPE(err);
    char uuid[37];
    const void *bytes;
    size_t size;
    SWI_FREED struct swi_text name = {0};
    int rc = sw_sink_encode(m->sink, picture, &bytes, &size, &err);
    if (rc == 0)
        rc = uuid_make(uuid, &err);
    if (rc == 0) {
        image_path(&name, record, uuid);
        image_files(m, &name, bytes, size);
    } else {
        swi_artifact_missing(m, record->value->name, &err);
    }
    if (picture->caption)
        swi_mlflow_unsupported(m, SWI_UNSUPPORTED_CAPTIONS,
                               "MLflow has no captions of images, so they are not in the run");
}

/* Images as the client's log_image() writes them. */
static void images_put(struct mlflow *m, const struct sw_record *record)
{
    const struct sw_pictures *pictures = record->value->pictures;
    if (!m->has_images && pictures->count)
        swi_mlflow_tag_line(&m->lines, "mlflow.loggedImages", "True");
    m->has_images |= pictures->count > 0;
    for (size_t i = 0; i < pictures->count; i++)
        image_put(m, record, sw_pictures_at(pictures, i));
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
    SWI_FREED struct swi_text path = {0};
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
}

/* ---- the report of all ranks ----------------------------------------------------------------- */

static void ranks_put(struct mlflow *m, const char *name, struct swi_text *content, bool table)
{
    SW_ERROR_SCOPE(err);
    SWI_FREED struct swi_text path = {0};
    swi_text_put(&path, name);
    if (content->failed) {
        sw_error_set(&err, SW_ENOMEM, "not enough memory");
        swi_artifact_missing(m, name, &err);
    } else {
        swi_artifact_put(m, &path, content->data, content->size, table);
    }
    swi_text_free(content);
}

static void ranks_page_put(struct mlflow *m, const struct sw_ranks *ranks,
                           const struct sw_report *report)
{
    struct swi_text text = {0};
    swi_markdown_report(&text, report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    swi_text_put(&text, "\n");
    swi_ranks_notes(&text, ranks, swi_escape_markdown, true);
    ranks_put(m, "all_ranks.md", &text, false);
}

static void ranks_table_put(struct mlflow *m, const struct sw_report *report)
{
    struct swi_text text = {0};
    struct swi_grid grid;
    text.failed = !swi_grid_init(&grid, report, SWI_RAW, SWI_COLUMNS_ALL, swi_escape_none);
    swi_text_put(&text, "{\"columns\":");
    if (!text.failed)
        swi_grid_headers_json(&text, &grid);
    swi_text_put(&text, ",\"data\":");
    if (!text.failed)
        swi_grid_rows_json(&text, &grid, SWI_RAW);
    swi_text_put(&text, "}");
    swi_grid_fini(&grid);
    ranks_put(m, "all_ranks.json", &text, true);
}

void swi_mlflow_ranks(struct mlflow *m, const struct sw_ranks *ranks)
{
    struct sw_report report;
    if (swi_ranks_report_init(&report, ranks)) {
        ranks_page_put(m, ranks, &report);
        ranks_table_put(m, &report);
    } else {
        ranks_put(m, "all_ranks.md", &(struct swi_text){.failed = true}, false);
    }
    swi_ranks_report_fini(&report);
}

/* ---- all ------------------------------------------------------------------------------------- */

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
        images_put(m, record);
}
