/* SPDX-License-Identifier: MIT */
#include "core/plugins/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void setting_fini(struct swi_setting *setting)
{
    for (size_t i = 0; i < setting->count; i++) {
        free(setting->value[i].name);
        free(setting->value[i].text);
    }
    free(setting->value);
    free(setting->name);
}

struct swi_sink_settings *swi_sink_settings_find(struct swi_sink_settings *list, size_t count,
                                                 const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

const struct swi_setting *swi_setting_find(const struct swi_sink_settings *sink, const char *option)
{
    for (size_t i = 0; i < sink->count; i++)
        if (strcmp(sink->setting[i].name, option) == 0)
            return &sink->setting[i];
    return NULL;
}

struct swi_where swi_setting_where(const struct swi_sink_settings *sink, const char *option)
{
    const struct swi_setting *given = swi_setting_find(sink, option);
    return given && given->where.line ? given->where : sink->where;
}

void swi_sink_settings_fini(struct swi_sink_settings *sink)
{
    for (size_t i = 0; i < sink->count; i++)
        setting_fini(&sink->setting[i]);
    free(sink->setting);
    free(sink->name);
}

char *swi_working_directory(void)
{
    char *directory = getcwd(NULL, 0);
    return directory || errno == ENOMEM ? directory : strdup("");
}

void swi_settings_fini(struct swi_settings *settings)
{
    for (size_t i = 0; i < settings->sink_count; i++)
        swi_sink_settings_fini(&settings->sink[i]);
    for (size_t i = 0; i < settings->monitor_count; i++)
        swi_sink_settings_fini(&settings->monitor[i]);
    for (size_t i = 0; i < settings->plugin_path_count; i++)
        free(settings->plugin_path[i]);
    for (size_t i = 0; i < settings->place_count; i++)
        free(settings->place[i]);
    free(settings->place);
    free(settings->sink);
    free(settings->monitor);
    free(settings->plugin_path);
    free(settings->name);
    free(settings->source);
    free(settings->file);
    free(settings->directory);
    *settings = (struct swi_settings){.mode = SW_MODE_OFF};
}
