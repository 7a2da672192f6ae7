/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of `stepwatch`. Exit statuses: 0 success, 1 failure, 2 wrong usage. */
#ifndef TOOLS_COMMANDS_COMMANDS_H
#define TOOLS_COMMANDS_COMMANDS_H

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One command. argv[0] is its own name. */
struct command {
    const char *name;
    const char *summary;
    const char *help; /* from "usage:" on */
    int (*run)(int argc, char **argv);
};

/* All commands, in the order of the help. NAME_command is defined in NAME.c. */
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

#endif
