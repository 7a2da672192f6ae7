/* SPDX-License-Identifier: MIT */
/* arguments.h - parses the command line of a command. */
#ifndef TOOLS_COMMANDS_ARGUMENTS_H
#define TOOLS_COMMANDS_ARGUMENTS_H

#include "tools/commands/commands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints "stepwatch NAME: …" and how to get help to stderr. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const struct command *command,
                                                      const char *format, ...);

/* An option of the command line: "--name VALUE" or "--name=VALUE". With both a flag and a value:
 * "--name" or "--name=VALUE". */
struct argument {
    const char *name; /* without the dashes */
    char letter;      /* the letter of "-l VALUE", or 0 */
    bool *flag;       /* if set, the option has no value */
    const char **value;
    const char **list; /* may be given ARGUMENT_LIST - 1 times: terminated by NULL */
};
enum { ARGUMENT_LIST = 32 };

/* Removes options from argv, up to "--", and leaves the rest, in order, in argv[1 .. *argc). Ends
 * the command after --help, --options, which prints the table, and what is wrong. */
void arguments_take(const struct command *command, const struct argument *arguments, size_t count,
                    int *argc, char **argv);

/* Returns a number from least, which is not negative, to most; -1 if the text is something else. */
int64_t argument_number(const char *text, int64_t least, int64_t most);

#endif
