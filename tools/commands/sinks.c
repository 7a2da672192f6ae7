/* SPDX-License-Identifier: MIT */
/* stepwatch sinks - what sinks there are, and their options. */
#include "tools/commands/plugin_list.h"

#include <stdlib.h>

static const char help[] =
    "usage: stepwatch sinks [NAME] [--config FILE] [--json]\n\n"
    "Lists the sinks that a configuration can name: where each was found, its\n"
    "version, and which ones are hidden by another of the same name or cannot be\n"
    "used. With NAME, prints the options of that sink.\n\n"
    "  --config FILE  also look in the plugin_path of that configuration (default: the\n"
    "                 one that sw_open() finds)\n"
    "  --json         print everything about each sink as JSON, with the type, default and\n"
    "                 range of its options\n";

static int find_and_print(const char *config, const char *name, bool json, struct sw_error *err)
{
    struct sw_sinks *sinks;
    int rc = sw_sinks_find(config, &sinks, err);
    if (rc < 0)
        return rc;
    struct plugin_found *item = sink_list_items(sinks);
    const struct plugin_list list = {"sinks", "sink", sinks->count, item};
    rc = item ? plugin_list_print(&list, name, json)
              : sw_error_set(err, SW_ENOMEM, "not enough memory to list the sinks");
    free(item);
    sw_sinks_free(sinks);
    return rc;
}

static int run(int argc, char **argv)
{
    return plugin_list_run(&sinks_command, find_and_print, argc, argv);
}

const struct command sinks_command = {"sinks", "lists the sinks and their options", help, run};
