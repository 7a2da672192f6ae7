/* SPDX-License-Identifier: MIT */
#include "tools/log/verified_results.h"

#include "tools/output/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Recorded durations are whole nanoseconds, so the results may differ this much. */
#define ROUNDING_NS 1.0
#define ROUNDING_SHARE 0.01
enum { SHOWN_MAX = 20 };

bool verified_results_init(struct verified_results *results)
{
    *results = (struct verified_results){json_object(), json_object(), json_object()};
    return results->figure && results->row && results->metric;
}

void verified_results_fini(struct verified_results *results)
{
    json_decref(results->figure);
    json_decref(results->row);
    json_decref(results->metric);
}

/* ---- what is compared ------------------------------------------------------------------------ */

/* The self time's share of the total is compared, because rounding many durations adds up. */
void verified_row_put(struct verified_results *to, const struct verified_row *row)
{
    char key[600];
    json_t *figures = json_pack("{s:s, s:s, s:I, s:f}", "phase", row->phase, "action", row->action,
                                "calls", (json_int_t)row->calls, "mean_ns", row->mean_ns);
    if (isfinite(row->total_ns))
        json_object_set_new(figures, "total_ns", json_real(row->total_ns));
    if (isfinite(row->self_ns / row->total_ns))
        json_object_set_new(figures, "self share", json_real(row->self_ns / row->total_ns));
    snprintf(key, sizeof key, "fit %" PRId64 " %s/%s", row->fit, row->phase, row->action);
    json_object_set_new(to->row, key, figures);
}

void verified_metric_put(struct verified_results *to, const char *name, int64_t step, double value,
                         double slack)
{
    json_t *values = json_object_get(to->metric, name);
    if (!values) {
        values = json_array();
        json_object_set_new(to->metric, name, values);
    }
    json_array_append_new(values,
                          json_pack("[I, o, f]", (json_int_t)step, text_json_number(value), slack));
}

/* ---- comparing ------------------------------------------------------------------------------- */

struct comparing {
    const struct held *held;
    json_t *first; /* differences */
    size_t compared;
    int differ;
};

/* made: NULL if the replay does not have it. */
static void compare(struct comparing *c, const char *key, const char *figure, double recorded,
                    const json_t *made, double slack)
{
    double value = text_json_value(made);
    double most = fmax(slack, ROUNDING_SHARE * fmax(fabs(recorded), fabs(value)));
    c->compared++;
    if (made && fabs(recorded - value) <= most)
        return;
    if (c->differ++ >= SHOWN_MAX)
        return;
    char result[640];
    snprintf(result, sizeof result, "%s%s%s", key, *figure ? " " : "", figure);
    json_array_append_new(c->first, json_pack("{s:o, s:o, s:o}", "result", text_json(result),
                                              "recorded", text_json_number(recorded), "replayed",
                                              made ? text_json_number(value) : json_null()));
}

static void figures_compare(struct comparing *c, const json_t *recorded, const json_t *made)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)recorded, key, value)
    {
        double slack = strstr(key, "_ns") ? ROUNDING_NS : 0;
        compare(c, key, "", text_json_value(value), json_object_get(made, key), slack);
    }
}

static int64_t calls_of(const json_t *row)
{
    return json_integer_value(json_object_get(row, "calls"));
}

static void calls_compare(struct comparing *c, const char *key, const json_t *row,
                          const json_t *made)
{
    const json_t *calls = json_object_get(made, "calls");
    bool same = calls_of(row) == json_integer_value(calls);
    compare(c, key, "calls", (double)calls_of(row), calls, same ? 0 : -1);
}

/* Rounding changes a mean by a nanosecond, and a total by one for each call. */
static void row_compare(struct comparing *c, const char *key, const json_t *row, const json_t *made)
{
    double calls = (double)calls_of(row);
    double mean_ns = json_number_value(json_object_get(row, "mean_ns"));
    const struct {
        const char *name;
        double slack;
    } figures[] = {{"mean_ns", ROUNDING_NS},
                   {"total_ns", ROUNDING_NS * calls},
                   {"self share", fmax(ROUNDING_SHARE, 2 * ROUNDING_NS / mean_ns)}};
    calls_compare(c, key, row, made);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *value = json_object_get(row, figures[i].name);
        if (value)
            compare(c, key, figures[i].name, text_json_value(value),
                    json_object_get(made, figures[i].name), figures[i].slack);
    }
}

/* Own calls between steps are in the run's report, but not in a log of steps. */
static void rows_compare(struct comparing *c, const json_t *recorded, const json_t *made)
{
    const char *key;
    json_t *row;
    json_object_foreach((json_t *)(uintptr_t)recorded, key, row)
    {
        const json_t *same = json_object_get(made, key);
        bool fewer = calls_of(same) < calls_of(row);
        if (!fewer || !held_maybe_outside(c->held, json_string_value(json_object_get(row, "phase")),
                                          json_string_value(json_object_get(row, "action"))))
            row_compare(c, key, row, same);
    }
}

/* Returns the place of the next value at a step, or SIZE_MAX. Values are in the same order, and few
 * are missing. */
static size_t next_at(const json_t *values, json_int_t step, size_t from)
{
    enum { MISSING_MOST = 4096 };
    for (size_t i = from; i < json_array_size(values) && i < from + MISSING_MOST; i++)
        if (json_integer_value(json_array_get(json_array_get(values, i), 0)) == step)
            return i;
    return SIZE_MAX;
}

/* A step's number may occur several times, and a log of regions does not have the numbers that
 * sw_set_step() gave: if there are as many values, they belong to each other in their order. */
static void metric_compare(struct comparing *c, const char *name, const json_t *recorded,
                           const json_t *made)
{
    char key[600];
    bool by_order = !c->held->steps_only && json_array_size(recorded) == json_array_size(made);
    size_t i, next = 0;
    json_t *value;
    json_array_foreach(recorded, i, value)
    {
        json_int_t step = json_integer_value(json_array_get(value, 0));
        double number = text_json_value(json_array_get(value, 1));
        size_t at = by_order ? i : next_at(made, step, next);
        const json_t *same = json_array_get(made, at);
        next = same ? at + 1 : next;
        snprintf(key, sizeof key, "step %lld %s", (long long)step, name);
        if (isfinite(number))
            compare(c, key, "", number, json_array_get(same, 1),
                    json_number_value(json_array_get(same, 2)));
    }
}

int verified_differences(const struct verified_results *recorded,
                         const struct verified_results *made, const struct held *held,
                         json_t *first, size_t *compared)
{
    struct comparing comparing = {.held = held, .first = first};
    const char *name;
    json_t *values;
    figures_compare(&comparing, recorded->figure, made->figure);
    rows_compare(&comparing, recorded->row, made->row);
    json_object_foreach(recorded->metric, name, values)
        metric_compare(&comparing, name, values, json_object_get(made->metric, name));
    *compared = comparing.compared;
    return comparing.differ;
}
