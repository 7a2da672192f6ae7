/* SPDX-License-Identifier: MIT */
#include "config/plugin_entries.h"
#include "config/yaml_reader.h"
#include "config/yaml_tree.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

#define EXPECTED "expected the name of a %s, or name: {options}"

/* ---- making settings ---- */

struct swi_sink_settings *swi_entry_add(struct swi_yaml_reader *reading,
                                        struct swi_entries *entries, const char *name,
                                        const struct swi_where *where)
{
    size_t count = *entries->count;
    if (count == entries->most) {
        if (!*entries->too_many)
            swi_mistakes_add(reading->mistakes, where, "%s: more than %zu %ss", entries->key,
                             entries->most, entries->word);
        *entries->too_many = true;
        return NULL;
    }
    bool fits = swi_yaml_reader_room(reading, entries->item, count, sizeof **entries->item);
    char *copy = fits ? swi_yaml_reader_copy(reading, name) : NULL;
    if (!copy)
        return NULL;
    (*entries->item)[count] = (struct swi_sink_settings){.name = copy, .where = *where};
    ++*entries->count;
    return &(*entries->item)[count];
}

static struct swi_setting *setting_add(struct swi_yaml_reader *reading,
                                       struct swi_sink_settings *sink, const char *name,
                                       const struct swi_where *where)
{
    bool fits = swi_yaml_reader_room(reading, &sink->setting, sink->count, sizeof *sink->setting);
    char *copy = fits ? swi_yaml_reader_copy(reading, name) : NULL;
    if (!copy)
        return NULL;
    sink->setting[sink->count] = (struct swi_setting){.name = copy, .where = *where};
    return &sink->setting[sink->count++];
}

/* name (NULL: none) and text are copied. */
static void scalar_add(struct swi_yaml_reader *reading, struct swi_setting *setting,
                       struct swi_scalar scalar, const char *name, const char *text)
{
    if (!swi_yaml_reader_room(reading, &setting->value, setting->count, sizeof *setting->value))
        return;
    scalar.text = swi_yaml_reader_copy(reading, text);
    scalar.name = name ? swi_yaml_reader_copy(reading, name) : NULL;
    if (scalar.text && (scalar.name || !name)) {
        setting->value[setting->count++] = scalar;
    } else {
        free(scalar.text);
        free(scalar.name);
    }
}

/* ---- options ---- */

static void text_add(struct swi_yaml_reader *reading, struct swi_setting *setting, const char *name,
                     const struct swi_node *node)
{
    struct swi_scalar scalar = {.quoted = node->quoted,
                                .is_null = node->is_null,
                                .from_environment = node->from_environment,
                                .from_program = node->from_program,
                                .where = node->where};
    scalar_add(reading, setting, scalar, name, node->text);
}

static void refuse_value(struct swi_yaml_reader *reading, const char *word, const char *name,
                         const char *option, const struct swi_node *outer,
                         const struct swi_node *bad)
{
    const char *expected = outer->kind == SWI_NODE_MAPPING ? "text" : "text or a list of texts";
    if (bad->repeats_key)
        SWI_NODE_MISTAKE(reading, bad, "%s %s: %s: the entry is given more than once", word,
                         SWI_PRINTABLE(name), SWI_PRINTABLE(option));
    else
        SWI_NODE_MISTAKE(reading, bad, "%s %s: %s: found %s, expected %s", word,
                         SWI_PRINTABLE(name), SWI_PRINTABLE(option), SWI_NODE_FOUND(bad), expected);
}

/* Whether a value is a text, or a list or mapping of texts; reports anything else as a mistake. */
static bool is_value(struct swi_yaml_reader *reading, const char *word, const char *name,
                     const char *option, const struct swi_node *node)
{
    const struct swi_node *bad = NULL;
    bool wrong = node->wrong;
    for (size_t i = 0; i < node->count; i++) {
        wrong = wrong || node->item[i].value->wrong;
        if (!bad && node->item[i].value->kind != SWI_NODE_TEXT)
            bad = node->item[i].value;
    }
    if (bad)
        refuse_value(reading, word, name, option, node, bad);
    return !bad && !wrong;
}

static void named_option_read(struct swi_yaml_reader *reading, const char *word, const char *name,
                              struct swi_sink_settings *sink, const struct swi_item *entry)
{
    const struct swi_node *value = entry->value;
    if (!is_value(reading, word, name, entry->key->text, value))
        return;
    struct swi_setting *setting = setting_add(reading, sink, entry->key->text, &entry->key->where);
    if (!setting)
        return;
    setting->value_where = value->where;
    setting->is_list = value->kind == SWI_NODE_LIST;
    setting->is_map = value->kind == SWI_NODE_MAPPING;
    setting->repeats_key = value->repeats_key;
    if (value->kind == SWI_NODE_TEXT)
        text_add(reading, setting, NULL, value);
    for (size_t i = 0; i < value->count; i++)
        text_add(reading, setting, setting->is_map ? value->item[i].key->text : NULL,
                 value->item[i].value);
}

/* Reads one option. name: of the plugin, for messages; the settings need not be in a list. */
static void entry_option_read(struct swi_yaml_reader *reading, const char *word, const char *name,
                              struct swi_sink_settings *sink, const struct swi_item *entry)
{
    if (*entry->key->text)
        named_option_read(reading, word, name, sink, entry);
    else
        SWI_NODE_MISTAKE(reading, entry->key,
                         "%s %s: found an empty key, expected the name of an option", word,
                         SWI_PRINTABLE(name));
}

/* How to write a list, if a name looks like an attempt at one; else NULL. */
static const char *as_written(const char *name)
{
    if (*name == '-')
        return "write an entry of a list as \"- one\", with a space after the dash";
    return strpbrk(name, ",;") ? "write a list as [one, two]" : NULL;
}

/* A value in place of a mapping is that of the first option, whose name core knows. */
static void read_first_option(struct swi_yaml_reader *reading, const char *word,
                              struct swi_sink_settings *sink, const struct swi_node *value)
{
    struct swi_node key = {.kind = SWI_NODE_TEXT, .where = value->where, .text = (char[1]){""}};
    named_option_read(reading, word, sink->name, sink,
                      &(struct swi_item){&key, (struct swi_node *)value});
}

static void read_options(struct swi_yaml_reader *reading, const struct swi_entries *entries,
                         struct swi_sink_settings *sink, const struct swi_node *options)
{
    if (options->kind != SWI_NODE_MAPPING && entries->takes_value)
        read_first_option(reading, entries->word, sink, options);
    else if (options->kind != SWI_NODE_MAPPING)
        SWI_NODE_MISTAKE(
            reading, options,
            "%s %s: found %s, expected a mapping of its options, like \"{name: value}\"",
            entries->word, SWI_PRINTABLE(sink->name), SWI_NODE_FOUND(options));
    for (size_t i = 0; options->kind == SWI_NODE_MAPPING && i < options->count; i++)
        entry_option_read(reading, entries->word, sink->name, sink, &options->item[i]);
}

/* options NULL: none. */
void swi_entry_read(struct swi_yaml_reader *reading, struct swi_entries *entries,
                    const struct swi_node *name, const struct swi_node *options)
{
    if (!*name->text || name->is_null) {
        SWI_NODE_MISTAKE(reading, name, "%s: found an empty entry, " EXPECTED, entries->key,
                         entries->word);
        return;
    }
    const char *written = as_written(name->text);
    if (written) {
        SWI_NODE_MISTAKE(reading, name, "%s: %s is not the name of a %s: %s", entries->key,
                         SWI_NODE_SHOWN(name), entries->word, written);
        return;
    }
    struct swi_sink_settings *sink = swi_entry_add(reading, entries, name->text, &name->where);
    if (sink && options && !options->wrong && !options->is_null)
        read_options(reading, entries, sink, options);
}

/* ---- the list ---- */

/* `- csv:` and below it `  path: x`, where the options should be indented further. */
static void too_many_keys(struct swi_yaml_reader *reading, const struct swi_entries *entries,
                          const struct swi_node *node)
{
    const char *first = node->item[0].key->text;
    const struct swi_where *where = &node->item[1].key->where;
    if (node->item[0].value->is_null)
        swi_mistakes_add(reading->mistakes, where,
                         "%s: is \"%s\" an option of %s? If so, indent it further than "
                         "%s: each entry of the list names one %s",
                         entries->key, SWI_PRINTABLE(node->item[1].key->text), SWI_PRINTABLE(first),
                         SWI_PRINTABLE(first), entries->word);
    else
        swi_mistakes_add(reading->mistakes, where,
                         "%s: each entry of the list names one %s: begin the next "
                         "one with \"- \"",
                         entries->key, entries->word);
}

static void read_entry(struct swi_yaml_reader *reading, struct swi_entries *entries,
                       const struct swi_node *node)
{
    if (node->wrong)
        return;
    if (node->kind == SWI_NODE_TEXT)
        swi_entry_read(reading, entries, node, NULL);
    else if (node->kind == SWI_NODE_MAPPING && node->count == 1)
        swi_entry_read(reading, entries, node->item[0].key, node->item[0].value);
    else if (node->kind == SWI_NODE_MAPPING && node->count > 1)
        too_many_keys(reading, entries, node);
    else
        SWI_NODE_MISTAKE(reading, node, "%s: found %s, " EXPECTED, entries->key,
                         node->kind == SWI_NODE_LIST ? "a list" : "an empty mapping",
                         entries->word);
}

void swi_entries_read(struct swi_yaml_reader *reading, struct swi_entries *entries,
                      const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind == SWI_NODE_TEXT)
        swi_entry_read(reading, entries, node, NULL);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == SWI_NODE_LIST)
            read_entry(reading, entries, node->item[i].value);
        else
            swi_entry_read(reading, entries, node->item[i].key, node->item[i].value);
    }
}

/* ---- what other keys add ---- */

void swi_entry_option(struct swi_yaml_reader *reading, struct swi_sink_settings *sink,
                      const char *option, struct swi_scalar value, const char *text)
{
    struct swi_setting *setting = setting_add(reading, sink, option, &value.where);
    if (setting)
        scalar_add(reading, setting, value, NULL, text);
}

/* ---- making settings ---- */

struct swi_entries swi_sink_entries(struct swi_yaml_reader *reading)
{
    struct swi_settings *settings = &reading->config->settings;
    return (struct swi_entries){.key = "logger_callback",
                                .word = "sink",
                                .count = &settings->sink_count,
                                .item = &settings->sink,
                                .most = SWI_CONFIG_SINKS,
                                .too_many = &reading->too_many_sinks};
}

static struct swi_sink_settings *sink_add(struct swi_yaml_reader *reading, const char *name,
                                          const struct swi_where *where)
{
    struct swi_entries sinks = swi_sink_entries(reading);
    return swi_entry_add(reading, &sinks, name, where);
}

void swi_sink_option_read(struct swi_yaml_reader *reading, const char *name,
                          struct swi_sink_settings *sink, const struct swi_item *entry)
{
    entry_option_read(reading, "sink", name, sink, entry);
}

/* ---- what the profiler's keys add ---- */

/* Returns the place of a key's value, or the file without a line. */
static struct swi_where where_of(const struct swi_yaml_reader *reading, enum swi_key key)
{
    const struct swi_config *config = reading->config;
    struct swi_where none = {.file = config->settings.source};
    return config->keys.given[key].given ? config->keys.given[key].where : none;
}

void swi_sink_add_where_not_named(struct swi_yaml_reader *reading, const char *name, bool wanted,
                                  enum swi_key key)
{
    const struct swi_settings *settings = &reading->config->settings;
    struct swi_where where = where_of(reading, key);
    if (wanted && !swi_sink_settings_find(settings->sink, settings->sink_count, name))
        sink_add(reading, name, &where);
}

/* Settings that move to the sink are left empty in `options`. */
void swi_sink_add_options(struct swi_yaml_reader *reading, const char *name,
                          struct swi_sink_settings *options, enum swi_key key)
{
    const struct swi_settings *settings = &reading->config->settings;
    swi_sink_add_where_not_named(reading, name, true, key);
    struct swi_sink_settings *sink =
        swi_sink_settings_find(settings->sink, settings->sink_count, name);
    for (size_t i = 0; sink && i < options->count; i++) {
        if (swi_setting_find(sink, options->setting[i].name) ||
            !swi_yaml_reader_room(reading, &sink->setting, sink->count, sizeof *sink->setting))
            continue;
        sink->setting[sink->count++] = options->setting[i];
        options->setting[i] = (struct swi_setting){0};
    }
}

void swi_sink_hand_on(struct swi_yaml_reader *reading, enum swi_key key, const char *name,
                      const char *option, const char *text)
{
    struct swi_settings *settings = &reading->config->settings;
    struct swi_where where = where_of(reading, key);
    struct swi_scalar scalar = {
        .where = where, .from_environment = reading->config->keys.given[key].from_environment};
    for (size_t i = 0; i < settings->sink_count; i++) {
        struct swi_sink_settings *sink = &settings->sink[i];
        if (strcmp(sink->name, name) == 0 && !swi_setting_find(sink, option))
            swi_entry_option(reading, sink, option, scalar, text);
    }
}

void swi_sink_spare(struct swi_yaml_reader *reading, const char *name, const char *unless)
{
    struct swi_settings *settings = &reading->config->settings;
    for (size_t i = 0; i < settings->sink_count; i++) {
        struct swi_sink_settings *sink = &settings->sink[i];
        sink->spared = strcmp(sink->name, name) == 0 && !swi_setting_find(sink, unless);
    }
}
