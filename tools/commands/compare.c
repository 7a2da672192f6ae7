/* SPDX-License-Identifier: MIT */
/* stepwatch compare - shows which actions of a run became slower or faster than in another. */
#include "tools/commands/commands.h"
#include "tools/compare/comparison.h"
#include "tools/output/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch compare A.jsonl B.jsonl [--fail-over PERCENT%] [--action NAME]... "
    "[--json]\n\n"
    "Compares how long each action takes per step in two recorded runs. For each\n"
    "action, it prints an interval for the difference of the means. With 99 %\n"
    "confidence, all these intervals contain the true differences. The verdict is worse\n"
    "or better if the interval does not contain 0, and noise otherwise. Below the table,\n"
    "it lists which findings of stepwatch explain appeared, grew, shrank or disappeared.\n"
    "Exit status: 0; 1 if --fail-over asks for it; 2 if a log cannot be compared.\n\n"
    "  --fail-over 5%  exit with status 1 if an action is worse by more than 5 %\n"
    "  --action NAME   compare only this action, such as step, or train/step for one\n"
    "                  phase; may be given several times\n"
    "  --json          print the comparison as JSON\n";

static int read_log(struct durations *durations, const char *path, struct sw_error *err)
{
    int rc = durations_read(durations, path, err);
    if (rc == 0)
        replay_say_ending(&durations->replay);
    return rc;
}

static int verdict_status(const struct comparison *c)
{
    for (size_t i = 0; i < c->times.count; i++)
        if (comparison_is_over(c, &c->times.item[i]))
            return EXIT_FAILED;
    return EXIT_FINE;
}

static int compare(struct comparison *c, char **path, bool json, struct sw_error *err)
{
    int rc = read_log(&c->a, path[0], err);
    if (rc == 0)
        rc = read_log(&c->b, path[1], err);
    if (rc == 0)
        rc = comparison_make(c, err);
    if (rc == 0)
        rc = finding_changes_make(&c->findings, &c->a.advice, &c->b.advice, err);
    if (rc == 0 && json)
        rc = comparison_print_json(c, err);
    else if (rc == 0)
        comparison_print(c);
    return rc;
}

/* Parses "5%" or "2.5%". */
static bool percent_read(const char *text, double *share)
{
    char *end;
    *share = INFINITY;
    if (!text)
        return true;
    if (!*text || strspn(text, "0123456789.") + 1 != strlen(text))
        return false;
    *share = strtod(text, &end) / 100;
    return end > text && strcmp(end, "%") == 0;
}

static int run(int argc, char **argv)
{
    const char *bound = NULL, *wanted[ARGUMENT_LIST] = {NULL};
    bool json = false;
    const struct argument arguments[] = {{.name = "fail-over", .value = &bound},
                                         {.name = "action", .list = wanted},
                                         {.name = "json", .flag = &json}};
    struct comparison c = {.wanted = wanted};
    SW_ERROR_SCOPE(err);
    arguments_take(&compare_command, arguments, 3, &argc, argv);
    if (argc != 3)
        return usage_error(&compare_command, "expected A.jsonl and B.jsonl, found %d", argc - 1);
    if (!percent_read(bound, &c.bound))
        return usage_error(&compare_command, "--fail-over %s: expected a percentage, like 5%%",
                           bound);
    int rc = compare(&c, argv + 1, json, &err);
    if (rc < 0)
        say_error("compare", &err);
    rc = rc < 0 ? EXIT_USAGE : verdict_status(&c);
    comparison_free(&c);
    return rc;
}

const struct command compare_command = {"compare", "shows what became slower or faster", help, run};
