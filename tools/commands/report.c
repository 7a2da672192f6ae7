/* SPDX-License-Identifier: MIT */
/* stepwatch report - the report of a recorded run, in the form that is asked for. */
#include "tools/commands/arguments.h"
#include "tools/page/page.h"
#include "tools/log/run_replay.h"
#include "tools/log/report_json.h"
#include "tools/output/stderr.h"
#include "tools/timeline/tree_text.h"
#include "tools/commands/commands.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch report RUN.jsonl... [--format FORMAT] [--columns standard|all]\n"
    "                        [--style table|tree] [--json]\n\n"
    "Makes the report of each recorded run again. If a run was killed, its report\n"
    "covers everything up to where its log ends.\n\n"
    "  --format FORMAT   table (default), plain, markdown, csv, json, or html, which\n"
    "                    is one page that needs no other file\n"
    "  --columns all     table, plain, markdown, csv: also print exact samples/second,\n"
    "                    self time, min, median, percentiles and max\n"
    "  --style tree      the regions of each thread as a tree: total, self, calls and\n"
    "                    percent of the region around them. The log must have been\n"
    "                    recorded with detail: regions\n"
    "  --json            the same as --format json\n";

#define FORMATS "table, plain, markdown, csv, json, html"

/* What a format is made by: a sink of the replay, or what a sink of our own collects. */
struct format {
    const char *name;
    const char *sink;
    int (*collected)(const struct collected *run, struct sw_error *err);
};

static json_t *all_runs; /* of --format json */

static int keep_json(const struct collected *run, struct sw_error *err)
{
    if (json_array_append_new(all_runs, report_json(run)) == 0)
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the JSON");
}

static int print_page(const struct collected *run, struct sw_error *err)
{
    (void)err;
    page_run(stdout, run);
    return 0;
}

static const struct format formats[] = {
    {"table", "table: { live: off", NULL},
    {"plain", "table: { live: off, plain: true", NULL},
    {"markdown", "markdown: { path: \"-\"", NULL},
    {"csv", "csv: { path: \"-\"", NULL},
    {"json", NULL, keep_json},
    {"html", NULL, print_page},
};

static const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static int results_refuse(const struct replay *replay, struct sw_error *err)
{
    if (!replay->results_only)
        return 0;
    return sw_error_set(err, SW_EFORMAT,
                        "%s: contains only results, which are not enough for a report: record it "
                        "with detail: steps or regions",
                        replay->path);
}

static int by_sink(struct replay *replay, const struct format *format, const char *columns,
                   struct sw_error *err)
{
    char sinks[256];
    snprintf(sinks, sizeof sinks, "[ %s, columns: %s } ]", format->sink, columns);
    replay->sinks = sinks;
    int rc = replay_run(replay, err);
    return rc < 0 ? rc : results_refuse(replay, err);
}

static int by_collecting(struct replay *replay, const struct format *format, struct sw_error *err)
{
    struct collected run;
    int rc = collect_run(&run, replay->path, err);
    if (rc == 0)
        rc = results_refuse(&run.replay, err);
    if (rc == 0)
        rc = format->collected(&run, err);
    *replay = run.replay;
    collect_free(&run);
    return rc;
}

static int report(const char *path, const struct format *format, const char *columns)
{
    struct sw_error err = {0};
    struct replay replay = {.path = path, .leave_out = true};
    int rc = format->sink ? by_sink(&replay, format, columns, &err)
                          : by_collecting(&replay, format, &err);
    if (rc < 0) {
        if (stdout_is_read())
            say("report", "%s", err.text);
        return EXIT_FAILED;
    }
    replay_say_missing(&replay);
    return EXIT_FINE;
}

/* What comes before and after the reports of all runs. */
static void before(const struct format *format)
{
    if (format->collected == keep_json)
        all_runs = json_array();
    if (format->collected == print_page)
        page_begin(stdout);
}

static int after(const struct format *format)
{
    struct sw_error err = {0};
    if (format->collected == print_page)
        page_end(stdout);
    if (format->collected != keep_json ||
        json_print(json_pack("{s:o}", "runs", all_runs), &err) == 0)
        return EXIT_FINE;
    say("report", "%s", err.text);
    return EXIT_FAILED;
}

static int report_all(int count, char **path, const struct format *format, const char *columns)
{
    int rc = EXIT_FINE;
    before(format);
    for (int i = 0; i < count; i++)
        if (report(path[i], format, columns) != EXIT_FINE)
            rc = EXIT_FAILED;
    return after(format) == EXIT_FINE ? rc : EXIT_FAILED;
}

static int trees(int count, char **path)
{
    int rc = EXIT_FINE;
    for (int i = 0; i < count; i++) {
        struct sw_error err = {0};
        if (tree_print(path[i], &err) == 0)
            continue;
        say("report", "%s", err.text);
        rc = EXIT_FAILED;
    }
    return rc;
}

static int run(int argc, char **argv)
{
    const char *name = NULL, *columns = "standard", *style = "table";
    bool json = false;
    const struct argument arguments[] = {{.name = "format", .value = &name},
                                         {.name = "columns", .value = &columns},
                                         {.name = "style", .value = &style},
                                         {.name = "json", .flag = &json}};
    int rc = arguments_take(&report_command, arguments, 4, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (json && name && strcmp(name, "json") != 0)
        return usage_error(&report_command, "--json and --format %s cannot be used together", name);
    const struct format *format = format_find(json ? "json" : name ? name : "table");
    if (!format)
        return usage_error(&report_command, "--format %s is not one of " FORMATS, name);
    if (strcmp(columns, "standard") != 0 && strcmp(columns, "all") != 0)
        return usage_error(&report_command, "--columns %s is not one of standard, all", columns);
    bool tree = strcmp(style, "tree") == 0;
    if (!tree && strcmp(style, "table") != 0)
        return usage_error(&report_command, "--style %s is not one of table, tree", style);
    if (tree && (json || name))
        return usage_error(&report_command, "--style tree cannot be used with --format or --json");
    if (argc < 2)
        return usage_error(&report_command, "expected at least one RUN.jsonl");
    if (tree)
        return trees(argc - 1, argv + 1);
    return report_all(argc - 1, argv + 1, format, columns);
}

const struct command report_command = {"report", "makes the report of a recorded run again", help,
                                       run};
