/* SPDX-License-Identifier: MIT */
/* stepwatch export - the timeline of a recorded run, for a viewer: docs/timeline.md. */
#include "tools/commands/commands.h"
#include "tools/export/exporting.h"
#include "tools/output/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch export RUN.jsonl... [--format FORMAT] [--steps A-B] [-o FILE]\n"
    "                        [--json]\n\n"
    "Makes a timeline from run logs that were recorded with detail: regions. The logs\n"
    "of several ranks become one timeline with a process for each rank; with xplane and\n"
    "torch, each rank gets a file of its own.\n\n"
    "  --format FORMAT   chrome (default): JSON for Perfetto and chrome://tracing\n"
    "                    perfetto: Perfetto's own format, a third of the size\n"
    "                    xplane: the Profile page of TensorBoard\n"
    "                    torch: as torch.profiler writes it\n"
    "                    folded: for flame graphs; speedscope: for speedscope.app\n"
    "  --steps A-B       export only these training steps, counted from 0\n"
    "  --output FILE     also -o FILE: where to write (default: stdout). A name that ends\n"
    "                    in .gz makes a compressed file. With xplane, a folder is\n"
    "                    TensorBoard's --logdir\n"
    "  --json            with -o: print the names of the files as JSON\n";

/* Parses "3-7" or "3". */
static bool steps_read(const char *text, struct export_task *task)
{
    char *end;
    errno = 0;
    task->some = true;
    task->first = task->last = strtoll(text, &end, 10);
    if (end == text || *text == '-' || errno)
        return false;
    if (*end == '-') {
        const char *second = end + 1;
        task->last = strtoll(second, &end, 10);
        if (end == second || *second == '-')
            return false;
    }
    return !*end && !errno && task->last >= task->first;
}

static int make(const struct export_task *task)
{
    SW_ERROR_SCOPE(err);
    if (export_logs(task, &err) == 0)
        return !task->files || json_show("export", json_pack("{s:s, s:O}", "format", task->format,
                                                             "files", task->files))
                   ? EXIT_FINE
                   : EXIT_FAILED;
    if (stdout_is_read())
        say_error("export", &err);
    return EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    const char *steps = NULL;
    bool json = false;
    struct export_task task = {.format = "chrome"};
    const struct argument arguments[] = {{.name = "format", .value = &task.format},
                                         {.name = "steps", .value = &steps},
                                         {.name = "output", .letter = 'o', .value = &task.output},
                                         {.name = "json", .flag = &json}};
    arguments_take(&export_command, arguments, 4, &argc, argv);
    if (!export_format_is_known(task.format))
        return usage_error(&export_command, "--format %s is not one of " EXPORT_FORMATS,
                           task.format);
    if (steps && !steps_read(steps, &task))
        return usage_error(&export_command,
                           "--steps %s is not a range of training steps such as 10-12", steps);
    if (argc < 2)
        return usage_error(&export_command, "expected at least one RUN.jsonl");
    if (json && (!task.output || strcmp(task.output, "-") == 0))
        return usage_error(&export_command,
                           "--json needs -o FILE: standard output has the timeline");
    task.path = argv + 1;
    task.count = (size_t)argc - 1;
    task.files = json ? json_array() : NULL;
    int rc = make(&task);
    json_decref(task.files);
    return rc;
}

const struct command export_command = {"export", "makes a timeline of a recorded run", help, run};
