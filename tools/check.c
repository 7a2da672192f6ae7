/* SPDX-License-Identifier: MIT */
/* stepwatch check - every mistake of a configuration, or what it comes to. */
#include "tools/tools.h"

#include <stepwatch/inspect.h>

#include <stdio.h>
#include <stdlib.h>

static const char help[] = "usage: stepwatch check FILE [--print]\n\n"
                           "Checks a configuration as a program would that opens it: the file, the "
                           "sinks that it names and their\n"
                           "options. Opens no sink. Prints every mistake with its line and column; "
                           "exit status 1 when there is one.\n\n"
                           "  --print  print the configuration as it will be used, with every "
                           "option's value; secrets are masked\n";

static int print(const char *file)
{
    struct sw_error err = {0};
    char *text = NULL;
    if (sw_config_print(file, &text, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILED;
    }
    fputs(text, stdout);
    free(text);
    return EXIT_FINE;
}

static int check(const char *file)
{
    struct sw_error err = {0};
    char *text = NULL;
    int mistakes = sw_config_check(file, &text, &err);
    if (mistakes < 0)
        fprintf(stderr, "%s\n", err.text);
    else if (mistakes > 0)
        printf("%s\n%d mistake%s\n", text, mistakes, mistakes == 1 ? "" : "s");
    else
        printf("%s: fine\n", file);
    free(text);
    return mistakes ? EXIT_FAILED : EXIT_FINE;
}

static int run(int argc, char **argv)
{
    bool printing = false;
    const struct argument arguments[] = {{.name = "print", .flag = &printing}};
    int rc = arguments_take(&check_command, arguments, 1, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (argc != 2)
        return usage_error(&check_command, "expected one FILE, found %d", argc - 1);
    return printing ? print(argv[1]) : check(argv[1]);
}

const struct command check_command = {"check", "tells every mistake of a configuration", help, run};
