/* SPDX-License-Identifier: MIT */
#include "config/sink_settings.h"

#include "config/limits.h"
#include "config/show.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

/* ---- making settings ---- */

struct swi_sink_settings *swi_sink_add(struct swi_reading *reading, const char *name,
                                       const struct swi_where *where)
{
    struct swi_settings *settings = &reading->config->settings;
    size_t count = settings->sink_count;
    if (count == SWI_CONFIG_SINKS) {
        if (!reading->too_many_sinks)
            swi_mistakes_add(reading->mistakes, where, "logger_callback: more than %d sinks",
                             SWI_CONFIG_SINKS);
        reading->too_many_sinks = true;
        return NULL;
    }
    struct swi_sink_settings *grown =
        swi_reading_grow(reading, settings->sink, count, sizeof *grown);
    char *copy = grown ? swi_reading_copy(reading, name) : NULL;
    if (grown)
        settings->sink = grown;
    if (!copy)
        return NULL;
    grown[count] = (struct swi_sink_settings){.name = copy, .where = *where};
    settings->sink_count++;
    return &grown[count];
}

static struct swi_setting *setting_add(struct swi_reading *reading, struct swi_sink_settings *sink,
                                       const char *name, const struct swi_where *where)
{
    struct swi_setting *grown =
        swi_reading_grow(reading, sink->setting, sink->count, sizeof *grown);
    char *copy = grown ? swi_reading_copy(reading, name) : NULL;
    if (grown)
        sink->setting = grown;
    if (!copy)
        return NULL;
    grown[sink->count] = (struct swi_setting){.name = copy, .where = *where};
    return &grown[sink->count++];
}

/* Copies name, which may be NULL, and text. */
static void scalar_add(struct swi_reading *reading, struct swi_setting *setting,
                       struct swi_scalar scalar, const char *name, const char *text)
{
    struct swi_scalar *grown =
        swi_reading_grow(reading, setting->value, setting->count, sizeof *grown);
    if (!grown)
        return;
    setting->value = grown;
    scalar.text = swi_reading_copy(reading, text);
    scalar.name = name ? swi_reading_copy(reading, name) : NULL;
    if (scalar.text && (scalar.name || !name)) {
        grown[setting->count++] = scalar;
    } else {
        free(scalar.text);
        free(scalar.name);
    }
}

/* ---- options ---- */

static void text_add(struct swi_reading *reading, struct swi_setting *setting, const char *name,
                     const struct swi_node *node)
{
    struct swi_scalar scalar = {.quoted = node->quoted,
                                .is_null = node->is_null,
                                .from_environment = node->from_environment,
                                .from_program = node->from_program,
                                .where = node->where};
    scalar_add(reading, setting, scalar, name, node->text);
}

static void refuse_value(struct swi_reading *reading, const char *sink, const char *option,
                         const struct swi_node *outer, const struct swi_node *bad)
{
    const char *expected = outer->kind == SWI_NODE_MAPPING ? "text" : "text or a list of texts";
    if (bad->repeats_key)
        swi_mistakes_add(reading->mistakes, &bad->where,
                         "sink %s: %s: the entry is given more than once", SWI_PRINTABLE(sink),
                         SWI_PRINTABLE(option));
    else
        swi_mistakes_add(reading->mistakes, &bad->where, "sink %s: %s: found %s, expected %s",
                         SWI_PRINTABLE(sink), SWI_PRINTABLE(option), SWI_NODE_FOUND(bad), expected);
}

/* Returns whether a value is a text, or a list or mapping of texts. Reports anything else as a
 * mistake. */
static bool is_value(struct swi_reading *reading, const char *sink, const char *option,
                     const struct swi_node *node)
{
    const struct swi_node *bad = NULL;
    bool wrong = node->wrong;
    for (size_t i = 0; i < node->count; i++) {
        wrong = wrong || node->item[i].value->wrong;
        if (!bad && node->item[i].value->kind != SWI_NODE_TEXT)
            bad = node->item[i].value;
    }
    if (bad)
        refuse_value(reading, sink, option, node, bad);
    return !bad && !wrong;
}

void swi_sink_option_read(struct swi_reading *reading, const char *name,
                          struct swi_sink_settings *sink, const struct swi_item *entry)
{
    const struct swi_node *value = entry->value;
    if (!is_value(reading, name, entry->key->text, value))
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

/* ---- what the profiler's keys add ---- */

static bool has_option(const struct swi_sink_settings *sink, const char *name)
{
    for (size_t i = 0; i < sink->count; i++)
        if (strcmp(sink->setting[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the place of a key's value, or the file without a line. */
static struct swi_where where_of(const struct swi_reading *reading, enum swi_key key)
{
    const struct swi_config *config = reading->config;
    struct swi_where none = {.file = config->settings.source};
    return config->keys.given[key].given ? config->keys.given[key].where : none;
}

void swi_sink_add_where_not_named(struct swi_reading *reading, const char *name, bool wanted,
                                  enum swi_key key)
{
    struct swi_settings *settings = &reading->config->settings;
    struct swi_where where = where_of(reading, key);
    for (size_t i = 0; i < settings->sink_count; i++)
        if (strcmp(settings->sink[i].name, name) == 0)
            return;
    if (wanted)
        swi_sink_add(reading, name, &where);
}

static struct swi_sink_settings *sink_named(struct swi_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->sink_count; i++)
        if (strcmp(settings->sink[i].name, name) == 0)
            return &settings->sink[i];
    return NULL;
}

/* Settings that move to the sink are left empty in `options`. */
void swi_sink_add_options(struct swi_reading *reading, const char *name,
                          struct swi_sink_settings *options, enum swi_key key)
{
    swi_sink_add_where_not_named(reading, name, true, key);
    struct swi_sink_settings *sink = sink_named(&reading->config->settings, name);
    for (size_t i = 0; sink && i < options->count; i++) {
        struct swi_setting *grown =
            has_option(sink, options->setting[i].name)
                ? NULL
                : swi_reading_grow(reading, sink->setting, sink->count, sizeof *grown);
        if (!grown)
            continue;
        sink->setting = grown;
        grown[sink->count++] = options->setting[i];
        options->setting[i] = (struct swi_setting){0};
    }
}

void swi_sink_hand_on(struct swi_reading *reading, enum swi_key key, const char *name,
                      const char *option, const char *text)
{
    struct swi_settings *settings = &reading->config->settings;
    struct swi_where where = where_of(reading, key);
    struct swi_scalar scalar = {
        .where = where, .from_environment = reading->config->keys.given[key].from_environment};
    for (size_t i = 0; i < settings->sink_count; i++) {
        struct swi_sink_settings *sink = &settings->sink[i];
        if (strcmp(sink->name, name) != 0 || has_option(sink, option))
            continue;
        struct swi_setting *setting = setting_add(reading, sink, option, &where);
        if (setting)
            scalar_add(reading, setting, scalar, NULL, text);
    }
}
