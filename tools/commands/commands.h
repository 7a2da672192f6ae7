/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of `stepwatch`. Exit statuses: 0 success, 1 failure, 2 wrong usage. */
#ifndef TOOLS_COMMANDS_COMMANDS_H
#define TOOLS_COMMANDS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One command. argv[0] is its own name. */
struct command {
    const char *name;
    const char *summary;
    const char *help; /* from "usage:" on */
    int (*run)(int argc, char **argv);
};

/* All commands, in the order of the help. NAME_command is defined in NAME.c,
 * and those of plugins in plugin_list.c. */
#define COMMANDS(EACH)                                                                             \
    EACH(capture)                                                                                  \
    EACH(check)                                                                                    \
    EACH(compare)                                                                                  \
    EACH(explain)                                                                                  \
    EACH(export)                                                                                   \
    EACH(functions)                                                                                \
    EACH(init)                                                                                     \
    EACH(merge)                                                                                    \
    EACH(monitors)                                                                                 \
    EACH(replay)                                                                                   \
    EACH(report)                                                                                   \
    EACH(run)                                                                                      \
    EACH(runs)                                                                                     \
    EACH(schedule)                                                                                 \
    EACH(sinks)                                                                                    \
    EACH(sync)                                                                                     \
    EACH(watch)
#define COMMAND_DECLARE(name) extern const struct command name##_command;
COMMANDS(COMMAND_DECLARE)

/* Returns the names of sinks, like "csv, markdown and table", each once. The caller frees it.
 * Returns NULL if out of memory. */
struct sw_sinks;
char *sinks_names(const struct sw_sinks *sinks);

/* ---- the command line of a command ------------------------------------------------------------
 */

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
