/* SPDX-License-Identifier: MIT */
/* axes.c - TensorBoard has one x axis, the step. A metric with another axis gets the value of that
 * axis as its step for as long as it is an integer, then the training step. A line that follows the
 * training step first does not change its axis. */
#include "sinks/tensorboard/axes.h"

#include "sinks/tensorboard/event_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void axes_rule(struct tensorboard *t, const struct sw_record *record)
{
    if (!swi_defined_rules_take(&t->rules, record->rule))
        sw_sink_lost(t->sink, 1);
    t->unmarked |= record->rule->rule->axis != NULL;
}

/* ---- the values of axes ---- */

static struct axis *axis_find(struct tensorboard *t, const char *name)
{
    for (size_t i = 0; i < t->axes; i++)
        if (strcmp(t->axis[i].name, name) == 0)
            return &t->axis[i];
    return NULL;
}

static bool is_axis(const struct tensorboard *t, const char *name)
{
    for (size_t i = 0; i < t->rules.count; i++)
        if (t->rules.rule[i].axis && strcmp(t->rules.rule[i].axis, name) == 0)
            return true;
    return false;
}

static struct axis *axis_add(struct tensorboard *t, const char *name)
{
    struct axis *grown = realloc(t->axis, (t->axes + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    t->axis = grown;
    grown += t->axes;
    *grown = (struct axis){.name = strdup(name)};
    t->axes += grown->name != NULL;
    return grown->name ? grown : NULL;
}

void axes_follow(struct tensorboard *t, const struct sw_record *record)
{
    for (size_t i = 0; t->rules.count && i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        struct axis *axis = axis_find(t, metric->name);
        if (!axis && is_axis(t, metric->name))
            axis = axis_add(t, metric->name);
        if (axis)
            axis->value = metric->value;
    }
}

/* ---- the decision for each metric ---- */

static bool is_step(double value)
{
    return value >= 0 && value <= 0x1p53 && value == floor(value);
}

static struct on_axis *decision_find(struct tensorboard *t, const char *name)
{
    for (size_t i = 0; i < t->on_axes; i++)
        if (strcmp(t->on_axis[i].name, name) == 0)
            return &t->on_axis[i];
    return NULL;
}

static void say_not(struct tensorboard *t, const struct on_axis *on, bool has_value)
{
    sw_sink_say(t->sink, SW_NOTE, "%.100s is drawn over the training step: its axis %.100s %s",
                on->name, on->axis,
                has_value ? "is not an integer from 0 to 2^53" : "has no value yet");
}

static struct on_axis *decide(struct tensorboard *t, const char *name, const char *axis_name)
{
    struct on_axis *grown = realloc(t->on_axis, (t->on_axes + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    t->on_axis = grown;
    grown += t->on_axes;
    const struct axis *axis = axis_find(t, axis_name);
    *grown = (struct on_axis){.name = strdup(name), .axis = strdup(axis_name), .last_x = -1};
    if (!grown->name || !grown->axis) {
        free(grown->name);
        free(grown->axis);
        return NULL;
    }
    grown->follows = axis && is_step(axis->value);
    if (!grown->follows)
        say_not(t, grown, axis);
    t->on_axes++;
    return grown;
}

int64_t axes_step(struct tensorboard *t, const struct sw_record *record, const char *name)
{
    const struct swi_book_rule *rule =
        t->rules.count ? swi_defined_rules_find(&t->rules, name, strlen(name)) : NULL;
    struct on_axis *on = t->on_axes ? decision_find(t, name) : NULL;
    if (!on && rule && rule->axis)
        on = decide(t, name, rule->axis);
    const struct axis *axis = on && on->follows ? axis_find(t, on->axis) : NULL;
    if (axis && is_step(axis->value))
        return on->last_x = (int64_t)axis->value;
    if (axis) {
        on->follows = false;
        say_not(t, on, true);
    }
    /* TensorBoard hides all points of a line that are not before its newest point. */
    return !on || record->step > on->last_x ? record->step : ++on->last_x;
}

/* ---- descriptions ---- */

void axes_describe(struct tensorboard *t, struct stream *stream, double wall_s, const char *tag,
                   const char *name)
{
    const struct swi_book_rule *rule =
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
    for (size_t i = 0; i < t->axes; i++)
        free(t->axis[i].name);
    for (size_t i = 0; i < t->on_axes; i++) {
        free(t->on_axis[i].name);
        free(t->on_axis[i].axis);
    }
    free(t->axis);
    free(t->on_axis);
    swi_defined_rules_fini(&t->rules);
}
