/* SPDX-License-Identifier: MIT */
#include "tools/commands/commands.h"

#include "tools/output/print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const struct command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(command->name, format, args);
    va_end(args);
    say(NULL, "Try: stepwatch %s --help", command->name);
    return EXIT_USAGE;
}

static const struct argument *argument_find(const struct argument *arguments, size_t count,
                                            const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(arguments[i].name, name, length) == 0 && !arguments[i].name[length])
            return &arguments[i];
    return NULL;
}

/* Returns the option that a letter stands for, --output for "-o" and "-oFILE", or NULL for an
 * unknown letter. */
static const struct argument *short_find(const struct argument *arguments, size_t count,
                                         const char *given)
{
    for (size_t i = 0; i < count; i++)
        if (arguments[i].letter && given[1] == arguments[i].letter &&
            (!given[2] || !arguments[i].flag))
            return &arguments[i];
    return NULL;
}

static bool list_add(const char **list, const char *value)
{
    size_t n = 0;
    while (list[n])
        n++;
    if (n + 1 >= ARGUMENT_LIST)
        return false;
    list[n] = value;
    return true;
}

/* Handles argv[0], and argv[1] if the option needs a value. Returns how many it used, or 0 after
 * printing what is wrong. */
static int argument_take(const struct command *command, const struct argument *arguments,
                         size_t count, int left, char **argv)
{
    const struct argument *letter =
        argv[0][1] == '-' ? NULL : short_find(arguments, count, argv[0]);
    const char *name = letter ? letter->name : argv[0] + 2;
    size_t length = strcspn(name, "=");
    const struct argument *argument =
        letter ? letter : argument_find(arguments, count, name, length);
    const char *value = letter && argv[0][2] ? argv[0] + 2
                        : name[length]       ? name + length + 1
                                             : NULL;
    bool given = value;
    if (argv[0][1] != '-' && !letter)
        usage_error(command, "unknown option %s", argv[0]);
    else if (!argument)
        usage_error(command, "unknown option --%.*s", (int)length, name);
    else if (argument->flag && value && !argument->value)
        usage_error(command, "--%s takes no value", argument->name);
    else if (!argument->flag && !value && left < 2)
        usage_error(command, "--%s needs a value", argument->name);
    else {
        value = value || argument->flag ? value : argv[1];
        if (argument->flag)
            *argument->flag = true;
        if (value && argument->value)
            *argument->value = value;
        else if (value && !list_add(argument->list, value))
            return usage_error(command, "--%s is given too many times", argument->name), 0;
        return given || argument->flag ? 1 : 2;
    }
    return 0;
}

void arguments_take(const struct command *command, const struct argument *arguments, size_t count,
                    int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc;) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            printf("%s", command->help);
            exit(stdout_finish(command->name) ? EXIT_FINE : EXIT_FAILED);
        }
        if (strcmp(argv[i], "--options") == 0) {
            /* Shell completion reads this instead of a list of its own. */
            for (size_t k = 0; k < count; k++)
                printf("--%s%s\n", arguments[k].name, arguments[k].flag ? "" : "=");
            puts("--help");
            exit(stdout_finish(command->name) ? EXIT_FINE : EXIT_FAILED);
        }
        if (strcmp(argv[i], "--") == 0) {
            while (++i < *argc)
                argv[kept++] = argv[i];
            break;
        }
        if (argv[i][0] != '-' || !argv[i][1]) {
            argv[kept++] = argv[i++];
            continue;
        }
        int taken = argument_take(command, arguments, count, *argc - i, &argv[i]);
        if (!taken)
            exit(EXIT_USAGE);
        i += taken;
    }
    *argc = kept;
}

int64_t argument_number(const char *text, int64_t least, int64_t most)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    bool fine = *text >= '0' && *text <= '9' && !*end && !errno;
    return fine && number >= least && number <= most ? number : -1;
}
