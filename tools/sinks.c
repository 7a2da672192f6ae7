/* SPDX-License-Identifier: MIT */
/* stepwatch sinks - what sinks there are, and their options. */
#include "tools/tools.h"

#include <stepwatch/inspect.h>

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch sinks [NAME] [--config FILE]\n\n"
    "Lists the sinks that a configuration can name: where each was found, its version, and which "
    "ones are hidden\n"
    "by another of the same name or cannot be used. With NAME it prints that sink's options.\n\n"
    "  --config FILE  look in that configuration's plugin_path too (default: as sw_open() finds "
    "it)\n";

static const char *const type_names[] = {"true or false", "integer", "number", "duration", "size",
                                         "text",          "path",    "choice", "list"};

static void print_range(const struct sw_option *option)
{
    if (option->type == SW_OPTION_CHOICE)
        printf(", one of %s", option->choices);
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
        printf(", in %s", option->unit);
    if (option->required)
        printf(", must be given");
    else if (option->fallback)
        printf(", default %s", *option->fallback ? option->fallback : "\"\"");
    printf("%s\n  %-20s %s\n", option->secret ? ", secret" : "", "", option->help);
}

static void print_sink(const struct sw_sink_found *found)
{
    const struct sw_sink_plugin *plugin = found->plugin;
    if (found->problem) {
        printf("%s\n  %s\n  cannot be used: %s\n", found->name, found->path, found->problem);
        return;
    }
    printf("%s %s (%s): %s\n  %s%s\n", plugin->name, plugin->version, plugin->license,
           plugin->summary, found->path, found->shadowed ? " (hidden by one found before)" : "");
    if (!plugin->options || !plugin->options->name)
        printf("  no options\n");
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        print_option(option);
}

static void print_line(const struct sw_sink_found *found)
{
    if (found->problem)
        printf("%-12s cannot be used: %s\n", found->name, found->problem);
    else
        printf("%-12s %-8s %s\n%-12s %s%s\n", found->name, found->plugin->version,
               found->plugin->summary, "", found->path,
               found->shadowed ? " (hidden by one found before)" : "");
}

static int print_named(const struct sw_sinks *sinks, const char *name)
{
    int found = 0;
    for (size_t i = 0; i < sinks->count; i++)
        if (strcmp(sinks->item[i].name, name) == 0) {
            print_sink(&sinks->item[i]);
            found++;
        }
    if (!found)
        fprintf(stderr, "stepwatch sinks: no sink is named \"%s\"; stepwatch sinks lists all\n",
                name);
    return found ? EXIT_FINE : EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    const char *config = NULL;
    const struct argument arguments[] = {{.name = "config", .value = &config}};
    struct sw_error err = {0};
    struct sw_sinks *sinks = NULL;
    int rc = arguments_take(&sinks_command, arguments, 1, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (argc > 2)
        return usage_error(&sinks_command, "expected one NAME at the most, found %d", argc - 1);
    if (sw_sinks_find(config, &sinks, &err) < 0) {
        fprintf(stderr, "stepwatch sinks: %s\n", err.text);
        return EXIT_FAILED;
    }
    rc = EXIT_FINE;
    if (argc == 2)
        rc = print_named(sinks, argv[1]);
    for (size_t i = 0; argc == 1 && i < sinks->count; i++)
        print_line(&sinks->item[i]);
    sw_sinks_free(sinks);
    return rc;
}

const struct command sinks_command = {"sinks", "lists the sinks and their options", help, run};
