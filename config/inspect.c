/* SPDX-License-Identifier: MIT */
/* inspect.c - the public inspect.h: looks at a configuration without opening anything. */
#include "config/config.h"
#include "config/profiler_keys.h"
#include "core/delivery/pipeline.h"
#include "core/monitors/monitors.h"
#include "core/plugins/option_parse.h"
#include "core/plugins/options.h"
#include "core/plugins/search.h"
#include "core/process/own_floats.h"
#include "core/ranks/rank.h"
#include "core/text/parse.h"
#include "core/text/printable.h"

#include <stepwatch/inspect.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- prints the keys of `profiler:` ---------------------------------------------------------- */

/* Prints one value. The mode, the default csv_name and the mappings need special cases; a duration
 * is printed in the usual units. Returns false if out of memory. */
static bool print_value(const struct swi_profiler_keys *keys, int key, FILE *out)
{
    static void (*const printers[SWI_KEYS])(const struct swi_profiler_keys *, FILE *) = {
        [SWI_KEY_SCHEDULE] = swi_schedule_print, [SWI_KEY_CAPTURE] = swi_capture_print,
        [SWI_KEY_COUNTERS] = swi_counters_print, [SWI_KEY_PEAK_FLOPS] = swi_peak_flops_print,
        [SWI_KEY_WATCHDOG] = swi_watchdog_print, [SWI_KEY_FUNCTIONS] = swi_functions_print,
    };
    const struct sw_option *row = &sw_profiler_options()[key];
    char *value = NULL;
    if (printers[key])
        printers[key](keys, out);
    else if (row->type == SW_OPTION_CHOICE)
        fputs(keys->advanced ? SWI_ADVANCED : swi_profiler_keys_mode_name(keys->mode), out);
    else if (row->type == SW_OPTION_PATH)
        swi_quote_print(swi_profiler_keys_csv_name(keys), out);
    else if (row->type == SW_OPTION_DURATION)
        fputs(swi_print_duration((char[SWI_DURATION_TEXT]){0}, keys->close_timeout_ns), out);
    else if ((value = swi_option_value(row, keys)))
        fputs(value, out);
    else
        return false;
    free(value);
    return true;
}

/* Returns whether a key is printed: wait, schedule, capture, counters and peak_flops are rare, so
 * they are printed only if they are given. */
static bool is_shown(const struct swi_profiler_keys *keys, int key)
{
    return (key != SWI_KEY_WAIT || keys->wait) &&
           (key != SWI_KEY_SCHEDULE || keys->schedule.given) &&
           (key != SWI_KEY_CAPTURE || keys->capture.given) &&
           (key != SWI_KEY_COUNTERS || keys->counter_count) &&
           (key != SWI_KEY_PEAK_FLOPS || keys->peak_flops > 0) &&
           (key != SWI_KEY_WATCHDOG || keys->watchdog.given) &&
           (key != SWI_KEY_FUNCTIONS || keys->functions.given);
}

/* Prints " key: value" lines. Returns false if out of memory. */
static bool profiler_keys_print(const struct swi_profiler_keys *keys, FILE *out)
{
    bool fine = true;
    for (int i = 0; i < SWI_KEYS && fine; i++) {
        if (!is_shown(keys, i))
            continue;
        fprintf(out, "  %s: ", sw_profiler_options()[i].name);
        fine = print_value(keys, i, out);
        fputc('\n', out);
    }
    return fine;
}

/* ---- the public inspect.h: looks at a configuration without opening anything ----------------- */

int sw_config_check(const char *path, char **text, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    SW_ERROR_SCOPE(own);
    struct swi_mistakes mistakes = {0};
    struct swi_config config;
    int rc = swi_config_file(path, &config, &mistakes, err ? err : &own);
    if (rc < 0) {
        swi_mistakes_fini(&mistakes);
        return rc;
    }
    swi_pipeline_check(&config.settings, true, true, &mistakes);
    swi_monitors_check(&config.settings, true, &mistakes);
    *text = swi_mistakes_text(&mistakes);
    rc = (int)mistakes.count;
    swi_mistakes_fini(&mistakes);
    swi_config_fini(&config);
    if (rc && !*text)
        return sw_error_set(err, SW_ENOMEM,
                            "not enough memory to list the mistakes of the configuration");
    return rc;
}

/* ---- printing ---- */

/* Prints the options of one plugin as its open() would receive them. */
static int print_options(const struct sw_option *option, const void *state, FILE *out)
{
    for (; option && option->name; option++) {
        char *value = swi_option_value(option, state);
        if (!value)
            return SW_ENOMEM;
        fprintf(out, "      %s: %s\n", option->name, value);
        free(value);
    }
    return 0;
}

static int print_filled(const struct swi_kind *kind, const void *plugin,
                        const struct swi_sink_settings *given, struct swi_mistakes *mistakes,
                        FILE *out)
{
    struct swi_strings *strings = NULL;
    const struct sw_option *options = swi_kind_options(kind, plugin);
    size_t size = swi_kind_state_size(kind, plugin);
    void *state = calloc(1, size ? size : 1);
    int rc = state ? swi_options_fill(kind, plugin, given, state, &strings, mistakes) : SW_ENOMEM;
    if (rc == 0) {
        fprintf(out, options && options->name ? "  - %s:\n" : "  - %s\n", given->name);
        rc = print_options(options, state, out);
    }
    swi_options_free(strings);
    free(state);
    return rc;
}

static int print_plugin(const struct swi_kind *kind, const struct swi_settings *settings,
                        const struct swi_sink_settings *given, FILE *out, struct sw_error *err)
{
    struct swi_mistakes mistakes = {0};
    struct swi_plugin plugin;
    struct swi_search search;
    swi_search_begin(&search, settings);
    int rc = swi_plugin_load(kind, &plugin, &search, given->name, NULL, 0, err);
    swi_search_end(&search);
    if (rc < 0)
        return rc;
    rc = print_filled(kind, plugin.any, given, &mistakes, out);
    swi_plugin_fini(&plugin);
    if (rc == SW_ENOMEM)
        sw_error_set(err, rc, "not enough memory to print the configuration");
    else if (rc < 0)
        swi_mistakes_error(&mistakes, err);
    swi_mistakes_fini(&mistakes);
    return rc;
}

/* Those that `monitors: true` adds are printed by name. */
static int print_monitors(const struct swi_settings *settings, FILE *out, struct sw_error *err)
{
    int rc = 0;
    if (settings->monitor_count)
        fputs("monitors:\n", out);
    for (size_t i = 0; rc == 0 && i < settings->monitor_count; i++)
        rc = print_plugin(&swi_kind_monitor, settings, &settings->monitor[i], out, err);
    return rc;
}

static void print_paths(const struct swi_settings *settings, FILE *out)
{
    if (settings->plugin_path_count)
        fputs("plugin_path:\n", out);
    for (size_t i = 0; i < settings->plugin_path_count; i++) {
        fputs("  - ", out);
        swi_quote_print(settings->plugin_path[i], out);
        fputc('\n', out);
    }
}

/* The rank differs in each process, so it is printed as a comment, unlike the ranks of the file. A
 * process that no launcher started has none. */
static void print_rank(const struct swi_settings *settings, FILE *out)
{
    struct swi_rank rank;
    char text[512], shown[1024];
    swi_rank_find_here(&rank, &settings->ranks);
    if (strcmp(rank.source, "none") != 0 || !rank.certain)
        fprintf(out, "# %s\n",
                swi_printable(shown, sizeof shown, swi_rank_describe(&rank, text, sizeof text)));
    if (*rank.warning)
        fprintf(out, "# %s\n", swi_printable(shown, sizeof shown, rank.warning));
    if (settings->ranks.size > 0)
        fprintf(out, "ranks: { rank: %" PRId64 ", size: %" PRId64 " }\n", settings->ranks.rank,
                settings->ranks.size);
}

static int print_config(const struct swi_config *config, FILE *out, struct sw_error *err)
{
    const struct swi_settings *settings = &config->settings;
    int rc = 0;
    print_rank(settings, out);
    if (settings->name) {
        fputs("name: ", out);
        swi_quote_print(settings->name, out);
        fputc('\n', out);
    }
    fputs("profiler:\n", out);
    if (!profiler_keys_print(&config->keys, out))
        return sw_error_set(err, SW_ENOMEM, "not enough memory to print the configuration");
    fputs(settings->sink_count ? "logger_callback:\n" : "logger_callback: []\n", out);
    for (size_t i = 0; rc == 0 && i < settings->sink_count; i++)
        rc = print_plugin(&swi_kind_sink, settings, &settings->sink[i], out, err);
    if (rc == 0)
        rc = print_monitors(settings, out, err);
    print_paths(settings, out);
    return rc;
}

static int print_to_text(const struct swi_config *config, char **text, struct sw_error *err)
{
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    int rc = out ? print_config(config, out, err) : 0;
    if (!out || fclose(out))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory to print the configuration");
    if (rc < 0)
        free(printed);
    else
        *text = printed;
    return rc;
}

int sw_config_print(const char *path, char **text, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    SW_ERROR_SCOPE(own);
    struct swi_mistakes mistakes = {0};
    struct swi_config config;
    if (!err)
        err = &own;
    int rc = swi_config_file(path, &config, &mistakes, err);
    if (rc < 0) {
        swi_mistakes_fini(&mistakes);
        return rc;
    }
    swi_pipeline_check(&config.settings, true, false, &mistakes);
    swi_monitors_check(&config.settings, true, &mistakes);
    rc = swi_mistakes_error(&mistakes, err);
    if (rc == 0)
        rc = print_to_text(&config, text, err);
    swi_mistakes_fini(&mistakes);
    swi_config_fini(&config);
    return rc;
}

/* ---- parts of it ---- */

/* Reads the configuration. Returns -1 and sets err if it is not valid. */
static int config_read(const char *path, struct swi_config *config, struct sw_error *err)
{
    struct swi_mistakes mistakes = {0};
    int rc = swi_config_file(path, config, &mistakes, err);
    if (rc == 0) {
        rc = swi_mistakes_error(&mistakes, err);
        if (rc < 0)
            swi_config_fini(config);
    }
    swi_mistakes_fini(&mistakes);
    return rc;
}

int sw_config_schedule(const char *path, struct sw_schedule *schedule, bool *on_demand,
                       struct sw_error *err)
{
    SWI_OWN_FLOATS;
    SW_ERROR_SCOPE(own);
    struct swi_config config;
    int rc = config_read(path, &config, err ? err : &own);
    if (rc < 0)
        return rc;
    *schedule = config.settings.schedule;
    if (on_demand)
        *on_demand = config.settings.capture.given;
    swi_config_fini(&config);
    return 0;
}

int sw_config_functions(const char *path, const char **times, int *rate, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    SW_ERROR_SCOPE(own);
    struct swi_config config;
    int rc = config_read(path, &config, err ? err : &own);
    if (rc < 0)
        return rc;
    const struct swi_functions_settings *functions = &config.settings.functions;
    *times = !functions->given ? NULL : functions->times ? functions->times : "exact";
    *rate = functions->rate;
    swi_config_fini(&config);
    return 0;
}

int sw_config_has_sink(const char *path, const char *name, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    SW_ERROR_SCOPE(own);
    struct swi_config config;
    int rc = config_read(path, &config, err ? err : &own);
    if (rc < 0)
        return rc;
    bool has = swi_sink_settings_find(config.settings.sink, config.settings.sink_count, name);
    swi_config_fini(&config);
    return has;
}

/* ---- plugins ---- */

static int plugins_find(const struct swi_kind *kind, const char *config_path,
                        struct swi_found_list *list, struct sw_error *err)
{
    struct swi_mistakes mistakes = {0};
    struct swi_config config;
    int rc = swi_config_file(config_path, &config, &mistakes, err);
    swi_mistakes_fini(&mistakes);
    if (rc < 0)
        return rc;
    rc = swi_plugins_list(kind, &config.settings, list, err);
    swi_config_fini(&config);
    return rc;
}

static int no_memory(struct swi_found_list *list, struct sw_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        swi_found_fini(&list->item[i]);
    free(list->item);
    return sw_error_set(err, SW_ENOMEM, "not enough memory to list the plugins");
}

static void found_free(const char *name, const char *path, const char *problem)
{
    free((char *)name);
    free((char *)path);
    free((char *)problem);
}

/* The public list of a kind: the same with another type of plugin. Its items take over the texts.
 */
#define LIST_OF(kind)                                                                              \
    int sw_##kind##s_find(const char *config_path, struct sw_##kind##s **found,                    \
                          struct sw_error *err)                                                    \
    {                                                                                              \
        SWI_OWN_FLOATS;                                                                            \
        SW_ERROR_SCOPE(own);                                                                       \
        struct swi_found_list list;                                                                \
        int rc = plugins_find(&swi_kind_##kind, config_path, &list, err ? err : &own);             \
        if (rc < 0)                                                                                \
            return rc;                                                                             \
        struct sw_##kind##s *made = calloc(1, sizeof *made);                                       \
        struct sw_##kind##_found *item = calloc(list.count + 1, sizeof *item);                     \
        if (!made || !item) {                                                                      \
            free(made);                                                                            \
            free(item);                                                                            \
            return no_memory(&list, err);                                                          \
        }                                                                                          \
        for (size_t i = 0; i < list.count; i++)                                                    \
            item[i] = (struct sw_##kind##_found){.name = list.item[i].name,                        \
                                                 .path = list.item[i].path,                        \
                                                 .plugin = list.item[i].plugin,                    \
                                                 .problem = list.item[i].problem,                  \
                                                 .shadowed = list.item[i].shadowed};               \
        free(list.item);                                                                           \
        *made = (struct sw_##kind##s){.count = list.count, .item = item};                          \
        *found = made;                                                                             \
        return (int)made->count;                                                                   \
    }                                                                                              \
                                                                                                   \
    void sw_##kind##s_free(struct sw_##kind##s *found)                                             \
    {                                                                                              \
        for (size_t i = 0; found && i < found->count; i++)                                         \
            found_free(found->item[i].name, found->item[i].path, found->item[i].problem);          \
        if (found)                                                                                 \
            free((void *)found->item);                                                             \
        free(found);                                                                               \
    }

LIST_OF(sink)
LIST_OF(monitor)
