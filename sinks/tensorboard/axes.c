/* SPDX-License-Identifier: MIT */
/* axes.c - TensorBoard has one x axis, the step. A metric with another axis gets the value of that
 * axis as its step for as long as it is an integer, then the training step. A line that follows the
 * training step first does not change its axis. */

#include "sinks/tensorboard/tensorboard_sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the values of axes ---- */

/* Returns NULL without memory. */
static struct axis *axis_get(struct tensorboard *t, const char *name)
{
    return swi_map_item(&t->axis_names, &t->axis, sizeof *t->axis, name, strlen(name));
}

void axes_rule(struct tensorboard *t, const struct sw_record *record)
{
    const char *axis = record->rule->rule->axis;
    if (!swi_defined_rules_take(&t->rules, record->rule) || (axis && !axis_get(t, axis)))
        sw_sink_lost(t->sink, 1);
    t->unmarked |= axis != NULL;
}

void axes_follow(struct tensorboard *t, const struct sw_record *record)
{
    for (size_t i = 0; t->axis_names.count && i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        ptrdiff_t number = swi_map_find(&t->axis_names, metric->name, strlen(metric->name));
        if (number >= 0)
            t->axis[number] = (struct axis){.known = true, .value = metric->value};
    }
}

/* ---- the decision for each metric ---- */

static bool is_step(double value)
{
    return value >= 0 && value <= 0x1p53 && value == floor(value);
}

static void say_not(struct tensorboard *t, const char *name, const struct on_axis *on)
{
    sw_sink_say(t->sink, SW_NOTE, "%.100s is drawn over the training step: its axis %.100s %s",
                name, t->axis_names.name[on->axis].text,
                t->axis[on->axis].known ? "is not an integer from 0 to 2^53" : "has no value yet");
}

/* Returns NULL without memory. */
static struct on_axis *decide(struct tensorboard *t, const char *name, const char *axis_name)
{
    const struct axis *axis = axis_get(t, axis_name);
    struct on_axis *on =
        axis ? swi_map_item(&t->on_axis_names, &t->on_axis, sizeof *t->on_axis, name, strlen(name))
             : NULL;
    if (!on)
        return NULL;
    *on = (struct on_axis){.axis = (size_t)(axis - t->axis),
                           .follows = axis->known && is_step(axis->value),
                           .last_x = -1};
    if (!on->follows)
        say_not(t, name, on);
    return on;
}

int64_t axes_step(struct tensorboard *t, const struct sw_record *record, const char *name)
{
    const struct swi_stored_rule *rule =
        t->rules.count ? swi_defined_rules_find(&t->rules, name, strlen(name)) : NULL;
    ptrdiff_t number = swi_map_find(&t->on_axis_names, name, strlen(name));
    struct on_axis *on = number >= 0 ? &t->on_axis[number] : NULL;
    if (!on && rule && rule->axis)
        on = decide(t, name, rule->axis);
    const struct axis *axis = on && on->follows ? &t->axis[on->axis] : NULL;
    if (axis && is_step(axis->value))
        return on->last_x = (int64_t)axis->value;
    if (axis) {
        on->follows = false;
        say_not(t, name, on);
    }
    /* TensorBoard hides all points of a line that are not before its newest point. */
    return !on || record->step > on->last_x ? record->step : ++on->last_x;
}

/* ---- descriptions ---- */

void axes_describe(struct tensorboard *t, struct stream *stream, double wall_s, const char *tag,
                   const char *name)
{
    const struct swi_stored_rule *rule =
        t->rules.count ? swi_defined_rules_find(&t->rules, name, strlen(name)) : NULL;
    if (!rule || (!rule->description && !rule->unit))
        return;
    const char *description = rule->description ? rule->description : "";
    if (rule->unit)
        event_stream_describe(t, stream, wall_s, tag, "%s%sUnit: %s", description,
                              *description ? "\n\n" : "", rule->unit);
    else
        event_stream_describe(t, stream, wall_s, tag, "%s", description);
}

void axes_fini(struct tensorboard *t)
{
    swi_map_free(&t->axis_names);
    swi_map_free(&t->on_axis_names);
    free(t->axis);
    free(t->on_axis);
    swi_defined_rules_fini(&t->rules);
}
