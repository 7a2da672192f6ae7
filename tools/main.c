/* SPDX-License-Identifier: MIT */
/* stepwatch - the command. */
#include "tools/commands/commands.h"
#include "tools/output/print.h"

#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define COMMAND_ADDRESS(name) &name##_command,
static const struct command *const commands[] = {COMMANDS(COMMAND_ADDRESS)};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fprintf(out, "usage: stepwatch COMMAND [ARGUMENTS]\n\n"
                 "Looks at configurations, sinks and runs of stepwatch.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n  stepwatch COMMAND --help describes a command; stepwatch --version prints the "
                 "version.\n");
}

/* Uploads need more stack than some users allow their programs (ulimit -s). It grows up to the
 * limit of the moment. What `run` starts gets the limit as it is. */
static void stack_limit_raise(const char *command)
{
    enum { LEAST = 1 << 20 };
    struct rlimit limit;
    if (strcmp(command, "run") == 0 || getrlimit(RLIMIT_STACK, &limit) != 0 ||
        limit.rlim_cur >= LEAST)
        return;
    limit.rlim_cur = limit.rlim_max < LEAST ? limit.rlim_max : LEAST;
    setrlimit(RLIMIT_STACK, &limit);
}

/* Keeps the numbers of standard streams that are closed from the files that the command opens: what
 * it prints would get into them. Writing fails, and a program under `run` has them closed. */
static void descriptors_guard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH | O_CLOEXEC) != fd)
            return;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    bool asks = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (asks && argc == 2)) {
        print_help(stdout);
        return EXIT_FINE;
    }
    /* `help COMMAND` is `COMMAND --help`. */
    static char help[] = "--help";
    char *of_command[] = {argv[0], asks ? argv[2] : NULL, help, NULL};
    if (asks) {
        argv = of_command;
        argc = 3;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("stepwatch %s\n", sw_version());
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--commands") == 0) {
        /* For shell completion. */
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            printf("%s\t%s\n", commands[i]->name, commands[i]->summary);
        return EXIT_FINE;
    }
    stack_limit_raise(argv[1]);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, argv[1]) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    say(NULL, "stepwatch: unknown command \"%s\"\nTry: stepwatch --help", argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    descriptors_guard();
    int rc = run(argc, argv);
    bool whole = stdout_finish(argc > 1 && *argv[1] != '-' ? argv[1] : NULL);
    return whole || rc != EXIT_FINE ? rc : EXIT_FAILED;
}
