/* SPDX-License-Identifier: MIT */
/* stepwatch capture - asks a running program to record its next training steps. */
#include "tools/commands/commands.h"
#include "tools/output/print.h"

#include <stepwatch/inspect.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: stepwatch capture PID [--steps N] [--json]\n"
    "       stepwatch capture PATH [--json]\n\n"
    "Asks a running program to record the regions of its next training steps. Its\n"
    "configuration needs the key capture, as in profiler: {capture: {steps: 5}}.\n"
    "PID is a process of your own. PATH is the file that the key capture names, on any\n"
    "machine that sees it: all ranks of a run can watch the same file. A file that\n"
    "does not exist is created.\n\n"
    "  --steps N  record N steps (default: as many as the configuration says)\n"
    "  --json     print what was asked for as JSON\n";

#define STEPS_MAX INT64_C(1000000000)

static bool as_json; /* --json */

/* path, pid: NULL and 0 if it is the other one. */
static int asked_show(const char *path, int64_t pid, int64_t steps)
{
    json_t *asked = json_pack("{s:o, s:o, s:o}", "path", path ? text_json(path) : json_null(),
                              "pid", pid ? json_integer(pid) : json_null(), "steps",
                              steps ? json_integer(steps) : json_null());
    return json_show("capture", asked) ? EXIT_FINE : EXIT_FAILED;
}

static int process_ask(int64_t pid, int64_t steps)
{
    SW_ERROR_SCOPE(err);
    int64_t asked = sw_capture_process(pid, steps, &err);
    if (asked < 0) {
        say_error("capture", &err);
        return EXIT_FAILED;
    }
    if (as_json)
        return asked_show(NULL, pid, asked);
    printf("process %" PRId64 " records its next %" PRId64 " training step%s\n", pid, asked,
           asked == 1 ? "" : "s");
    return EXIT_FINE;
}

static int file_touch(const char *path)
{
    /* Another user may have put a link into a shared folder. */
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0 || futimens(fd, NULL) < 0) {
        say("capture", "%s: %s", path,
            fd < 0 && errno == ELOOP
                ? "is a symbolic link, which is not followed: name the file itself"
                : strerror(errno));
        if (fd >= 0)
            close(fd);
        return EXIT_FAILED;
    }
    close(fd);
    if (as_json)
        return asked_show(path, 0, 0);
    fputs("touched ", stdout);
    text_put(path, 0);
    puts(": the programs that watch it record their next training steps");
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *steps = NULL;
    const struct argument arguments[] = {{.name = "steps", .value = &steps},
                                         {.name = "json", .flag = &as_json}};
    arguments_take(&capture_command, arguments, 2, &argc, argv);
    if (argc != 2)
        return usage_error(&capture_command, "expected one PID or PATH, found %d", argc - 1);
    int64_t pid = argument_number(argv[1], 1, INT32_MAX),
            count = steps ? argument_number(steps, 1, STEPS_MAX) : 0;
    if (count < 0)
        return usage_error(&capture_command, "--steps: \"%s\" is not a number from 1 to %" PRId64,
                           steps, STEPS_MAX);
    if (pid >= 0)
        return process_ask(pid, count);
    if (steps)
        return usage_error(&capture_command,
                           "--steps can only be used with a PID: for a file, the configuration "
                           "says how many");
    return file_touch(argv[1]);
}

const struct command capture_command = {
    "capture", "asks a running program to record its next steps", help, run};
