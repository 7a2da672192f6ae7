/* SPDX-License-Identifier: MIT */
#include "config/profiler_keys.h"

#include "config/plugin_entries.h"
#include "config/yaml_reader.h"
#include "core/plugins/option_parse.h"

#include <string.h>

enum { RATE_MOST = 10000 };

static const struct sw_option rate_option = {
    .name = "rate", .type = SW_OPTION_INT, .min = 1, .max = RATE_MOST};

static const char *const times[] = {"exact", "sampled", "sample", "wall"};
enum { TIMES = sizeof times / sizeof *times, TIMES_SAMPLE = 2 };

/* Returns the entry of the table, which is valid as long as the program; NULL if there is none. */
static const char *times_find(const char *text)
{
    for (int i = 0; i < TIMES; i++)
        if (strcmp(text, times[i]) == 0)
            return times[i];
    return NULL;
}

static void times_read(struct swi_yaml_reader *reading, const struct swi_node *value)
{
    struct swi_functions_settings *functions = &reading->config->keys.functions;
    const char *found = value->kind == SWI_NODE_TEXT ? times_find(value->text) : NULL;
    if (value->wrong || value->is_null)
        return;
    if (found)
        functions->times = found;
    else
        swi_node_unexpected(reading, value, "profiler: functions: times",
                            "exact, sampled, sample or wall");
}

static void rate_read(struct swi_yaml_reader *reading, const struct swi_node *value)
{
    union swi_value parsed;
    SW_ERROR_SCOPE(err);
    if (value->wrong || value->is_null)
        return;
    if (value->kind != SWI_NODE_TEXT)
        swi_node_unexpected(reading, value, "profiler: functions: rate", "samples a second");
    else if (swi_option_parse(&rate_option, value->text, &parsed, &err) == 0)
        reading->config->keys.functions.rate = (int)parsed.integer;
    else
        SWI_NODE_MISTAKE(reading, value, "profiler: functions: rate: %s %s", SWI_NODE_SHOWN(value),
                         sw_error_text(&err));
}

/* Reads an entry: times, rate, or an option of the sink, of which restrict is another name. */
static void entry_read(struct swi_yaml_reader *reading, const struct swi_item *item)
{
    struct swi_node key = *item->key;
    struct swi_item option = {&key, item->value};
    char lines[] = "line_count_restriction";
    if (strcmp(key.text, "restrict") == 0)
        key.text = lines;
    if (strcmp(item->key->text, "times") == 0)
        times_read(reading, item->value);
    else if (strcmp(item->key->text, "rate") == 0)
        rate_read(reading, item->value);
    else
        swi_sink_option_read(reading, "functions", &reading->config->keys.functions_sink, &option);
}

/* Whether stacks are sampled. `times` is an entry of the table, or NULL: exact. */
static bool has_rate(const char *name)
{
    for (int i = TIMES_SAMPLE; i < TIMES; i++)
        if (name == times[i])
            return true;
    return false;
}

static void text_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_functions_settings *functions = &reading->config->keys.functions;
    bool on = strcmp(node->text, "true") == 0, off = strcmp(node->text, "false") == 0;
    const char *found = times_find(node->text);
    functions->given = on || found;
    if (found)
        functions->times = found;
    else if (!on && !off)
        swi_node_unexpected(reading, node, "profiler: functions",
                            "true, false, exact, sampled, sample, wall or a mapping, like {times: "
                            "sample, rate: 97}");
}

void swi_functions_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    if (node->kind == SWI_NODE_TEXT)
        text_read(reading, node);
    else if (node->kind == SWI_NODE_LIST)
        swi_node_unexpected(reading, node, "profiler: functions",
                            "a mapping, like {times: sample, rate: 97}");
    else
        reading->config->keys.functions.given = true;
    for (size_t i = 0; node->kind == SWI_NODE_MAPPING && i < node->count; i++)
        entry_read(reading, &node->item[i]);
}

void swi_functions_complete(struct swi_yaml_reader *reading)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    keys->functions.given |= keys->advanced;
    if (keys->functions.rate && !has_rate(keys->functions.times))
        swi_mistakes_add(reading->mistakes, &keys->given[SWI_KEY_FUNCTIONS].where,
                         "profiler: functions: rate: needs times: sample or wall");
    if (keys->functions.given)
        swi_sink_add_options(reading, "functions", &keys->functions_sink, SWI_KEY_FUNCTIONS);
}

void swi_functions_print(const struct swi_profiler_keys *keys, FILE *out)
{
    const struct swi_functions_settings *functions = &keys->functions;
    fprintf(out, "{times: %s", functions->times ? functions->times : "exact");
    if (functions->rate)
        fprintf(out, ", rate: %d", functions->rate);
    fputc('}', out);
}
