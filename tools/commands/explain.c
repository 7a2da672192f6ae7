/* SPDX-License-Identifier: MIT */
/* stepwatch explain - shows where a recorded run loses time, and what to try. */
#include "tools/commands/arguments.h"
#include "tools/commands/commands.h"
#include "tools/explain/explained_json.h"
#include "tools/explain/explained_text.h"
#include "tools/output/print_json.h"
#include "tools/output/stderr.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch explain RUN.jsonl... [--json] [--fail-on LEVEL]\n\n"
    "Shows where each recorded run loses time, worst first: what was found, the\n"
    "evidence, the formula, how much faster training would be without it, and what to\n"
    "try. Then it lists what else was checked. docs/why-is-my-loop-slow.md describes\n"
    "each finding. Exit status: 0, even with findings; 1 if a log cannot be read, or\n"
    "if --fail-on asks for it.\n\n"
    "  --json            print the findings as JSON\n"
    "  --fail-on LEVEL   exit with status 1 if there is a finding of this level or worse:\n"
    "                    high, medium or note\n";

static json_t *all_runs; /* for --json */

static int run_print(const struct explained *explained, struct sw_error *err)
{
    if (!all_runs) {
        explained_print(explained);
        return 0;
    }
    if (json_array_append_new(all_runs, explained_json(explained)) == 0)
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the JSON");
}

static void ending_say(const struct explained *explained)
{
    replay_say_ending(&explained->replay);
    if (!explained->count)
        say(NULL, "%s: contains no steps of training: nothing to explain", explained->replay.path);
}

/* worst: the worst level of all findings so far. */
static int explain(const char *path, int *worst)
{
    SW_ERROR_SCOPE(err);
    struct explained explained;
    int rc = explained_read(&explained, path, &err);
    if (rc == 0)
        rc = run_print(&explained, &err);
    if (rc == 0)
        ending_say(&explained);
    else if (stdout_is_read())
        say_error("explain", &err);
    int level = explained_worst(&explained);
    *worst = level > *worst ? level : *worst;
    explained_free(&explained);
    return rc < 0 ? EXIT_FAILED : EXIT_FINE;
}

static int explain_all(int count, char **path, bool json, int fail_on)
{
    int rc = EXIT_FINE, worst = -1;
    all_runs = json ? json_array() : NULL;
    for (int i = 0; i < count; i++) {
        if (i && !json)
            putchar('\n');
        if (explain(path[i], &worst) != EXIT_FINE)
            rc = EXIT_FAILED;
    }
    if (json && !json_show("explain", json_pack("{s:o}", "runs", all_runs)))
        rc = EXIT_FAILED;
    return worst >= fail_on ? EXIT_FAILED : rc;
}

/* Parses a level. Without --fail-on it is one that no finding reaches. */
static int level_read(const char *name)
{
    int level = SW_FINDING_HIGH + 1;
    while (name && --level >= SW_FINDING_NOTE)
        if (strcmp(swi_level_name((enum sw_finding_level)level), name) == 0)
            break;
    return level;
}

static int run(int argc, char **argv)
{
    const char *level = NULL;
    bool json = false;
    const struct argument arguments[] = {{.name = "json", .flag = &json},
                                         {.name = "fail-on", .value = &level}};
    int rc = arguments_take(&explain_command, arguments, 2, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (level && level_read(level) < 0)
        return usage_error(&explain_command, "--fail-on %s is not one of high, medium, note",
                           level);
    if (argc < 2)
        return usage_error(&explain_command, "expected at least one RUN.jsonl");
    return explain_all(argc - 1, argv + 1, json, level_read(level));
}

const struct command explain_command = {"explain", "shows where a run loses time, and what to try",
                                        help, run};
