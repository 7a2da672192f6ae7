/* SPDX-License-Identifier: MIT */
/* stepwatch explain - shows where a recorded run loses time, and what to try. */
#include "core/text/buffer.h"
#include "core/text/exact_number.h"
#include "core/text/number.h"
#include "core/text/parts.h"
#include "tools/commands/commands.h"
#include "tools/log/explained.h"
#include "tools/log/report_json.h"
#include "tools/log/run_replay.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch explain RUN.jsonl... [--json] [--fail-on LEVEL]\n\n"
    "Shows where each recorded run loses time, worst first: what was found, the\n"
    "evidence, the formula, how much faster training would be without it, and what to\n"
    "try. Then it lists what else was checked. docs/why-is-my-loop-slow.md describes\n"
    "each finding. Exit status: 0, even with findings; 1 if a log cannot be read, or\n"
    "if --fail-on asks for it: then also if a log has no steps of training.\n\n"
    "  --json            print the findings as JSON\n"
    "  --fail-on LEVEL   exit with status 1 if there is a finding of this level or worse:\n"
    "                    high, medium or note\n";

/* ---- findings as text ------------------------------------------------------------------------ */

/* Returns whether a name ends with "_ns", which is not printed: "each_ns" is "each". */
static bool is_time(const char *name)
{
    return swi_ends(name, "_ns");
}

static void number_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    char time[TEXT_NUMBER];
    if (SWI_IS_ONE_OF(evidence->name, "z", "confidence")) {
        swi_number_short(text, evidence->number, 3);
        return;
    }
    if (is_time(evidence->name)) {
        swi_text_put(text, text_time(time, evidence->number));
        return;
    }
    swi_number_fixed(text, 100 * evidence->number, 1);
    swi_text_put(text, " %");
}

static void value_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    if (evidence->kind == SW_EVIDENCE_NUMBER)
        number_add(text, evidence);
    else if (evidence->kind == SW_EVIDENCE_COUNT)
        swi_number_count(text, evidence->count);
    else if (evidence->kind == SW_EVIDENCE_TEXT)
        swi_text_put(text, *evidence->text ? evidence->text : "-");
    for (int64_t i = 0; evidence->kind == SW_EVIDENCE_STEPS && i < evidence->count; i++)
        swi_text_format(text, "%s%" PRId64, i ? " " : "", evidence->step[i]);
}

static void evidence_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    size_t size = strlen(evidence->name) - (is_time(evidence->name) ? 3 : 0);
    swi_text_put(text, text->size ? ", " : "");
    for (size_t i = 0; i < size; i++)
        swi_text_add(text, evidence->name[i] == '_' ? " " : evidence->name + i, 1);
    if (evidence->kind == SW_EVIDENCE_FLAG)
        return;
    swi_text_put(text, " ");
    value_add(text, evidence);
}

static void put_evidence(const struct sw_finding *finding)
{
    struct swi_text text = {0};
    for (size_t i = 0; i < finding->evidence_count; i++)
        evidence_add(&text, sw_finding_evidence(finding, i));
    if (text.size)
        paragraph_put(PARAGRAPH_INDENT, "Evidence: ", text.data);
    swi_text_free(&text);
}

static void put_finding(const struct sw_finding *finding)
{
    printf("%-7s ", swi_level_name(finding->level));
    text_shown(stdout, finding->id, 0);
    putchar('\n');
    paragraph_put(PARAGRAPH_INDENT, "", finding->text);
    put_evidence(finding);
    paragraph_put(PARAGRAPH_INDENT, "Found by: ", finding->formula);
    paragraph_put(PARAGRAPH_INDENT, "Try: ", finding->next);
}

/* ---- what was looked at ---------------------------------------------------------------------- */

static void put_checked(const struct swi_advice *advice)
{
    bool any = false;
    for (size_t i = 0; i < advice->checked_count; i++) {
        const struct swi_checked *checked = &advice->checked[i];
        if (checked->verdict == SWI_RULE_FOUND)
            continue;
        if (!any)
            puts("Also looked at:");
        any = true;
        printf("%*s%-18s%-11s", PARAGRAPH_INDENT, "", checked->id,
               swi_verdict_name(checked->verdict));
        text_put(checked->why ? checked->why : "", 0);
        putchar('\n');
    }
}

/* Where findings go: to `fits`, or as text to standard output. */
struct explaining {
    struct explained of;
    struct json_parts *json; /* NULL: as text */
    struct json_parts fits;
};

static void put_fit(const struct explained *explained, const struct explained_fit *fit)
{
    char steps[TEXT_NUMBER];
    if (explained->told > 1)
        putchar('\n');
    text_put(explained->replay.path, 0);
    printf(": fit %" PRId64 ", %s step%s of training", fit->number,
           text_count(steps, (double)fit->steps), fit->steps == 1 ? "" : "s");
    if (fit->judged < fit->steps)
        printf(", of which %s are judged", text_count(steps, (double)fit->judged));
    puts(fit->dropped ? ", the first is left out" : "");
    for (size_t i = 0; i < fit->advice.count; i++)
        put_finding(&fit->advice.finding[i]);
    put_checked(&fit->advice);
    puts(fit->advice.count ? "Nothing else stands out." : "Nothing stands out.");
}

/* ---- findings as JSON (docs/command.md) ------------------------------------------------------ */

static json_t *checked_json(const struct swi_advice *advice)
{
    json_t *list = json_array();
    for (size_t i = 0; i < advice->checked_count; i++) {
        const struct swi_checked *checked = &advice->checked[i];
        json_t *object = json_object();
        json_object_set_new(object, "id", json_string(checked->id));
        json_object_set_new(object, "verdict", json_string(swi_verdict_name(checked->verdict)));
        if (checked->why)
            json_object_set_new(object, "why", text_json(checked->why));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *fit_json(const struct explained_fit *fit)
{
    json_t *object = json_object();
    json_object_set_new(object, "fit", json_integer(fit->number));
    json_object_set_new(object, "steps", json_integer((json_int_t)fit->steps));
    if (fit->judged < fit->steps)
        json_object_set_new(object, "judged", json_integer((json_int_t)fit->judged));
    json_object_set_new(object, "findings", findings_json(&fit->advice));
    json_object_set_new(object, "checked", checked_json(&fit->advice));
    return object;
}

static void fit_take(void *arg, struct explained_fit *fit)
{
    struct explaining *explaining = arg;
    if (explaining->json)
        json_put(&explaining->fits, NULL, fit_json(fit));
    else
        put_fit(&explaining->of, fit);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* A run is the log and its fits. How the log ends is known after all fits. */
static int run_put(struct explaining *explaining, struct sw_error *err)
{
    struct json_parts *json = explaining->json;
    json_enter(json, NULL, '{');
    json_put(json, "log", log_json(&explaining->of.replay));
    json_enter(json, "fits", '[');
    int rc = json_ahead_print(&explaining->fits, json, err);
    json_leave(json);
    json_leave(json);
    return rc;
}

/* json: gets the run; NULL: it is printed as text. judges: a log with nothing to judge is none to
 * rely on. worst: the worst level of all findings so far. */
static int explain(const char *path, struct json_parts *json, bool judges, int *worst)
{
    SW_ERROR_SCOPE(err);
    struct explaining explaining = {.json = json};
    struct explained *explained = &explaining.of;
    explained_init(explained, path, fit_take, &explaining);
    int rc = json ? json_ahead_begin(&explaining.fits, json, 2, &err) : 0;
    if (rc == 0)
        rc = explained_read(explained, &err);
    if (rc == 0 && json)
        rc = run_put(&explaining, &err);
    if (rc == 0)
        replay_say_ending(&explained->replay);
    else if (stdout_is_read())
        say_error("explain", &err);
    bool nothing = rc == 0 && !explained->told;
    if (nothing)
        say(NULL, "%s: contains no steps of training: nothing to explain", path);
    *worst = explained->worst > *worst ? explained->worst : *worst;
    json_free(&explaining.fits);
    explained_free(explained);
    return rc < 0 || (nothing && judges) ? EXIT_FAILED : EXIT_FINE;
}

static int explain_all(int count, char **path, bool json, int fail_on)
{
    int rc = EXIT_FINE, worst = -1;
    struct json_parts all;
    if (json && json_begin(&all, "explain") < 0)
        return EXIT_FAILED;
    if (json)
        json_enter(&all, "runs", '[');
    for (int i = 0; i < count; i++) {
        if (i && !json)
            putchar('\n');
        if (explain(path[i], json ? &all : NULL, fail_on <= SW_FINDING_HIGH, &worst) != EXIT_FINE)
            rc = EXIT_FAILED;
    }
    if (json && json_end(&all, "explain") < 0)
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
    arguments_take(&explain_command, arguments, 2, &argc, argv);
    if (level && level_read(level) < 0)
        return usage_error(&explain_command, "--fail-on %s is not one of high, medium, note",
                           level);
    if (argc < 2)
        return usage_error(&explain_command, "expected at least one RUN.jsonl");
    return explain_all(argc - 1, argv + 1, json, level_read(level));
}

const struct command explain_command = {"explain", "shows where a run loses time, and what to try",
                                        help, run};
