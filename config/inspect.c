/* SPDX-License-Identifier: MIT */
/* inspect.c - the public inspect.h: looks at a configuration without opening anything. */
#include "config/config.h"
#include "core/plugins/listing.h"
#include "core/plugins/option_value.h"
#include "core/plugins/options.h"
#include "core/plugins/search.h"
#include "core/delivery/pipeline.h"
#include "core/ranks/rank.h"
#include "core/text/printable.h"
#include "core/text/quote.h"

#include <stdlib.h>
#include <string.h>

int sw_config_check(const char *path, char **text, struct sw_error *err)
{
    SW_ERROR_SCOPE(own);
    struct swi_mistakes mistakes = {0};
    struct swi_config config;
    int rc = swi_config_file(path, &config, &mistakes, err ? err : &own);
    if (rc < 0) {
        swi_mistakes_fini(&mistakes);
        return rc;
    }
    swi_pipeline_check(&config.settings, true, true, &mistakes);
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

/* Prints the options of one sink as its open() would receive them. */
static int print_options(const struct sw_sink_plugin *plugin, const void *state, FILE *out)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        char *value = swi_option_value(option, state);
        if (!value)
            return SW_ENOMEM;
        fprintf(out, "      %s: %s\n", option->name, value);
        free(value);
    }
    return 0;
}

static int print_filled(const struct sw_sink_plugin *plugin, const struct swi_sink_settings *sink,
                        struct swi_mistakes *mistakes, FILE *out)
{
    struct swi_strings *strings = NULL;
    bool has_options = plugin->options && plugin->options->name;
    void *state = calloc(1, plugin->state_size ? plugin->state_size : 1);
    int rc = state ? swi_options_fill(plugin, sink, state, &strings, mistakes) : SW_ENOMEM;
    if (rc == 0) {
        fprintf(out, has_options ? "  - %s:\n" : "  - %s\n", sink->name);
        rc = print_options(plugin, state, out);
    }
    swi_options_free(strings);
    free(state);
    return rc;
}

static int print_sink(const struct swi_settings *settings, const struct swi_sink_settings *sink,
                      FILE *out, struct sw_error *err)
{
    struct swi_mistakes mistakes = {0};
    struct swi_plugin plugin;
    int rc = swi_plugin_load(&plugin, settings, sink->name, NULL, 0, err);
    if (rc < 0)
        return rc;
    rc = print_filled(plugin.sink, sink, &mistakes, out);
    swi_plugin_fini(&plugin);
    if (rc == SW_ENOMEM)
        sw_error_set(err, rc, "not enough memory to print the configuration");
    else if (rc < 0)
        swi_mistakes_error(&mistakes, err);
    swi_mistakes_fini(&mistakes);
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
    if (!swi_keys_print(&config->keys, out))
        return sw_error_set(err, SW_ENOMEM, "not enough memory to print the configuration");
    fputs(settings->sink_count ? "logger_callback:\n" : "logger_callback: []\n", out);
    for (size_t i = 0; rc == 0 && i < settings->sink_count; i++)
        rc = print_sink(settings, &settings->sink[i], out, err);
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

/* ---- sinks ---- */

int sw_sinks_find(const char *config_path, struct sw_sinks **sinks, struct sw_error *err)
{
    SW_ERROR_SCOPE(own);
    struct swi_mistakes mistakes = {0};
    struct swi_config config;
    if (!err)
        err = &own;
    int rc = swi_config_file(config_path, &config, &mistakes, err);
    swi_mistakes_fini(&mistakes);
    if (rc < 0)
        return rc;
    rc = swi_plugins_list(&config.settings, sinks, err);
    swi_config_fini(&config);
    return rc;
}
