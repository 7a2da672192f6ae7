/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/ranks_artifacts.h"
#include "sinks/common/grid_json.h"
#include "sinks/common/markdown_report.h"
#include "sinks/common/ranks_report.h"
#include "sinks/mlflow/artifact_files.h"

static void put(struct mlflow *m, const char *name, struct swi_text *content, bool table)
{
    SW_ERROR_SCOPE(err);
    struct swi_text path = {0};
    swi_text_put(&path, name);
    if (content->failed) {
        sw_error_set(&err, SW_ENOMEM, "not enough memory");
        swi_artifact_missing(m, name, &err);
    } else {
        swi_artifact_put(m, &path, content->data, content->size, table);
    }
    swi_text_free(&path);
    swi_text_free(content);
}

static void page_put(struct mlflow *m, const struct sw_ranks *ranks, const struct sw_report *report)
{
    struct swi_text text = {0};
    swi_markdown_report(&text, report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    swi_text_put(&text, "\n");
    swi_ranks_notes(&text, ranks, swi_escape_markdown, true);
    put(m, "all_ranks.md", &text, false);
}

static void table_put(struct mlflow *m, const struct sw_report *report)
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
    put(m, "all_ranks.json", &text, true);
}

void swi_mlflow_ranks(struct mlflow *m, const struct sw_ranks *ranks)
{
    struct sw_report report;
    if (swi_ranks_report_init(&report, ranks)) {
        page_put(m, ranks, &report);
        table_put(m, &report);
    } else {
        put(m, "all_ranks.md", &(struct swi_text){.failed = true}, false);
    }
    swi_ranks_report_fini(&report);
}
