/* SPDX-License-Identifier: MIT */
/* A command: this file, a word in commands.h and a line in tools/local.mk. */
#include "tools/commands/commands.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    printf("hello %s\n", argc > 1 ? argv[1] : "world");
    return EXIT_FINE;
}

const struct command hello_command = {"hello", "says hello", "usage: stepwatch hello [NAME]\n",
                                      run};
