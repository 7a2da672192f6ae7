/* SPDX-License-Identifier: MIT */

#include "config/plugin_entries.h"
#include "config/yaml_reader.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

enum { MONITORS_MAX = 16 };

/* What `monitors: true` means. */
static const char *const standard[] = {"system", "gpu", "rapl"};

/* Other names of monitors, or of parts of them. */
static const struct alias {
    const char *name, *monitor, *part;
} aliases[] = {
    {"process", "system", "process"},
    {"energy", "rapl", NULL},
    {"nvml", "gpu", NULL},
};

static struct swi_entries monitors_of(struct swi_yaml_reader *reading)
{
    struct swi_settings *settings = &reading->config->settings;
    return (struct swi_entries){.key = "monitors",
                                .word = "monitor",
                                .count = &settings->monitor_count,
                                .item = &settings->monitor,
                                .most = MONITORS_MAX,
                                .takes_value = true,
                                .too_many = &reading->too_many_monitors};
}

/* ---- names ---- */

static struct swi_sink_settings *find(const struct swi_settings *settings, const char *name)
{
    return swi_sink_settings_find(settings->monitor, settings->monitor_count, name);
}

static void remove_at(struct swi_settings *settings, struct swi_sink_settings *monitor)
{
    struct swi_sink_settings *end = settings->monitor + settings->monitor_count;
    swi_sink_settings_fini(monitor);
    memmove(monitor, monitor + 1, (size_t)(end - monitor - 1) * sizeof *monitor);
    settings->monitor_count--;
}

/* `[process, system]` is system, which has the process as well. */
static void alias_resolve(struct swi_yaml_reader *reading, const struct alias *alias)
{
    struct swi_settings *settings = &reading->config->settings;
    struct swi_sink_settings *named = find(settings, alias->name);
    if (!named)
        return;
    if (alias->part && !named->count && find(settings, alias->monitor)) {
        remove_at(settings, named);
        return;
    }
    char *name = swi_yaml_reader_copy(reading, alias->monitor);
    if (!name)
        return;
    free(named->name);
    named->name = name;
    if (alias->part && !swi_setting_find(named, "what") && !swi_setting_find(named, ""))
        swi_entry_option(reading, named, "what", (struct swi_scalar){.where = named->where},
                         alias->part);
}

/* Two of them would give each value twice. */
static void refuse_second(struct swi_yaml_reader *reading)
{
    const struct swi_settings *settings = &reading->config->settings;
    for (size_t i = 0; i < settings->monitor_count; i++) {
        const struct swi_sink_settings *monitor = &settings->monitor[i];
        const struct swi_sink_settings *first = find(settings, monitor->name);
        if (first != monitor)
            SWI_NODE_MISTAKE(reading, monitor, "monitors: %s is given twice; first at %d:%d",
                             SWI_PRINTABLE(monitor->name), first->where.line, first->where.column);
    }
}

/* Those in a program's options replace those of the file. */
static void remove_all(struct swi_settings *settings)
{
    while (settings->monitor_count)
        remove_at(settings, settings->monitor);
}

static void names_settle(struct swi_yaml_reader *reading)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        alias_resolve(reading, &aliases[i]);
    refuse_second(reading);
}

/* ---- the forms ---- */

static void add_standard(struct swi_yaml_reader *reading, const struct swi_where *where)
{
    struct swi_entries monitors = monitors_of(reading);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        struct swi_sink_settings *monitor = swi_entry_add(reading, &monitors, standard[i], where);
        if (monitor)
            monitor->unasked = true;
    }
}

static bool is_word(const struct swi_node *node, const char *word)
{
    return node->kind == SWI_NODE_TEXT && (!node->quoted || node->from_program) &&
           strcmp(node->text, word) == 0;
}

/* The interval of each monitor that was given none. */
static void interval_hand_on(struct swi_yaml_reader *reading, const struct swi_node *interval)
{
    struct swi_settings *settings = &reading->config->settings;
    if (interval->wrong || interval->is_null)
        return;
    if (interval->kind != SWI_NODE_TEXT) {
        swi_node_unexpected(reading, interval, "monitors: interval", "a duration, like 15s");
        return;
    }
    struct swi_scalar value = {.where = interval->where,
                               .from_environment = interval->from_environment,
                               .from_program = interval->from_program};
    for (size_t i = 0; i < settings->monitor_count; i++)
        if (!swi_setting_find(&settings->monitor[i], "interval"))
            swi_entry_option(reading, &settings->monitor[i], "interval", value, interval->text);
}

/* `what` names monitors; the other keys give their options, and name those that it does not. */
static void what_read(struct swi_yaml_reader *reading, struct swi_entries *monitors,
                      const struct swi_node *what)
{
    const struct swi_settings *settings = &reading->config->settings;
    if (what->kind == SWI_NODE_MAPPING) {
        swi_node_unexpected(reading, what, "monitors: what",
                            "a list of monitors, like [system, gpu]");
        return;
    }
    size_t count = what->kind == SWI_NODE_LIST ? what->count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct swi_node *name = what->kind == SWI_NODE_LIST ? what->item[i].value : what;
        bool known = name->kind == SWI_NODE_TEXT && find(settings, name->text);
        if (name->kind != SWI_NODE_TEXT)
            swi_node_unexpected(reading, name, "monitors: what", "the name of a monitor");
        else if (!known)
            swi_entry_read(reading, monitors, name, NULL);
    }
}

/* Returns the interval of all, or NULL. */
static const struct swi_node *mapping_read(struct swi_yaml_reader *reading,
                                           const struct swi_node *node)
{
    struct swi_entries monitors = monitors_of(reading);
    const struct swi_node *interval = NULL, *what = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const struct swi_item *entry = &node->item[i];
        if (strcmp(entry->key->text, "interval") == 0)
            interval = entry->value;
        else if (strcmp(entry->key->text, "what") == 0)
            what = entry->value;
        else
            swi_entry_read(reading, &monitors, entry->key, entry->value);
    }
    if (what && !what->wrong && !what->is_null)
        what_read(reading, &monitors, what);
    else if (!what && !*monitors.count)
        add_standard(reading, &node->where);
    return interval;
}

void swi_monitors_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_entries monitors = monitors_of(reading);
    const struct swi_node *interval = NULL;
    if (node->from_program)
        remove_all(&reading->config->settings);
    if (node->wrong || node->is_null || is_word(node, "false"))
        return;
    if (is_word(node, "true"))
        add_standard(reading, &node->where);
    else if (node->kind == SWI_NODE_MAPPING)
        interval = mapping_read(reading, node);
    else
        swi_entries_read(reading, &monitors, node);
    names_settle(reading);
    if (interval)
        interval_hand_on(reading, interval);
}
