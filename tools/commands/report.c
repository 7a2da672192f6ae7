/* SPDX-License-Identifier: MIT */
/* stepwatch report - prints the report of a recorded run in any of the formats. */
#include "core/text/printable.h"
#include "tools/commands/commands.h"
#include "tools/export/exporting.h"
#include "tools/functions/files.h"
#include "tools/html/page.h"
#include "tools/log/log_fits.h"
#include "tools/log/report_json.h"
#include "tools/log/run_replay.h"
#include "tools/output/print.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch report RUN.jsonl... [--format FORMAT] [--style STYLE] [--sort COLUMN]\n"
    "                        [--limit N] [--columns LIST] [--group-by shape|stack]\n"
    "                        [--functions FILE] [--json]\n\n"
    "Makes the report of each recorded run again. If a run was killed, its report\n"
    "covers everything up to where its log ends. For a log that has only results, it\n"
    "prints the reports that the run made.\n\n"
    "  --format FORMAT   table (default), plain, markdown, csv, json, or html, which\n"
    "                    is one page that needs no other file\n"
    "  --style STYLE     stepwatch (default), torch, lightning or hannah: the table of\n"
    "                    that profiler, character for character. tree: the regions of\n"
    "                    each thread as a tree, with total, self, calls and percent of\n"
    "                    the region around them; needs a log with detail: regions\n"
    "  --sort COLUMN     sort rows by this column, largest value first: p99, mean, total,\n"
    "                    self, calls ...; the names that torch uses also work, such as\n"
    "                    self_cpu_time_total\n"
    "  --limit N         print N rows; -1: all (default: 100 with --style torch, else all)\n"
    "  --columns LIST    names of columns, separated by commas; standard (default); or\n"
    "                    all, which adds exact samples/second, self time, min, median,\n"
    "                    percentiles and max\n"
    "  --name-width N    with --style torch: cut names after N characters (default: 55)\n"
    "  --shapes-width N  the same for shapes (default: 80)\n"
    "  --source-width N  the same for the regions of stacks (default: 75)\n"
    "  --time-unit UNIT  with --style torch: s, ms or us for all times\n"
    "  --group-by WHAT   action (default): one row for each action; shape: one row for each\n"
    "                    shape of an action's input; stack, with --style torch: one row for\n"
    "                    each stack of regions around an action, which needs a log with\n"
    "                    detail: regions\n"
    "  --stack-depth N   with --group-by stack: how many of the innermost regions make up\n"
    "                    a stack (default: 5); 0: no stacks\n"
    "  --top-level       with --style torch: only rows whose first call was in no other\n"
    "                    region than fit, which needs a log with detail: regions. The\n"
    "                    options from --style to --top-level need the format table,\n"
    "                    plain, markdown or csv\n"
    "  --header TEXT     with --style torch and the format table or plain: a line to print\n"
    "                    above the table\n"
    "  --functions FILE  with --format html: a flame graph of each action, from the\n"
    "                    function profile that stepwatch run --functions made; a\n"
    "                    folder means the newest profile in it\n"
    "  --json            the same as --format json\n";

#define FORMATS "table, plain, markdown, csv, json, html"

/* How a format is made: by a sink of the replay, or from what a sink of the command collects: each
 * report, if not all of them are kept, and then the run. */
struct format {
    const char *name;
    const char *sink;
    collected_fn *report;
    int (*collected)(const struct collected *run, struct sw_error *err);
};

/* For --format json. How a log ends is known after all reports. */
static struct json_parts all_runs, reports;

static void put_report(void *arg, const struct collected_report *report)
{
    (void)arg;
    report_json(&reports, report);
}

static int print_json(const struct collected *run, struct sw_error *err)
{
    return run_json(&all_runs, run, &reports, err);
}

static int print_page(const struct collected *run, struct sw_error *err)
{
    (void)err;
    page_run(stdout, run);
    return 0;
}

static const struct format formats[] = {
    {"table", "table: { live: off", NULL, NULL},
    {"plain", "table: { live: off, plain: true", NULL, NULL},
    {"markdown", "markdown: { path: \"-\"", NULL, NULL},
    {"csv", "csv: { path: \"-\"", NULL, NULL},
    {"json", NULL, put_report, print_json},
    {"html", NULL, NULL, print_page},
};

static const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* A log of results has a report only of fits that ended, or of a summary's last epoch. */
static int results_check(const struct replay *replay, struct sw_error *err)
{
    if (!replay->results_only || replay->reports)
        return 0;
    if (replay->damaged)
        return sw_error_set(err, replay->first_damage.code, "%s",
                            sw_error_text(&replay->first_damage));
    return sw_error_set(err, SW_EFORMAT,
                        "%s: contains only results, and no report because no fit ended: record the "
                        "run with detail: steps or regions",
                        replay->path);
}

/* ---- the form of the table: options of the command that are options of the sinks ------------- */

enum {
    STYLE,
    SORT,
    LIMIT,
    NAME_WIDTH,
    SHAPES_WIDTH,
    SOURCE_WIDTH,
    STACK_DEPTH,
    TOP_LEVEL,
    TIME_UNIT,
    COLUMNS,
    GROUP_BY,
    HEADER,
    FORM_OPTIONS
};
static const char *const form_name[FORM_OPTIONS] = {
    "style",       "sort",      "limit",     "name-width", "shapes-width", "source-width",
    "stack-depth", "top-level", "time-unit", "columns",    "group-by",     "header"};
static const char *form_value[FORM_OPTIONS];

/* Writes a list of names: [ "standard", "p99" ]. */
static void names_put(FILE *out, const char *names)
{
    char *left = strdup(names), *at = left;
    fputs("[ ", out);
    for (const char *name; at && (name = strsep(&at, ",")) != NULL;) {
        swi_quote_string(name, out);
        fputs(at ? ", " : " ]", out);
    }
    free(left);
}

static void form_option_put(FILE *out, int i)
{
    fputs(", ", out);
    for (const char *c = form_name[i]; *c; c++)
        fputc(*c == '-' ? '_' : *c, out);
    fputs(": ", out);
    if (i == COLUMNS)
        names_put(out, form_value[i]);
    else if (i >= LIMIT && i <= TOP_LEVEL)
        fputs(form_value[i], out);
    else
        swi_quote_string(form_value[i], out);
}

/* Returns the list of sinks, which the caller frees; NULL if out of memory. */
static char *sinks_text(const struct format *format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "[ %s", format->sink);
    for (int i = 0; i < FORM_OPTIONS; i++)
        if (form_value[i])
            form_option_put(out, i);
    fputs(" } ]", out);
    return fclose(out) == 0 ? text : NULL;
}

static int by_sink(struct replay *replay, const struct format *format, struct sw_error *err)
{
    char *sinks = sinks_text(format);
    if (!sinks)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the options");
    replay->sinks = sinks;
    replay->wants_metric = swi_is_memory_name;
    int rc = replay_run(replay, err);
    replay->sinks = NULL;
    free(sinks);
    return rc < 0 ? rc : results_check(replay, err);
}

static int by_collecting(struct replay *replay, const struct format *format, struct sw_error *err)
{
    struct collected run = {0};
    int rc = format->report ? json_ahead_begin(&reports, &all_runs, 2, err) : 0;
    if (rc == 0)
        rc = collect_run(&run, replay->path, format->report, NULL, err);
    if (rc == 0)
        rc = results_check(&run.replay, err);
    if (rc == 0)
        rc = format->collected(&run, err);
    *replay = run.replay;
    collect_free(&run);
    json_free(&reports);
    return rc;
}

static bool is_stacked(void)
{
    return form_value[TOP_LEVEL] ||
           (form_value[GROUP_BY] && strcmp(form_value[GROUP_BY], "stack") == 0);
}

static int report(const char *path, const struct format *format)
{
    SW_ERROR_SCOPE(err);
    bool torch = form_value[STYLE] && strcmp(form_value[STYLE], "torch") == 0;
    struct replay replay = {.path = path,
                            .leave_out = true,
                            .stacked = is_stacked(),
                            .unchained = torch,
                            .may_pass_reports = !torch && !is_stacked()};
    int rc = format->sink ? by_sink(&replay, format, &err) : by_collecting(&replay, format, &err);
    replay.misuses.memory_shown = !format->sink;
    if (rc >= 0)
        replay_say_missing(&replay);
    else if (stdout_is_read())
        say_error("report", &err);
    sw_error_free(&replay.first_damage);
    return rc < 0 ? EXIT_FAILED : EXIT_FINE;
}

/* Print what comes before and after the reports of all runs. */
static int before(const struct format *format)
{
    if (format->collected == print_json && json_begin(&all_runs, "report") < 0)
        return EXIT_FAILED;
    if (format->collected == print_json)
        json_enter(&all_runs, "runs", '[');
    if (format->collected == print_page)
        page_begin(stdout);
    return EXIT_FINE;
}

static const char *functions; /* --functions */

static int flames_print(void)
{
    SW_ERROR_SCOPE(err);
    struct profile_source source;
    int rc = functions ? source_open(&source, functions, NULL, &err) : 0;
    if (rc == 0 && functions && source.is_prof)
        rc = sw_error_set(&err, SW_EINVAL,
                          "%s: only a profile of stepwatch (.functions) has stacks", source.path);
    if (rc == 0 && functions && !draw_flames(stdout, &source.profile))
        rc = sw_error_set(&err, SW_ENOMEM, "not enough memory for the flame graphs");
    if (functions)
        source_free(&source);
    if (rc < 0)
        say_error("report", &err);
    return rc < 0 ? EXIT_FAILED : EXIT_FINE;
}

static int after(const struct format *format)
{
    if (format->collected == print_page) {
        int rc = flames_print();
        page_end(stdout);
        return rc;
    }
    bool failed = format->collected == print_json && json_end(&all_runs, "report") < 0;
    return failed ? EXIT_FAILED : EXIT_FINE;
}

static int report_all(int count, char **path, const struct format *format)
{
    int rc = EXIT_FINE;
    if (before(format) != EXIT_FINE)
        return EXIT_FAILED;
    for (int i = 0; i < count; i++)
        if (report(path[i], format) != EXIT_FINE)
            rc = EXIT_FAILED;
    return after(format) == EXIT_FINE ? rc : EXIT_FAILED;
}

static int trees(int count, char **path)
{
    int rc = EXIT_FINE;
    for (int i = 0; i < count; i++) {
        SW_ERROR_SCOPE(err);
        if (tree_print(path[i], &err) == 0)
            continue;
        say_error("report", &err);
        rc = EXIT_FAILED;
    }
    return rc;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Returns whether a text is an integer of YAML. */
static bool is_integer(const char *text)
{
    const char *digits = text + (*text == '-');
    return *digits && strlen(digits) < 10 && strspn(digits, "0123456789") == strlen(digits);
}

/* Returns the sink's message about one of its options: the part after "sink table: ". */
static const char *said_of_option(const char *text)
{
    const char *at = strstr(text, ": sink ");
    at = at ? strstr(at + 2, ": ") : NULL;
    return at ? at + 2 : text;
}

/* Reports the first mistake. An option of the command has dashes where that of the sink has
 * underscores. */
static int option_error(const char *said)
{
    char name[32];
    size_t size = strcspn(said, ":"), all = strcspn(said, "\n");
    snprintf(name, sizeof name, "%.*s", (int)size, said);
    for (char *c = name; *c; c++)
        *c = (char)(*c == '_' ? '-' : *c);
    return usage_error(&report_command, "--%s%.*s", name, (int)(all - size), said + size);
}

/* Opens the sinks once without a run, so that what they refuse is reported as wrong usage. */
static int form_check(const struct format *format)
{
    SW_ERROR_SCOPE(err);
    for (int i = LIMIT; i <= STACK_DEPTH; i++)
        if (form_value[i] && !is_integer(form_value[i]))
            return usage_error(&report_command, "--%s %s is not an integer", form_name[i],
                               form_value[i]);
    if (!format->sink)
        return 0;
    char *sinks = sinks_text(format), *yaml = NULL;
    if (!sinks || asprintf(&yaml,
                           "profiler: { signals: false, show_report: false }\n"
                           "logger_callback: %s\n",
                           sinks) < 0)
        yaml = NULL;
    free(sinks);
    struct sw_profiler *sw = yaml ? sw_open_text(yaml, &err) : NULL;
    free(yaml);
    if (!sw)
        return option_error(said_of_option(sw_error_text(&err)));
    sw_close(sw, NULL);
    return 0;
}

static bool is_tree(void)
{
    return form_value[STYLE] && strcmp(form_value[STYLE], "tree") == 0;
}

static int tree_take(bool formatted)
{
    bool alone = !formatted;
    for (int i = 0; i < FORM_OPTIONS; i++)
        alone = alone && (i == STYLE || !form_value[i]);
    return alone ? 0
                 : usage_error(&report_command,
                               "--style tree cannot be used with --format, --json or options of "
                               "tables");
}

/* Options of one style only would be taken in silence. */
static int torch_check(void)
{
    bool torch = form_value[STYLE] && strcmp(form_value[STYLE], "torch") == 0;
    bool stacks = form_value[GROUP_BY] && strcmp(form_value[GROUP_BY], "stack") == 0;
    for (int i = NAME_WIDTH; i < FORM_OPTIONS; i++)
        if (form_value[i] && !torch && (i <= TIME_UNIT || i == HEADER))
            return usage_error(&report_command, "--%s can be used only with --style torch",
                               form_name[i]);
    if (form_value[STACK_DEPTH] && !stacks)
        return usage_error(&report_command, "--stack-depth can be used only with --group-by stack");
    return 0;
}

static int form_take(const struct format *format)
{
    if (form_value[STYLE] && strcmp(form_value[STYLE], "table") == 0)
        form_value[STYLE] = "stepwatch"; /* the default style, in contrast to tree */
    if (form_value[HEADER] && strncmp(format->sink ? format->sink : "", "table", 5) != 0)
        return usage_error(&report_command,
                           "--header cannot be used with --format %s, only with table and plain",
                           format->name);
    for (int i = 0; i < FORM_OPTIONS; i++)
        if (form_value[i] && !format->sink && i != COLUMNS)
            return usage_error(&report_command,
                               "--%s cannot be used with --format %s, only with table, plain, "
                               "markdown and csv",
                               form_name[i], format->name);
    int rc = form_check(format);
    return rc == 0 ? torch_check() : rc;
}

static int run(int argc, char **argv)
{
    const char *name = NULL;
    bool json = false, top_level = false;
    struct argument arguments[FORM_OPTIONS + 3] = {{.name = "format", .value = &name},
                                                   {.name = "functions", .value = &functions},
                                                   {.name = "json", .flag = &json}};
    for (int i = 0; i < FORM_OPTIONS; i++)
        arguments[i + 3] = (struct argument){.name = form_name[i], .value = &form_value[i]};
    arguments[TOP_LEVEL + 3] = (struct argument){.name = "top-level", .flag = &top_level};
    arguments_take(&report_command, arguments, FORM_OPTIONS + 3, &argc, argv);
    form_value[TOP_LEVEL] = top_level ? "true" : NULL;
    if (json && name && strcmp(name, "json") != 0)
        return usage_error(&report_command, "--json and --format %s cannot be used together", name);
    const struct format *format = format_find(json ? "json" : name ? name : "table");
    if (!format)
        return usage_error(&report_command, "--format %s is not one of " FORMATS, name);
    if (functions && format->collected != print_page)
        return usage_error(&report_command, "--functions can be used only with --format html");
    int rc = is_tree() ? tree_take(json || name) : form_take(format);
    if (rc != 0)
        return rc;
    if (argc < 2)
        return usage_error(&report_command, "expected at least one RUN.jsonl");
    if (is_tree())
        return trees(argc - 1, argv + 1);
    return report_all(argc - 1, argv + 1, format);
}

const struct command report_command = {"report", "makes the report of a recorded run again", help,
                                       run};
