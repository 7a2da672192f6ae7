/* SPDX-License-Identifier: MIT */
/* journal_lines.c - what becomes of the lines of a journal: metrics, parameters, tags and files. */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "core/text/vec.h"
#include "net/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARAM_MAX = 6000 };

static int64_t integer_at(const json_t *line, const char *name)
{
    return json_integer_value(json_object_get(line, name));
}

const char *swi_journal_text(const struct swi_journal_run *described, const char *name)
{
    return swi_json_text_at(described->mlflow, name);
}

/* ---- times and values ------------------------------------------------------------------------ */

int64_t swi_line_ms(const struct swi_journal_run *described, int64_t ns)
{
    int64_t us = ns / 1000 - (ns % 1000 < 0);
    int64_t all_us = us > INT64_MAX / 2 ? described->started_us : described->started_us + us;
    return all_us / 1000 - (all_us % 1000 < 0);
}

/* Adds the text of a value of the configuration: integers and texts as they are, other numbers with
 * the fewest digits that read back. */
static void line_value(struct swi_text *text, const json_t *value)
{
    if (json_is_integer(value))
        swi_text_integer(text, json_integer_value(value));
    else if (json_is_real(value))
        swi_number_exact(text, json_real_value(value));
    else if (json_is_boolean(value))
        swi_text_put(text, json_is_true(value) ? "true" : "false");
    else
        swi_text_put(text, swi_json_text(value));
}

/* Adds the JSON of a value: a number, or the text of one that is not finite. Returns false for
 * anything else, which the server would take for 0. */
static bool number_add(struct swi_text *text, const json_t *value)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    if (json_is_number(value)) {
        swi_number_json(text, json_number_value(value));
        return true;
    }
    for (size_t i = 0; i < 3; i++)
        if (strcmp(swi_json_text(value), words[i]) == 0) {
            swi_text_format(text, "\"%s\"", words[i]);
            return true;
        }
    return false;
}

/* ---- items that wait to be sent together ----------------------------------------------------- */

void swi_items_clear(struct swi_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->item[i].name);
    items->count = 0;
    items->json.size = 0;
}

void swi_items_free(struct swi_items *items)
{
    swi_items_clear(items);
    free(items->item);
    swi_text_free(&items->json);
    *items = (struct swi_items){0};
}

void swi_item_begin(struct swi_items *items, const char *name)
{
    char *copy = strdup(name);
    items->failed |=
        !copy || !swi_vec_grow(&items->item, items->count, &items->room, sizeof *items->item);
    if (items->failed)
        free(copy);
    else
        items->item[items->count] = (struct swi_batch_item){.at = items->json.size, .name = copy};
}

void swi_item_end(struct swi_items *items)
{
    items->failed |= items->json.failed;
    if (items->failed)
        return;
    struct swi_batch_item *item = &items->item[items->count++];
    item->size = items->json.size - item->at;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void metric_add(struct swi_run_upload *upload, const char *name, const json_t *value,
                       int64_t ms, int64_t step)
{
    struct swi_text number = {0};
    const char *key = swi_tracking_key(&upload->metric_keys, name);
    upload->metrics.failed |= !key;
    if (key && number_add(&number, value)) {
        swi_item_begin(&upload->metrics, name);
        swi_json_format(&upload->metrics.json,
                        "{\"key\":%s,\"value\":%.*s,\"timestamp\":%" PRId64 ",\"step\":%" PRId64
                        "}",
                        key, (int)number.size, number.data, ms, step);
        swi_item_end(&upload->metrics);
    }
    swi_text_free(&number);
}

/* About a parameter. */
static void warn(struct swi_run_upload *upload, const char *before, const char *name,
                 const char *after)
{
    swi_warn_of(upload->options.say, upload->options.arg, before, name, after, "");
}

static void step_note(struct swi_run_upload *upload, int64_t step, bool by_user)
{
    if (by_user && step < upload->described.step && !upload->backwards) {
        upload->backwards = true;
        upload->options.say(upload->options.arg, 0,
                            "the step has gone back: the chart of MLflow has both values of a "
                            "step, and may show the older one as the last");
    }
    if (by_user)
        upload->described.step = step;
}

static void value_take(struct swi_run_upload *upload, const char *name, const json_t *line,
                       const char *field, bool sent)
{
    if (sent)
        swi_tracking_key(&upload->metric_keys, name);
    else
        metric_add(upload, name, json_object_get(line, field),
                   swi_line_ms(&upload->described, integer_at(line, "t")),
                   integer_at(line, "step"));
}

/* What a value of the program's has beside its mean are metrics of their own, as in other sinks. */
static void thinned_take(struct swi_run_upload *upload, const json_t *line, bool sent)
{
    static const char *const fields[] = {"min", "max", "count"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct swi_text name = {0};
        swi_text_format(&name, "%s/%s", swi_json_text_at(line, "name"), fields[i]);
        if (!name.failed && json_object_get(line, fields[i]))
            value_take(upload, name.data, line, fields[i], sent);
        upload->metrics.failed |= name.failed;
        swi_text_free(&name);
    }
}

static void metric_take(struct swi_run_upload *upload, const json_t *line, bool sent)
{
    const char *by = swi_json_text_at(line, "by");
    step_note(upload, integer_at(line, "step"),
              !*by && !json_is_true(json_object_get(line, "own_step")));
    value_take(upload, swi_json_text_at(line, "name"), line, "value", sent);
    if (!*by)
        thinned_take(upload, line, sent);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void param_add(struct swi_run_upload *upload, const char *name, const char *key,
                      const char *value)
{
    size_t size = swi_characters_size(value, PARAM_MAX);
    struct swi_text cut = {0};
    swi_text_add(&cut, value, size);
    if (value[size])
        warn(upload, "the value of the parameter ", name, " is cut after 6000 characters");
    swi_item_begin(&upload->params, name);
    swi_json_format(&upload->params.json, "{\"key\":%s,\"value\":%s}", key,
                    cut.data ? cut.data : "");
    swi_item_end(&upload->params);
    swi_text_free(&cut);
}

/* A parameter has one value. */
static void param_take(struct swi_run_upload *upload, const json_t *line, bool sent)
{
    struct swi_text value = {0};
    const char *name = swi_json_text_at(line, "name"),
               *key = swi_tracking_key(&upload->param_keys, name);
    line_value(&value, json_object_get(line, "value"));
    upload->params.failed |= !key || value.failed;
    const char *text = value.data ? value.data : "";
    const json_t *known = key ? json_object_get(upload->param_values, key) : NULL;
    if (known && strcmp(json_string_value(known), text) != 0 && !sent)
        warn(upload, "the parameter ", name, " has another value now; MLflow keeps the first");
    if (key && !known) {
        json_object_set_new(upload->param_values, key, json_string(text));
        if (!sent)
            param_add(upload, name, key, text);
    }
    swi_text_free(&value);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void duration_add(struct swi_run_upload *upload, const char *name, const json_t *ns,
                         int64_t ms, int64_t step)
{
    double seconds = json_number_value(ns) / 1e9;
    json_t *value = json_is_number(ns) && isfinite(seconds) ? json_real(seconds) : NULL;
    if (value)
        metric_add(upload, name, value, ms, step);
    json_decref(value);
}

static void row_take(struct swi_run_upload *upload, const json_t *row, int64_t ms, int64_t step)
{
    struct swi_text name = {0};
    const char *phase = swi_json_text_at(row, "phase"), *action = swi_json_text_at(row, "action");
    bool whole = strcmp(phase, "fit") == 0 && strcmp(action, "fit") == 0; /* fit/duration */
    if (whole || integer_at(row, "calls") < 1)
        return;
    swi_text_format(&name, "%s/%s_duration", phase, action);
    if (!name.failed)
        duration_add(upload, name.data, json_object_get(row, "mean_ns"), ms, step);
    name.size = 0;
    swi_text_format(&name, "%s/%s_throughput", phase, action);
    const json_t *rate = json_object_get(row, "samples_per_s");
    if (!name.failed && json_is_number(rate))
        metric_add(upload, name.data, rate, ms, step);
    upload->metrics.failed |= name.failed;
    swi_text_free(&name);
}

/* Files that the server's page shows as tables are in one tag, so all are kept. */
static void table_note(struct swi_run_upload *upload, const char *path, bool sent)
{
    size_t i;
    json_t *known;
    json_array_foreach(upload->tables, i, known)
    {
        if (strcmp(json_string_value(known), path) == 0)
            return;
    }
    json_array_append_new(upload->tables, json_string(path));
    upload->tables_grown |= !sent;
}

static void report_take(struct swi_run_upload *upload, json_t *line, bool sent)
{
    const json_t *rows = json_object_get(line, "rows");
    int64_t ms = swi_line_ms(&upload->described, integer_at(line, "t"));
    int64_t steps = integer_at(line, "step"), step = steps > 0 ? steps - 1 : 0;
    table_note(upload, "profile_report.json", sent);
    if (sent)
        return;
    json_decref(upload->described.report);
    upload->described.report = json_incref(line);
    duration_add(upload, "fit/duration", json_object_get(line, "fit_ns"), ms, step);
    for (size_t i = 0; i < json_array_size(rows); i++)
        row_take(upload, json_array_get(rows, i), ms, step);
}

static bool is_cell(const json_t *value)
{
    return json_is_string(value) || json_is_number(value);
}

/* A new column for each name that no row before it had. */
static json_t *columns_of(const json_t *rows)
{
    json_t *columns = json_array(), *seen = json_object(), *row, *value;
    size_t i;
    const char *name;
    json_array_foreach(rows, i, row) json_object_foreach(row, name, value)
    {
        if (is_cell(value) && !json_object_get(seen, name)) {
            json_object_set_new(seen, name, json_true());
            json_array_append_new(columns, json_string(name));
        }
    }
    json_decref(seen);
    return columns;
}

static void cell_add(struct swi_text *text, const json_t *value, bool is_text)
{
    if (is_text && json_is_string(value))
        swi_escape_json(text, json_string_value(value));
    else if (json_is_integer(value))
        swi_text_integer(text, json_integer_value(value));
    else if (json_is_real(value))
        swi_number_json(text, json_real_value(value));
    else
        swi_text_put(text, "null"); /* not finite, or not there */
}

static void cells_add(struct swi_text *text, const json_t *row, const json_t *columns)
{
    size_t k;
    json_t *column;
    json_array_foreach(columns, k, column)
    {
        const char *name = json_string_value(column);
        bool is_text = strcmp(name, "phase") == 0 || strcmp(name, "action") == 0;
        swi_text_put(text, k ? "," : "[");
        cell_add(text, json_object_get(row, name), is_text);
    }
    swi_text_put(text, json_array_size(columns) ? "]" : "[]");
}

void swi_line_table(struct swi_text *text, const json_t *report)
{
    json_t *rows = json_object_get(report, "rows"), *columns = columns_of(rows);
    char *names = json_dumps(columns, JSON_COMPACT);
    swi_text_format(text, "{\"columns\":%s,\"data\":[", names ? names : "[]");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        swi_text_put(text, i ? "," : "");
        cells_add(text, json_array_get(rows, i), columns);
    }
    swi_text_put(text, "]}");
    free(names);
    json_decref(columns);
}

/* ---- any line -------------------------------------------------------------------------------- */

static void run_take(struct swi_journal_run *described, json_t *line)
{
    if (described->run)
        return;
    described->run = json_incref(line);
    described->started_us =
        (int64_t)floor(json_number_value(json_object_get(line, "started")) * 1e6 + 0.5);
}

static void tag_take(struct swi_run_upload *upload, const json_t *line)
{
    json_array_append_new(upload->tags, json_pack("[s,s]", swi_json_text_at(line, "key"),
                                                  swi_json_text_at(line, "value")));
}

/* A file that was replaced meanwhile is sent once, as it is. */
static void artifact_take(struct swi_run_upload *upload, const json_t *line, bool sent)
{
    const char *path = swi_json_text_at(line, "path"), *file = swi_json_text_at(line, "file");
    if (json_is_true(json_object_get(line, "table")))
        table_note(upload, path, sent);
    if (!sent)
        json_object_set_new(upload->files, path, json_string(*file ? file : path));
}

/* MLflow has no summary: a number becomes the newest value of a metric, a text becomes a tag. Of
 * two values of one millisecond, the larger one is the newest at the server. */
static void summary_take(struct swi_run_upload *upload, const json_t *line, bool sent)
{
    const struct swi_journal_run *described = &upload->described;
    const char *name = swi_json_text_at(line, "name");
    const json_t *value = json_object_get(line, "value");
    if (sent)
        return;
    if (json_is_true(json_object_get(line, "text")))
        json_array_append_new(upload->tags, json_pack("[s,s]", name, swi_json_text(value)));
    else
        metric_add(upload, name, value, swi_line_ms(described, described->last_ns) + 1,
                   described->step);
}

static void line_take(struct swi_run_upload *upload, json_t *line, const char *type, bool sent)
{
    struct swi_journal_run *described = &upload->described;
    if (strcmp(type, "run") == 0)
        run_take(described, line);
    else if (strcmp(type, "mlflow") == 0 && !described->mlflow)
        described->mlflow = json_incref(line);
    else if (strcmp(type, "metric") == 0)
        metric_take(upload, line, sent);
    else if (strcmp(type, "config") == 0)
        param_take(upload, line, sent);
    else if (strcmp(type, "report") == 0)
        report_take(upload, line, sent);
    else if (strcmp(type, "tag") == 0 && !sent)
        tag_take(upload, line);
    else if (strcmp(type, "artifact") == 0)
        artifact_take(upload, line, sent);
    else if (strcmp(type, "summary") == 0)
        summary_take(upload, line, sent);
    else if (strcmp(type, "finish") == 0 && !described->finish)
        described->finish = json_incref(line);
}

void swi_line_take(struct swi_run_upload *upload, json_t *line, bool sent)
{
    int64_t ns = integer_at(line, "t");
    if (ns > upload->described.last_ns)
        upload->described.last_ns = ns;
    upload->lines++;
    line_take(upload, line, swi_json_text_at(line, "type"), sent);
    json_decref(line);
}
