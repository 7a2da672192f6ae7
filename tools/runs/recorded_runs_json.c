/* SPDX-License-Identifier: MIT */
#include "tools/runs/recorded_runs_json.h"

#include "tools/output/text.h"

#include <math.h>

static json_t *text(const char *text)
{
    return text ? text_json(text) : json_null();
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : text_json_number(value);
}

static json_t *count(int64_t value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *values_json(const struct recorded_run *run)
{
    json_t *values = json_object();
    for (size_t i = 0; i < run->values; i++) {
        json_t *name = text_json(run->value[i].name);
        if (name)
            json_object_set_new(values, json_string_value(name),
                                text_json_number(run->value[i].value));
        json_decref(name);
    }
    return values;
}

static json_t *run_json_of(const struct recorded_run *run)
{
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, "
        "s:o, s:I, s:b, s:o}",
        "path", text(run->path), "kind", run->uid ? "database" : "log", "uid", text(run->uid),
        "name", text(run->name), "program", text(run->program), "host", text(run->host), "pid",
        (json_int_t)run->pid, "state", run_state_name(run->state), "cause", text(run->cause),
        "exit_status", count(run->exit_status), "started_s", number(run->started_s), "duration_s",
        number(run->duration_s), "steps", count(run->steps), "samples_per_s",
        number(run->samples_per_s), "rank", (json_int_t)run->rank, "world_size",
        (json_int_t)run->world_size, "ranks", (json_int_t)run->ranks, "detail", text(run->detail),
        "size_bytes", (json_int_t)run->bytes, "torn", run->torn, "values", values_json(run));
}

json_t *recorded_runs_json(const struct recorded_runs *runs)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < runs->count; i++)
        if (json_array_append_new(list, run_json_of(runs->item[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}
