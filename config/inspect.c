/* SPDX-License-Identifier: MIT */
/* Looking at a configuration without running it: <stepwatch/inspect.h>. */
#include "config/config.h"
#include "core/loader.h"
#include "core/options.h"
#include "core/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Everything that sw_open() checks. */
static int check(const char *path, struct swi_settings *settings, struct swi_mistakes *mistakes,
                 struct sw_error *err)
{
    int rc = swi_config_file(path, settings, mistakes, err);
    if (rc == 0)
        swi_pipeline_check(settings, mistakes);
    return rc;
}

int sw_config_check(const char *path, char **text, struct sw_error *err)
{
    struct sw_error ignored;
    struct swi_settings settings = {0};
    struct swi_mistakes mistakes = {0};
    *text = NULL;
    int rc = check(path, &settings, &mistakes, err ? err : &ignored);
    if (rc == 0 || mistakes.count) {
        rc = (int)mistakes.count;
        *text = swi_mistakes_text(&mistakes);
    }
    swi_mistakes_fini(&mistakes);
    swi_settings_fini(&settings);
    return rc;
}

/* ---- printing -----------------------------------------------------------------------------------
 */

static const char *yes(bool value)
{
    return value ? "true" : "false";
}

static void print_profiler(FILE *out, const struct swi_settings *settings)
{
    static const char *const modes[] = {"throughput", "simple", "off"};
    fprintf(out,
            "profiler:\n"
            "  mode: %s\n"
            "  rolling_average: %" PRId64 "\n"
            "  drop_first_batch: %s\n"
            "  show_report: false\n" /* what it adds stands below */
            "  accounting: %s\n"
            "  signals: %s\n"
            "  close_timeout: %.15gs\n",
            modes[settings->mode], settings->rolling_average, yes(settings->drop_first_batch),
            yes(settings->accounting), yes(settings->signals),
            (double)settings->close_timeout_ns * 1e-9);
}

static void print_options(FILE *out, const struct sw_sink_plugin *plugin, const void *state)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        char *value = swi_option_value(option, state);
        fprintf(out, "      %s: %s\n", option->name, value ? value : "~");
        free(value);
    }
}

static void print_sink(FILE *out, const struct swi_settings *settings,
                       const struct swi_sink_settings *sink)
{
    struct swi_plugin plugin = {0};
    struct swi_mistakes none = {0};
    struct swi_strings *strings = NULL;
    struct sw_error err;
    if (swi_plugin_load(&plugin, settings, sink->name, NULL, 0, &err) < 0)
        return;
    const struct sw_option *options = plugin.sink->options;
    void *state = calloc(1, plugin.sink->state_size + 1);
    fprintf(out, "  - %s:%s\n", sink->name, options && options->name ? "" : " {}");
    if (state && swi_options_fill(plugin.sink, sink, state, &strings, &none) == 0)
        print_options(out, plugin.sink, state);
    swi_options_free(strings);
    swi_mistakes_fini(&none);
    swi_plugin_fini(&plugin);
    free(state);
}

static void print_all(FILE *out, const struct swi_settings *settings)
{
    if (settings->name)
        fprintf(out, "name: \"%s\"\n", settings->name);
    print_profiler(out, settings);
    fputs(settings->sink_count ? "logger_callback:\n" : "logger_callback: []\n", out);
    for (size_t i = 0; i < settings->sink_count; i++)
        print_sink(out, settings, &settings->sink[i]);
    if (settings->plugin_path_count)
        fputs("plugin_path:\n", out);
    for (size_t i = 0; i < settings->plugin_path_count; i++)
        fprintf(out, "  - \"%s\"\n", settings->plugin_path[i]);
}

int sw_config_print(const char *path, char **text, struct sw_error *err)
{
    struct sw_error ignored;
    struct swi_settings settings = {0};
    struct swi_mistakes mistakes = {0};
    size_t size = 0;
    err = err ? err : &ignored;
    *text = NULL;
    int rc = check(path, &settings, &mistakes, err);
    if (mistakes.count)
        rc = swi_mistakes_error(&mistakes, err);
    FILE *out = rc == 0 ? open_memstream(text, &size) : NULL;
    if (out) {
        print_all(out, &settings);
        fclose(out);
    } else if (rc == 0) {
        rc = sw_error_set(err, SW_ENOMEM, "no memory");
    }
    swi_mistakes_fini(&mistakes);
    swi_settings_fini(&settings);
    return rc;
}

int sw_sinks_find(const char *config, struct sw_sinks **sinks, struct sw_error *err)
{
    struct sw_error ignored;
    struct swi_settings settings = {0};
    struct swi_mistakes mistakes = {0};
    int rc = swi_config_file(config, &settings, &mistakes, err ? err : &ignored);
    if (rc == 0 || mistakes.count)
        rc = swi_plugins_find(&settings, sinks, err ? err : &ignored);
    swi_mistakes_fini(&mistakes);
    swi_settings_fini(&settings);
    return rc;
}
