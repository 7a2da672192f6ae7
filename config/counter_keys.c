/* SPDX-License-Identifier: MIT */
#include "config/profiler_keys.h"

#include "config/yaml_reader.h"
#include "core/counters/counter.h"
#include "core/counters/perf_events.h"
#include "core/text/buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- counters ---- */

/* A configuration cannot name the program's own counters, which may not exist yet. */
static void refuse_unknown(struct swi_yaml_reader *reading, const struct swi_node *name)
{
    SWI_FREED struct swi_text known = {0};
    for (size_t i = 0; swi_counters_at(i); i++)
        swi_text_format(&known, "%s%s", i ? ", " : "", swi_counters_at(i)->name);
    SWI_NODE_MISTAKE(reading, name,
                     "profiler: counters: %s is not a counter: expected one of %s, raw:0xCODE, "
                     "pfm:EVENT; counters of your own need no mention",
                     SWI_NODE_SHOWN(name), known.data ? known.data : "");
}

/* Returns the length of the name without a rate that has no space before it: 7 for cycles:steps; 0
 * if it has no rate. */
static size_t length_before_rate(const char *name)
{
    const char *colon = strrchr(name, ':');
    bool has_rate = colon && (strcmp(colon, ":steps") == 0 || strcmp(colon, ":regions") == 0);
    return has_rate ? (size_t)(colon - name) : 0;
}

/* why: what is wrong with the name of an event; NULL if it is not like one. */
static void refuse_name(struct swi_yaml_reader *reading, const struct swi_node *name,
                        const char *why)
{
    const char *nearest = swi_counters_nearest(name->text);
    size_t length = length_before_rate(name->text);
    if (length)
        SWI_NODE_MISTAKE(
            reading, name,
            "profiler: counters: %s is not a counter: did you mean \"%.*s: %s\" (with a space)?",
            SWI_NODE_SHOWN(name), (int)length, name->text, name->text + length + 1);
    else if (why)
        SWI_NODE_MISTAKE(reading, name, "profiler: counters: %s: %s", SWI_NODE_SHOWN(name), why);
    else if (nearest)
        SWI_NODE_MISTAKE(reading, name, "profiler: counters: %s is not a counter: did you mean %s?",
                         SWI_NODE_SHOWN(name), nearest);
    else
        refuse_unknown(reading, name);
}

static bool is_chosen(const struct swi_profiler_keys *keys, const struct swi_counter *counter)
{
    for (size_t i = 0; i < keys->counter_count; i++)
        if (keys->counter[i].counter == counter)
            return true;
    return false;
}

/* Reads how often to read a counter: `steps` or `regions`, which is the default. */
static bool rate_read(struct swi_yaml_reader *reading, const struct swi_node *rate,
                      struct swi_counter_choice *choice)
{
    bool text = rate && rate->kind == SWI_NODE_TEXT;
    choice->steps_only = text && strcmp(rate->text, "steps") == 0;
    choice->regions = text && strcmp(rate->text, "regions") == 0;
    if (!rate || rate->is_null || choice->steps_only || choice->regions)
        return true;
    swi_node_unexpected(reading, rate, "profiler: counters", "steps or regions");
    return false;
}

/* Returns NULL after it has refused the name. */
static const struct swi_counter *counter_find(struct swi_yaml_reader *reading,
                                              const struct swi_node *name)
{
    bool is_event = swi_event_is_named(name->text);
    SW_ERROR_SCOPE(err);
    const struct swi_counter *counter =
        is_event ? swi_hardware_counter(name->text, &err) : swi_counters_find(name->text);
    if (!counter)
        refuse_name(reading, name, is_event ? sw_error_text(&err) : NULL);
    return counter;
}

static void counter_read(struct swi_yaml_reader *reading, const struct swi_node *name,
                         const struct swi_node *rate)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    const struct swi_counter *counter = counter_find(reading, name);
    struct swi_counter_choice choice = {.counter = counter};
    if (!counter || !rate_read(reading, rate, &choice))
        return;
    if (is_chosen(keys, counter))
        SWI_NODE_MISTAKE(reading, name, "profiler: counters: %s is given twice",
                         SWI_NODE_SHOWN(name));
    else if (keys->counter_count == SWI_COUNTER_CHOICES)
        SWI_NODE_MISTAKE(reading, name, "profiler: counters: more than %d are given",
                         SWI_COUNTER_CHOICES);
    else
        keys->counter[keys->counter_count++] = choice;
}

static void entry_read(struct swi_yaml_reader *reading, const struct swi_node *value)
{
    if (value->wrong)
        return;
    if (value->kind == SWI_NODE_TEXT && !value->is_null)
        counter_read(reading, value, NULL);
    else if (value->kind == SWI_NODE_MAPPING)
        for (size_t i = 0; i < value->count; i++)
            counter_read(reading, value->item[i].key, value->item[i].value);
    else
        swi_node_unexpected(reading, value, "profiler: counters", "the name of a counter");
}

/* A later list replaces an earlier one. */
void swi_counters_read(struct swi_yaml_reader *reading, const struct swi_node *value)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    memset(keys->counter, 0, sizeof keys->counter);
    keys->counter_count = 0;
    if (value->kind != SWI_NODE_LIST)
        entry_read(reading, value);
    for (size_t i = 0; value->kind == SWI_NODE_LIST && i < value->count; i++)
        entry_read(reading, value->item[i].value);
}

/* `regions` is the default of most counters. */
static const char *rate_shown(const struct swi_counter_choice *choice)
{
    if (choice->steps_only)
        return ": steps";
    return choice->regions && choice->counter->slow ? ": regions" : "";
}

void swi_counters_print(const struct swi_profiler_keys *keys, FILE *out)
{
    for (size_t i = 0; i < keys->counter_count; i++)
        fprintf(out, "%s%s%s", i ? ", " : "[", keys->counter[i].counter->name,
                rate_shown(&keys->counter[i]));
    fputs(keys->counter_count ? "]" : "[]", out);
}

/* ---- peak_flops ---- */

/* Returns 1 for an empty text, and 0 if it is not a prefix of units. */
static double prefix_of(const char *text)
{
    static const char prefixes[] = "kMGTPE";
    const char *at = *text ? strchr(prefixes, *text) : NULL;
    if (!*text)
        return 1;
    return at && !text[1] ? pow(1000, (double)(at - prefixes + 1)) : 0;
}

void swi_peak_flops_read(struct swi_yaml_reader *reading, const struct swi_node *value)
{
    char *end = NULL;
    double number = value->kind == SWI_NODE_TEXT ? strtod(value->text, &end) : 0;
    double flops = end && end != value->text ? number * prefix_of(end) : 0;
    if (flops > 0 && isfinite(flops))
        reading->config->keys.peak_flops = flops;
    else
        swi_node_unexpected(
            reading, value, "profiler: peak_flops",
            "the operations per second that the hardware can do, like 91.8T or 989e12");
}

void swi_peak_flops_print(const struct swi_profiler_keys *keys, FILE *out)
{
    fprintf(out, "%.15g", keys->peak_flops);
}
