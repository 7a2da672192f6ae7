/* SPDX-License-Identifier: MIT */
#include "tools/commands/arguments.h"

#include "tools/output/print.h"

#include <stdarg.h>
#include <stdio.h>
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

/* Returns the long name of a letter: "output" for "-o"; NULL if there is no such letter. */
static const char *long_of(const struct argument *arguments, size_t count, const char *given)
{
    for (size_t i = 0; i < count; i++)
        if (arguments[i].letter && given[1] == arguments[i].letter && !given[2])
            return arguments[i].name;
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

/* Handles argv[0], and argv[1] if the option needs a value. Returns how many it used, or -1. */
static int argument_take(const struct command *command, const struct argument *arguments,
                         size_t count, int left, char **argv)
{
    const char *letter = argv[0][1] == '-' ? NULL : long_of(arguments, count, argv[0]);
    const char *name = letter ? letter : argv[0] + 2;
    size_t length = strcspn(name, "=");
    const struct argument *argument = argument_find(arguments, count, name, length);
    const char *value = name[length] ? name + length + 1 : NULL;
    if (!argument)
        return usage_error(command, "unknown option --%.*s", (int)length, name), -1;
    if (argument->flag) {
        if (value && argument->value)
            *argument->value = value;
        else if (value)
            return usage_error(command, "--%s takes no value", argument->name), -1;
        *argument->flag = true;
        return 1;
    }
    int taken = value ? 1 : 2;
    if (!value && left < 2)
        return usage_error(command, "--%s needs a value", argument->name), -1;
    value = value ? value : argv[1];
    if (argument->value)
        *argument->value = value;
    else if (!list_add(argument->list, value))
        return usage_error(command, "--%s is given too many times", argument->name), -1;
    return taken;
}

/* Prints the table for shell completion, so that there is no second list of options. */
static void options_print(const struct argument *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("--%s%s\n", arguments[i].name, arguments[i].flag ? "" : "=");
    printf("--help\n");
}

int arguments_take(const struct command *command, const struct argument *arguments, size_t count,
                   int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc;) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            printf("%s", command->help);
            return -1;
        }
        if (strcmp(argv[i], "--options") == 0) {
            options_print(arguments, count);
            return -1;
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
        if (argv[i][1] != '-' && !long_of(arguments, count, argv[i]))
            return usage_error(command, "unknown option %s", argv[i]);
        int taken = argument_take(command, arguments, count, *argc - i, &argv[i]);
        if (taken < 0)
            return EXIT_USAGE;
        i += taken;
    }
    *argc = kept;
    return 0;
}
