/* SPDX-License-Identifier: MIT */
/* stepwatch monitors - what monitors there are, and their options. */
#include "tools/commands/plugin_list.h"

#include <stdlib.h>

static const char help[] =
    "usage: stepwatch monitors [NAME] [--config FILE] [--json]\n\n"
    "Lists the monitors that a configuration can name: where each was found, its\n"
    "version, and which ones are hidden by another of the same name or cannot be\n"
    "used. With NAME, prints the options of that monitor.\n\n"
    "  --config FILE  also look in the plugin_path of that configuration (default: the\n"
    "                 one that sw_open() finds)\n"
    "  --json         print everything about each monitor as JSON, with the type, default and\n"
    "                 range of its options\n";

PLUGIN_LIST_ITEMS(items_of, sw_monitors)

static int find_and_print(const char *config, const char *name, bool json, struct sw_error *err)
{
    struct sw_monitors *monitors;
    int rc = sw_monitors_find(config, &monitors, err);
    if (rc < 0)
        return rc;
    struct plugin_found *item = items_of(monitors);
    const struct plugin_list list = {"monitors", "monitor", monitors->count, item};
    rc = item ? plugin_list_print(&list, name, json)
              : sw_error_set(err, SW_ENOMEM, "not enough memory to list the monitors");
    free(item);
    sw_monitors_free(monitors);
    return rc;
}

static int run(int argc, char **argv)
{
    return plugin_list_run(&monitors_command, find_and_print, argc, argv);
}

const struct command monitors_command = {"monitors", "lists the monitors and their options", help,
                                         run};
