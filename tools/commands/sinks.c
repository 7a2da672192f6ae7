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

PLUGIN_LIST_FIND(sw_sinks, "sinks", "sink")

static int run(int argc, char **argv)
{
    return plugin_list_run(&sinks_command, find_and_print, argc, argv);
}

const struct command sinks_command = {"sinks", "lists the sinks and their options", help, run};
