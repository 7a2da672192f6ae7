/* SPDX-License-Identifier: MIT */
/* stepwatch sinks - lists the sinks and their options. */
#include "tools/commands/arguments.h"
#include "tools/commands/sink_list.h"
#include "tools/log/report_json.h"
#include "tools/output/stderr.h"
#include "tools/output/text.h"
#include "tools/commands/commands.h"

#include <stepwatch/inspect.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch sinks [NAME] [--config FILE] [--json]\n\n"
    "Lists the sinks that a configuration can name: where each was found, its\n"
    "version, and which ones are hidden by another of the same name or cannot be\n"
    "used. With NAME, prints the options of that sink.\n\n"
    "  --config FILE  also look in the plugin_path of that configuration (default: as\n"
    "                 sw_open() finds it)\n"
    "  --json         print all about each sink as JSON, with the type, default and\n"
    "                 range of its options\n";

static const char *const type_names[] = {"true or false", "integer", "number",  "duration",
                                         "size",          "text",    "path",    "choice",
                                         "list",          "name",    "subpath", "mapping"};

/* Prints a text of a plugin, which may contain anything. */
static void put(const char *before, const char *text)
{
    fputs(before, stdout);
    text_put(text, 0);
}

static void print_range(const struct sw_option *option)
{
    if (option->type == SW_OPTION_CHOICE)
        put(", one of ", option->choices);
    else if (option->min != 0 || option->max != 0)
        printf(", %.15g..%.15g%s", option->min, option->max,
               option->type == SW_OPTION_DURATION ? " s"
               : option->type == SW_OPTION_SIZE   ? " bytes"
                                                  : "");
}

static void print_option(const struct sw_option *option)
{
    printf("  %-20s %s", option->name, type_names[option->type]);
    print_range(option);
    if (option->unit)
        put(", in ", option->unit);
    if (option->required)
        printf(", required");
    else if (option->fallback)
        put(", default ", *option->fallback ? option->fallback : "\"\"");
    printf("%s\n  %-20s ", option->secret ? ", secret" : "", "");
    put("", option->help);
    putchar('\n');
}

static void print_path(const struct sw_sink_found *found)
{
    text_put(found->path, 0);
    puts(found->shadowed ? " (hidden by one found earlier)" : "");
}

static void print_sink(const struct sw_sink_found *found)
{
    const struct sw_sink_plugin *plugin = found->plugin;
    if (found->problem) {
        printf("%s\n", found->name);
        put("  ", found->path);
        put("\n  cannot be used: ", found->problem);
        putchar('\n');
        return;
    }
    printf("%s ", plugin->name);
    put("", plugin->version);
    put(" (", plugin->license);
    put("): ", plugin->summary);
    printf("\n  ");
    print_path(found);
    if (!plugin->options || !plugin->options->name)
        printf("  no options\n");
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        print_option(option);
}

static void print_line(const struct sw_sink_found *found)
{
    printf("%-12s ", found->name);
    if (found->problem) {
        put("cannot be used: ", found->problem);
        putchar('\n');
        return;
    }
    text_put(found->plugin->version, 8);
    put(" ", found->plugin->summary);
    printf("\n%-12s ", "");
    print_path(found);
}

/* ---- the same as JSON ---- */

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, text_json(text));
}

static json_t *choices_json(const char *choices)
{
    json_t *list = json_array();
    while (*choices) {
        size_t length = strcspn(choices, "|");
        json_array_append_new(list, json_stringn(choices, length));
        choices += length + (choices[length] == '|');
    }
    return list;
}

static json_t *option_json(const struct sw_option *option)
{
    json_t *object = json_object();
    put_text(object, "name", option->name);
    put_text(object, "type", type_names[option->type]);
    put_text(object, "default", option->fallback);
    if (option->min != 0 || option->max != 0) {
        json_object_set_new(object, "min", text_json_number(option->min));
        json_object_set_new(object, "max", text_json_number(option->max));
    }
    if (option->type == SW_OPTION_CHOICE)
        json_object_set_new(object, "choices", choices_json(option->choices));
    put_text(object, "unit", option->unit);
    json_object_set_new(object, "required", json_boolean(option->required));
    json_object_set_new(object, "secret", json_boolean(option->secret));
    put_text(object, "help", option->help);
    return object;
}

static json_t *options_json(const struct sw_option *option)
{
    json_t *list = json_array();
    for (; option && option->name; option++)
        json_array_append_new(list, option_json(option));
    return list;
}

static json_t *sink_json(const struct sw_sink_found *found)
{
    const struct sw_sink_plugin *plugin = found->plugin;
    json_t *object = json_object();
    put_text(object, "name", found->name);
    put_text(object, "path", found->path);
    put_text(object, "problem", found->problem);
    json_object_set_new(object, "hidden", json_boolean(found->shadowed));
    if (found->problem)
        return object;
    put_text(object, "version", plugin->version);
    put_text(object, "license", plugin->license);
    put_text(object, "summary", plugin->summary);
    json_object_set_new(object, "options", options_json(plugin->options));
    return object;
}

static int print_json(const struct sw_sinks *sinks, const char *name)
{
    SW_ERROR_SCOPE(err);
    json_t *list = json_array();
    for (size_t i = 0; i < sinks->count; i++)
        if (!name || strcmp(sinks->item[i].name, name) == 0)
            json_array_append_new(list, sink_json(&sinks->item[i]));
    if (json_print(json_pack("{s:o}", "sinks", list), &err) == 0)
        return EXIT_FINE;
    say("sinks", "%s", sw_error_text(&err));
    return EXIT_FAILED;
}

/* ---- the command ---- */

static bool has_name(const struct sw_sinks *sinks, const char *name)
{
    if (sink_list_find(sinks, name, strlen(name)))
        return true;
    char *names = sink_list_names(sinks);
    say("sinks", "no sink is named \"%s\"; the sinks are %s", name, names ? names : "others");
    free(names);
    return false;
}

static int print(const struct sw_sinks *sinks, const char *name, bool json)
{
    if (name && !has_name(sinks, name))
        return EXIT_FAILED;
    if (json)
        return print_json(sinks, name);
    for (size_t i = 0; i < sinks->count; i++) {
        if (!name)
            print_line(&sinks->item[i]);
        else if (strcmp(sinks->item[i].name, name) == 0)
            print_sink(&sinks->item[i]);
    }
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *config = NULL;
    bool json = false;
    const struct argument arguments[] = {{.name = "config", .value = &config},
                                         {.name = "json", .flag = &json}};
    SW_ERROR_SCOPE(err);
    struct sw_sinks *sinks = NULL;
    int rc = arguments_take(&sinks_command, arguments, 2, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (argc > 2)
        return usage_error(&sinks_command, "expected at most one NAME, found %d", argc - 1);
    if (sw_sinks_find(config, &sinks, &err) < 0) {
        say("sinks", "%s", sw_error_text(&err));
        return EXIT_FAILED;
    }
    rc = print(sinks, argc == 2 ? argv[1] : NULL, json);
    sw_sinks_free(sinks);
    return rc;
}

const struct command sinks_command = {"sinks", "lists the sinks and their options", help, run};
