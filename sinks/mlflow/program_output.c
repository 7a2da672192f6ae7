/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/program_output.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "core/text/iso_date.h"
#include "sinks/mlflow/artifact_files.h"

static const int64_t lines_interval_ns = INT64_C(60000000000);

/* ---- alerts ---------------------------------------------------------------------------------- */

static void date_add(struct swi_text *text, double wall_s)
{
    char date[SWI_ISO_DATE];
    bool known = swi_iso_date(date, (int64_t)wall_s, -1, "Z");
    swi_escape_json(text, known ? date : "");
}

void swi_mlflow_alert(struct mlflow *m, const struct sw_record *record)
{
    static const char *const levels[] = {"note", "warning", "error"};
    const struct sw_alert *alert = record->alert;
    struct swi_text columns = {0}, rows = {0};
    int level = alert->level < 0 ? 0 : alert->level > 2 ? 2 : alert->level;
    swi_text_put(&columns, "[\"time\",\"step\",\"level\",\"title\",\"text\"]");
    swi_text_put(&rows, "[[");
    date_add(&rows, record->wall_s);
    swi_text_format(&rows, ",%" PRId64 ",\"%s\",", record->step, levels[level]);
    swi_escape_json(&rows, alert->title);
    swi_text_put(&rows, ",");
    swi_escape_json(&rows, alert->text);
    swi_text_put(&rows, "]]");
    swi_table_put(m, "alerts", &columns, &rows, 1);
    swi_text_free(&columns);
    swi_text_free(&rows);
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
