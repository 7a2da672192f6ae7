/* SPDX-License-Identifier: MIT */
/* metric_rules.c - rules for metrics, and what the program puts into the summary. */
#include "sinks/wandb/wandb_sink.h"
#include "core/text/escape.h"

#include <string.h>

/* ---- what every run has ---------------------------------------------------------------------- */

static void standard_add(struct wandb *w, const char *pattern, const char *axis)
{
    const struct sw_rule rule = {.size = sizeof rule, .axis = axis};
    const struct sw_defined_rule defined = {sizeof defined, pattern, &rule};
    (void)swi_defined_rules_take(&w->kept.rules, &defined);
}

void swi_wandb_rules_begin(struct wandb *w)
{
    const struct swi_metric_options_message defined = {.defined = true},
                                            follows = {.step_sync = true};
    swi_records_metric(&w->records,
                       &(struct swi_metric_message){.name = "epoch", .options = &defined});
    swi_records_metric(&w->records, &(struct swi_metric_message){.glob_name = "valid/*",
                                                                 .step_metric = "epoch",
                                                                 .options = &follows});
    standard_add(w, "epoch", NULL);
    standard_add(w, "valid/*", "epoch");
}

/* ---- rules of the program -------------------------------------------------------------------- */

/* An axis needs no record: readers make one that says nothing. Ours would say that the program
 * defined it. */
static void axis_note(struct wandb *w, const char *axis)
{
    if (axis && swi_defined_rules_exact(&w->kept.rules, axis, strlen(axis)) < 0)
        swi_fields_set(&w->axes, axis);
}

static void metric_write(struct wandb *w, const struct sw_defined_rule *defined)
{
    const struct sw_rule *rule = defined->rule;
    size_t length = strlen(defined->pattern);
    bool glob = length && defined->pattern[length - 1] == '*';
    const struct swi_metric_options_message options = {
        .step_sync = rule->axis != NULL, .hidden = rule->hidden, .defined = true};
    const struct swi_metric_summary_message summary = {.min = rule->keep & SW_KEEP_MIN,
                                                       .max = rule->keep & SW_KEEP_MAX,
                                                       .mean = rule->keep & SW_KEEP_MEAN,
                                                       .last = rule->keep & SW_KEEP_LAST,
                                                       .none = rule->keep & SW_KEEP_NONE,
                                                       .first = rule->keep & SW_KEEP_FIRST};
    const struct swi_metric_control_message control = {.overwrite = true};
    axis_note(w, rule->axis);
    swi_records_metric(&w->records,
                       &(struct swi_metric_message){.name = glob ? NULL : defined->pattern,
                                                    .glob_name = glob ? defined->pattern : NULL,
                                                    .step_metric = rule->axis,
                                                    .options = &options,
                                                    .summary = rule->keep ? &summary : NULL,
                                                    .goal = rule->goal == SW_GOAL_MIN   ? 1
                                                            : rule->goal == SW_GOAL_MAX ? 2
                                                                                        : 0,
                                                    .control = &control});
}

static void value_remove(struct wandb *w, const char *name)
{
    swi_fields_remove(swi_wandb_fresh(w), name);
    if (swi_fields_remove(&w->summary, name))
        swi_records_summary_remove(&w->records, name);
}

/* A rule counts for the values before it, too. */
static void value_again(struct wandb *w, const struct swi_kept_metric *metric)
{
    struct swi_text *json;
    if (swi_fields_has(&w->kept.own, metric->name))
        return;
    SWI_FREED struct swi_text value = {0};
    if (!swi_kept_value(&w->kept, metric, &value))
        value_remove(w, metric->name);
    else if ((json = swi_fields_set(swi_wandb_fresh(w), metric->name)))
        swi_text_add(json, value.data, value.size);
}

static bool is_of(const struct swi_kept_metric *metric, const char *pattern)
{
    size_t length = strlen(pattern);
    return length && pattern[length - 1] == '*' ? strncmp(metric->name, pattern, length - 1) == 0
                                                : strcmp(metric->name, pattern) == 0;
}

void swi_wandb_rule(struct wandb *w, const struct sw_defined_rule *defined)
{
    metric_write(w, defined);
    if (!swi_defined_rules_take(&w->kept.rules, defined))
        sw_sink_lost(w->sink, 1);
    swi_fields_remove(&w->axes, defined->pattern);
    w->kept.kept_by_rules |= defined->rule->keep != 0;
    for (size_t i = 0; w->kept.kept_by_rules && i < w->kept.names.count; i++)
        if (is_of(&w->kept.metric[i], defined->pattern))
            value_again(w, &w->kept.metric[i]);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void own_put(struct swi_text *json, const struct sw_summary_value *value)
{
    if (json && value->text)
        swi_escape_json(json, value->text);
    else if (json)
        swi_json_number(json, value->value);
}

void swi_wandb_summary_own(struct wandb *w, const struct sw_summary_value *value)
{
    own_put(swi_fields_set(&w->kept.own, value->name), value);
    own_put(swi_fields_set(swi_wandb_fresh(w), value->name), value);
    if (!w->failing)
        swi_wandb_summary_write(w);
}

/* ---- config.yaml ----------------------------------------------------------------------------- */

/* The number of an axis in the list, from 1: the rules first, then axes that have none. */
static size_t number_of(const struct wandb *w, const char *axis)
{
    ptrdiff_t rule = swi_defined_rules_exact(&w->kept.rules, axis, strlen(axis));
    size_t place = rule < 0 ? swi_fields_place(&w->axes, axis) : (size_t)rule + 1;
    return rule < 0 && place ? w->kept.rules.count + place : place;
}

static void numbers_put(struct swi_text *text, const char *key, const bool *set, int count)
{
    const char *before = "";
    swi_text_format(text, ", \"%s\": [", key);
    for (int i = 1; i <= count; i++)
        if (set[i]) {
            swi_text_format(text, "%s%d", before, i);
            before = ", ";
        }
    swi_text_put(text, "]");
}

static void rule_put(struct swi_text *text, const struct wandb *w,
                     const struct swi_stored_rule *rule)
{
    const bool options[] = {false, rule->axis != NULL, rule->hidden, !rule->prefix};
    const bool kept[] = {false,
                         (rule->keep & SW_KEEP_MIN) != 0,
                         (rule->keep & SW_KEEP_MAX) != 0,
                         (rule->keep & SW_KEEP_MEAN) != 0,
                         false,
                         (rule->keep & SW_KEEP_LAST) != 0,
                         (rule->keep & SW_KEEP_NONE) != 0,
                         false,
                         (rule->keep & SW_KEEP_FIRST) != 0};
    SWI_FREED struct swi_text name = {0};
    swi_text_format(&name, "%s%s", rule->pattern, rule->prefix ? "*" : "");
    swi_json_format(text, rule->prefix ? "{\"2\": %s" : "{\"1\": %s", name.failed ? "" : name.data);
    if (rule->axis)
        swi_text_format(text, ", \"5\": %zu", number_of(w, rule->axis));
    numbers_put(text, "6", options, 3);
    numbers_put(text, "7", kept, 8);
    if (rule->goal)
        swi_text_format(text, ", \"8\": %d", rule->goal == SW_GOAL_MIN ? 1 : 2);
    swi_text_put(text, "}");
}

void swi_wandb_rules_yaml(struct swi_text *text, const struct wandb *w)
{
    swi_text_put(text, "[");
    for (size_t i = 0; i < w->kept.rules.count; i++) {
        swi_text_put(text, i ? ", " : "");
        rule_put(text, w, &w->kept.rules.rule[i]);
    }
    for (size_t i = 0; i < w->axes.count; i++)
        swi_json_format(text, ", {\"1\": %s, \"6\": [], \"7\": []}", w->axes.item[i].key);
    swi_text_put(text, "]");
}
