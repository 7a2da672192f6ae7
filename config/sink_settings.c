/* SPDX-License-Identifier: MIT */
#include "config/sink_settings.h"

#include "config/yaml_limits.h"

#include <string.h>

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
    swi_entry_option_read(reading, "sink", name, sink, entry);
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
    struct swi_settings *settings = &reading->config->settings;
    struct swi_where where = where_of(reading, key);
    for (size_t i = 0; i < settings->sink_count; i++)
        if (strcmp(settings->sink[i].name, name) == 0)
            return;
    if (wanted)
        sink_add(reading, name, &where);
}

static struct swi_sink_settings *sink_named(struct swi_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->sink_count; i++)
        if (strcmp(settings->sink[i].name, name) == 0)
            return &settings->sink[i];
    return NULL;
}

/* Settings that move to the sink are left empty in `options`. */
void swi_sink_add_options(struct swi_yaml_reader *reading, const char *name,
                          struct swi_sink_settings *options, enum swi_key key)
{
    swi_sink_add_where_not_named(reading, name, true, key);
    struct swi_sink_settings *sink = sink_named(&reading->config->settings, name);
    for (size_t i = 0; sink && i < options->count; i++) {
        if (swi_entry_has(sink, options->setting[i].name) ||
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
        if (strcmp(sink->name, name) == 0 && !swi_entry_has(sink, option))
            swi_entry_option(reading, sink, option, scalar, text);
    }
}

void swi_sink_spare(struct swi_yaml_reader *reading, const char *name, const char *unless)
{
    struct swi_settings *settings = &reading->config->settings;
    for (size_t i = 0; i < settings->sink_count; i++) {
        struct swi_sink_settings *sink = &settings->sink[i];
        sink->spared = strcmp(sink->name, name) == 0 && !swi_entry_has(sink, unless);
    }
}
