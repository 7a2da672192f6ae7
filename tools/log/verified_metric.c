/* SPDX-License-Identifier: MIT */
#include "tools/log/verified_metric.h"

#include "tools/output/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A value that so many others came after has no other one: the player waits for the sinks after
 * each 1,000 lines. */
enum { LATER_MOST = 4096 };

/* Durations are whole nanoseconds, so what is made of them may differ by this share. */
#define SHARE 0.01

void verified_compare(struct verified_part *part, const char *key, const char *figure,
                      double recorded, const double *made, double slack)
{
    double value = made ? *made : 0;
    double most = slack < 0 ? 0 : fmax(slack, SHARE * fmax(fabs(recorded), fabs(value)));
    char result[1200];
    part->compared++;
    if (made && fabs(recorded - value) <= most)
        return;
    if (part->differ++ >= VERIFIED_SHOWN)
        return;
    if (!part->first)
        part->first = json_array();
    snprintf(result, sizeof result, "%s%s%s", key, *figure ? " " : "", figure);
    json_array_append_new(part->first, json_pack("{s:o, s:o, s:o}", "result", text_json(result),
                                                 "recorded", text_json_number(recorded), "replayed",
                                                 made ? text_json_number(value) : json_null()));
}

/* ---- queues ---------------------------------------------------------------------------------- */

static struct verified_value *value_at(const struct verified_queue *queue, size_t i)
{
    return &queue->item[(queue->first + i) % queue->room];
}

static bool push(struct verified_queue *queue, const struct verified_value *value)
{
    if (queue->count == queue->room) {
        size_t room = queue->room ? 2 * queue->room : 16;
        struct verified_value *grown = malloc(room * sizeof *grown);
        if (!grown)
            return false;
        for (size_t i = 0; i < queue->count; i++)
            grown[i] = *value_at(queue, i);
        free(queue->item);
        *queue = (struct verified_queue){grown, room, 0, queue->count};
    }
    *value_at(queue, queue->count++) = *value;
    return true;
}

static void drop(struct verified_queue *queue, size_t count)
{
    if (count)
        queue->first = (queue->first + count) % queue->room;
    queue->count -= count;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* made: NULL if the replay does not have it. */
static void pair_compare(struct verified_part *part, const char *name,
                         const struct verified_value *recorded, const struct verified_value *made)
{
    char key[600];
    if (!isfinite(recorded->value))
        return;
    snprintf(key, sizeof key, "step %lld %s", (long long)recorded->step, name);
    verified_compare(part, key, "", recorded->value, made ? &made->value : NULL,
                     made ? made->slack : 0);
}

/* Values are in the same order, and few are missing. Returns the place of the one that belongs to
 * the oldest recorded value, or SIZE_MAX. */
static size_t place_of(struct verified_metric *metric)
{
    const struct verified_queue *made = &metric->by_step[VERIFIED_MADE];
    int64_t step = value_at(&metric->by_step[VERIFIED_RECORDED], 0)->step;
    for (; metric->looked < made->count && metric->looked < LATER_MOST; metric->looked++)
        if (value_at(made, metric->looked)->step == step)
            return metric->looked;
    return SIZE_MAX;
}

/* last: no more values come. */
static void steps_compare(struct verified_metric *metric, const char *name, bool last)
{
    struct verified_queue *recorded = &metric->by_step[VERIFIED_RECORDED],
                          *made = &metric->by_step[VERIFIED_MADE];
    while (recorded->count) {
        size_t place = place_of(metric);
        bool waits = !last && recorded->count <= LATER_MOST && made->count < LATER_MOST;
        if (place == SIZE_MAX && waits)
            return;
        pair_compare(&metric->step_part, name, value_at(recorded, 0),
                     place == SIZE_MAX ? NULL : value_at(made, place));
        drop(recorded, 1);
        drop(made, place == SIZE_MAX ? 0 : place + 1);
        metric->looked = 0;
    }
    if (made->count > LATER_MOST)
        drop(made, 1);
}

static void order_compare(struct verified_metric *metric, const char *name)
{
    struct verified_queue *recorded = &metric->in_order[VERIFIED_RECORDED],
                          *made = &metric->in_order[VERIFIED_MADE];
    while (recorded->count && made->count) {
        pair_compare(&metric->order_part, name, value_at(recorded, 0), value_at(made, 0));
        drop(recorded, 1);
        drop(made, 1);
    }
    if (recorded->count > LATER_MOST || made->count > LATER_MOST)
        metric->by_order = false;
}

bool verified_metric_add(struct verified_metric *metric, enum verified_side side, const char *name,
                         const struct verified_value *value)
{
    bool fits = push(&metric->by_step[side], value);
    metric->count[side]++;
    if (metric->by_order)
        fits = push(&metric->in_order[side], value) && fits;
    if (fits)
        steps_compare(metric, name, false);
    if (fits && metric->by_order)
        order_compare(metric, name);
    return fits;
}

const struct verified_part *verified_metric_end(struct verified_metric *metric, const char *name)
{
    steps_compare(metric, name, true);
    bool as_many = metric->count[VERIFIED_RECORDED] == metric->count[VERIFIED_MADE];
    return metric->by_order && as_many ? &metric->order_part : &metric->step_part;
}

void verified_metric_free(struct verified_metric *metric)
{
    for (int side = 0; side < 2; side++) {
        free(metric->by_step[side].item);
        free(metric->in_order[side].item);
    }
    json_decref(metric->step_part.first);
    json_decref(metric->order_part.first);
}
