/* SPDX-License-Identifier: MIT */
/* arguments.h - the command line of a command: its options, and what is wrong with it. */
#ifndef TOOLS_COMMANDS_ARGUMENTS_H
#define TOOLS_COMMANDS_ARGUMENTS_H

#include "tools/commands/commands.h"

#include <stdbool.h>
#include <stddef.h>

/* Says "stepwatch NAME: …" and how to get help, on stderr; returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const struct command *command,
                                                      const char *format, ...);

/* An option of the command line: "--name VALUE" or "--name=VALUE"; with both a flag and a value,
 * "--name" or "--name=VALUE". */
struct argument {
    const char *name; /* without the dashes */
    char letter;      /* of "-l VALUE", or 0 */
    bool *flag;       /* takes no value */
    const char **value;
    const char **list; /* may be given several times: ends with NULL, room for ARGUMENT_LIST */
};
enum { ARGUMENT_LIST = 32 };

/* Takes options out of argv, up to "--", and leaves the rest, in order, in argv[1 .. *argc). Also
 * handles --help and --options, which prints the table (prints, returns -1). Returns 0, or
 * EXIT_USAGE after saying what was wrong. */
int arguments_take(const struct command *command, const struct argument *arguments, size_t count,
                   int *argc, char **argv);

#endif
