/* SPDX-License-Identifier: MIT */
/* stepwatch report - the report of a recorded run, in the form that is asked for. */
#include "tools/replay.h"
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

static const char help[] = "usage: stepwatch report RUN.jsonl... [--format "
                           "table|plain|markdown|csv] [--columns standard|all]\n\n"
                           "Makes the report of each recorded run again, also of one that was "
                           "killed: then up to where its log ends.\n\n"
                           "  --format FORMAT   table (default), plain, markdown or csv\n"
                           "  --columns all     exact samples/second, self time, min, median, "
                           "percentiles and max as well\n";

static const struct {
    const char *name;
    const char *sink;
} formats[] = {
    {"table", "table: { live: off"},
    {"plain", "table: { live: off, plain: true"},
    {"markdown", "markdown: { path: \"-\""},
    {"csv", "csv: { path: \"-\""},
};

static const char *sink_of(const char *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].sink;
    return NULL;
}

static int report(const char *path, const char *sink, const char *columns)
{
    char sinks[256];
    struct sw_error err = {0};
    struct replay replay = {.path = path, .sinks = sinks};
    snprintf(sinks, sizeof sinks, "[ %s, columns: %s } ]", sink, columns);
    if (replay_run(&replay, &err) < 0) {
        fprintf(stderr, "stepwatch report: %s\n", err.text);
        return EXIT_FAILED;
    }
    if (replay.torn || !replay.finished)
        fprintf(stderr, "%s: the run did not finish; its log ends %s line %ld\n", path,
                replay.torn ? "within" : "after", replay.lines);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *format = "table", *columns = "standard";
    const struct argument arguments[] = {{.name = "format", .value = &format},
                                         {.name = "columns", .value = &columns}};
    int rc = arguments_take(&report_command, arguments, 2, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    const char *sink = sink_of(format);
    if (!sink)
        return usage_error(&report_command, "--format %s is none of table, plain, markdown, csv",
                           format);
    if (strcmp(columns, "standard") != 0 && strcmp(columns, "all") != 0)
        return usage_error(&report_command, "--columns %s is none of standard, all", columns);
    if (argc < 2)
        return usage_error(&report_command, "expected at least one RUN.jsonl");
    for (int i = 1; i < argc; i++)
        if (report(argv[i], sink, columns) != EXIT_FINE)
            rc = EXIT_FAILED;
    return rc;
}

const struct command report_command = {"report", "makes the report of a recorded run", help, run};
