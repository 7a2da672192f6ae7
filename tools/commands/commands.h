/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of `stepwatch`, and what they share. Exit statuses: 0 fine, 1 failed, 2
 * called wrongly. */
#ifndef TOOLS_COMMANDS_COMMANDS_H
#define TOOLS_COMMANDS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One command. argv[0] is its own name. */
struct command {
    const char *name;
    const char *summary;
    const char *help; /* from "usage:" on */
    int (*run)(int argc, char **argv);
};

extern const struct command check_command;
extern const struct command compare_command;
extern const struct command init_command;
extern const struct command replay_command;
extern const struct command report_command;
extern const struct command run_command;
extern const struct command sinks_command;
extern const struct command sync_command;

/* Says "stepwatch NAME: …" and how to get help, on stderr; returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const struct command *command,
                                                      const char *format, ...);

/* An option of the command line: "--name VALUE" or "--name=VALUE". */
struct argument {
    const char *name; /* without the dashes */
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
