/* SPDX-License-Identifier: MIT */
/* stepwatch compare - which actions of a run became slower or faster than in another. */
#include "tools/durations.h"
#include "tools/interval.h"
#include "tools/report_json.h"
#include "tools/say.h"
#include "tools/text.h"
#include "tools/tools.h"

#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch compare A.jsonl B.jsonl [--fail-over PERCENT%] [--action NAME]... "
    "[--json]\n\n"
    "Compares how long each action takes per step in two recorded runs. The interval holds the "
    "difference of the\n"
    "means with 99 % confidence, for all actions together; verdict is worse or better where it "
    "does not hold 0,\n"
    "else noise. Exit status: 0, or 1 where --fail-over says so, or 2 where a log cannot be "
    "compared.\n\n"
    "  --fail-over 5%  exit status 1 where an action is worse, and by more than that\n"
    "  --action NAME   only this action, like step, or train/step for one phase; may be given "
    "several times\n"
    "  --json          print the comparison as JSON\n";

/* ---- what is compared ---- */

#define CONFIDENCE 0.99
/* Durations are whole nanoseconds. */
#define RESOLUTION_NS 1.0

static const char *const phases[] = {"fit", "train", "valid"};

struct row {
    struct duration a, b;
    struct interval by;
};

struct comparison {
    struct durations a, b;
    const char *const *wanted; /* --action; ends with NULL */
    double bound;              /* --fail-over, a share; INFINITY: none */
    size_t count;
    struct row *row;
};

/* "step", or "train/step" for one phase. */
static bool has_name(const struct duration *d, const char *name)
{
    size_t phase = strlen(phases[d->phase]);
    if (strcmp(name, d->action) == 0)
        return true;
    return strncmp(name, phases[d->phase], phase) == 0 && name[phase] == '/' &&
           strcmp(name + phase + 1, d->action) == 0;
}

static bool is_wanted(const struct comparison *c, const struct duration *d)
{
    const char *const *name = c->wanted;
    while (*name && !has_name(d, *name))
        name++;
    return *name || !*c->wanted;
}

static bool is_in(const struct durations *in, const char *name)
{
    size_t i = 0;
    while (i < in->count && !has_name(&in->item[i], name))
        i++;
    return i < in->count;
}

/* A name that is misspelt would leave out what a CI is to watch. */
static int wanted_check(const struct comparison *c, struct sw_error *err)
{
    char have[400] = "";
    for (size_t i = 0; i < c->a.count; i++) {
        size_t used = strlen(have);
        snprintf(have + used, sizeof have - used, "%s%s/%s", i ? ", " : "",
                 phases[c->a.item[i].phase], c->a.item[i].action);
    }
    for (const char *const *name = c->wanted; *name; name++)
        if (!is_in(&c->a, *name) && !is_in(&c->b, *name))
            return sw_error_set(
                err, SW_EINVAL,
                "--action %s: no action of that name is in the steps of either run; "
                "%s has %s",
                *name, c->a.replay.path, have);
    return 0;
}

static const struct duration *match(const struct durations *in, const struct duration *of)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->item[i].phase == of->phase && in->item[i].action_id == of->action_id)
            return &in->item[i];
    return NULL;
}

/* All intervals together are to hold with the confidence: each gets its share of the rest
 * (Bonferroni). */
static void rows_compare(struct comparison *c)
{
    double confidence = 1 - (1 - CONFIDENCE) / (double)(c->count ? c->count : 1);
    for (size_t i = 0; i < c->count; i++)
        c->row[i].by = interval_of(&c->row[i].a.ns, &c->row[i].b.ns, confidence);
}

static int rows_make(struct comparison *c, struct sw_error *err)
{
    c->row = calloc(c->a.count + 1, sizeof *c->row);
    if (!c->row)
        return sw_error_set(err, SW_ENOMEM, "no memory for the comparison");
    for (size_t i = 0; i < c->a.count; i++) {
        const struct duration *a = &c->a.item[i], *b = match(&c->b, a);
        if (b && is_wanted(c, a))
            c->row[c->count++] = (struct row){.a = *a, .b = *b};
    }
    rows_compare(c);
    if (c->count)
        return 0;
    return sw_error_set(err, SW_EFORMAT, "%s and %s: no action%s stands in the steps of both",
                        c->a.replay.path, c->b.replay.path, *c->wanted ? " that is asked for" : "");
}

/* ---- verdicts ---- */

enum verdict { NOISE, BETTER, WORSE };
static const char *const verdicts[] = {"noise", "better", "worse"};

static enum verdict verdict_of(const struct row *row)
{
    if (fabs(means_mean(&row->b.ns) - means_mean(&row->a.ns)) <= RESOLUTION_NS)
        return NOISE;
    return row->by.low > 0 ? WORSE : row->by.high < 0 ? BETTER : NOISE;
}

static bool is_over(const struct comparison *c, const struct row *row)
{
    return verdict_of(row) == WORSE && row->by.difference > c->bound;
}

/* ---- as text ---- */

enum { NAME = 24 };

/* Padded by characters, not bytes: µ is one. Left where width is negative. */
static void put_cell(const char *text, int width)
{
    int length = 0;
    for (const char *c = text; *c; c++)
        length += ((unsigned char)*c & 0xc0) != 0x80;
    int blanks = abs(width) > length ? abs(width) - length : 0;
    printf("%*s%s%*s", width > 0 ? blanks : 0, "", text, width < 0 ? blanks : 0, "");
}

static void put_name(const struct duration *d, int width)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    if (!out)
        return;
    fprintf(out, "%s / ", phases[d->phase]);
    text_shown(out, d->action, NAME);
    if (fclose(out) == 0)
        put_cell(shown, -width);
    free(shown);
}

/* From tenfold on a difference in percent is hard to read. */
static void put_difference(const struct interval *by)
{
    char difference[TEXT_NUMBER], interval[2 * TEXT_NUMBER] = "unknown";
    bool times = by->difference >= 9;
    if (times)
        snprintf(difference, sizeof difference, "× %.1f", 1 + by->difference);
    else
        snprintf(difference, sizeof difference, "%+.1f %%", 100 * by->difference);
    if (!isnan(by->low) && times)
        snprintf(interval, sizeof interval, "× %.1f .. %.1f", 1 + by->low, 1 + by->high);
    else if (!isnan(by->low))
        snprintf(interval, sizeof interval, "%+.1f .. %+.1f %%", 100 * by->low, 100 * by->high);
    put_cell(difference, 12);
    put_cell(interval, 22);
}

static void put_row(const struct comparison *c, const struct row *row)
{
    char text[TEXT_NUMBER];
    put_name(&row->a, NAME + 8);
    put_cell(text_time(text, means_mean(&row->a.ns)), 12);
    put_cell(text_time(text, means_mean(&row->b.ns)), 12);
    put_difference(&row->by);
    printf("  %s%s\n", verdicts[verdict_of(row)], is_over(c, row) ? ", over the bound" : "");
}

/* Actions that only one of them has. */
static void put_missing(const struct comparison *c, const struct durations *have,
                        const struct durations *other, const char *name)
{
    for (size_t i = 0; i < have->count; i++) {
        const struct duration *d = &have->item[i];
        if (match(other, d) || !is_wanted(c, d))
            continue;
        printf("only in %s: ", name);
        put_name(d, 0);
        putchar('\n');
    }
}

static double samples_per_step(const struct durations *d)
{
    return d->steps[SW_PHASE_TRAIN] ? d->samples / (double)d->steps[SW_PHASE_TRAIN] : 0;
}

/* A ragged last batch makes no other kind of step; half a batch does. */
static bool are_unlike(const struct comparison *c)
{
    double a = samples_per_step(&c->a), b = samples_per_step(&c->b);
    return fabs(a - b) > 0.02 * fmax(a, b);
}

static void put_notes(const struct comparison *c)
{
    put_missing(c, &c->a, &c->b, "A");
    put_missing(c, &c->b, &c->a, "B");
    if (are_unlike(c))
        printf("note: A has %.4g samples a step and B has %.4g: their steps are not alike\n",
               samples_per_step(&c->a), samples_per_step(&c->b));
    if (strcmp(c->a.host, c->b.host) != 0)
        printf("note: A and B ran on different hosts\n");
}

static void put_log(const char *name, const struct durations *d)
{
    char train[TEXT_NUMBER], valid[TEXT_NUMBER];
    printf("%s: ", name);
    text_shown(stdout, d->replay.path, 0);
    printf(", %s steps of training, %s of validation\n",
           text_count(train, (double)d->steps[SW_PHASE_TRAIN]),
           text_count(valid, (double)d->steps[SW_PHASE_VALID]));
}

static void print_text(const struct comparison *c)
{
    put_log("A", &c->a);
    put_log("B", &c->b);
    printf("\n%*s%12s%12s  %10s  %20s  %s\n", -(NAME + 8), "mean per step", "A", "B", "difference",
           "99 % interval", "verdict");
    for (size_t i = 0; i < c->count; i++)
        put_row(c, &c->row[i]);
    put_notes(c);
}

/* ---- as JSON ---- */

static json_t *log_json(const struct durations *d)
{
    return json_pack("{s:o, s:I, s:I, s:o, s:b, s:b, s:I}", "path", text_json(d->replay.path),
                     "train_steps", (json_int_t)d->steps[SW_PHASE_TRAIN], "valid_steps",
                     (json_int_t)d->steps[SW_PHASE_VALID], "samples_per_step",
                     text_json_number(samples_per_step(d)), "finished", d->replay.finished, "torn",
                     d->replay.torn, "lines", (json_int_t)d->replay.lines);
}

static json_t *row_json(const struct comparison *c, const struct row *row)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b}", "phase", phases[row->a.phase],
                     "action", text_json(row->a.action), "a_ns",
                     text_json_number(means_mean(&row->a.ns)), "b_ns",
                     text_json_number(means_mean(&row->b.ns)), "difference",
                     text_json_number(row->by.difference), "low", text_json_number(row->by.low),
                     "high", text_json_number(row->by.high), "verdict", verdicts[verdict_of(row)],
                     "over", is_over(c, row));
}

static json_t *missing_json(const struct comparison *c, const struct durations *have,
                            const struct durations *other)
{
    json_t *list = json_array();
    for (size_t i = 0; i < have->count; i++) {
        const struct duration *d = &have->item[i];
        if (!match(other, d) && is_wanted(c, d))
            json_array_append_new(list, json_pack("{s:s, s:o}", "phase", phases[d->phase], "action",
                                                  text_json(d->action)));
    }
    return list;
}

static int print_json(const struct comparison *c, struct sw_error *err)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(rows, row_json(c, &c->row[i]));
    return json_print(json_pack("{s:o, s:o, s:f, s:o, s:o, s:o}", "a", log_json(&c->a), "b",
                                log_json(&c->b), "confidence", CONFIDENCE, "rows", rows,
                                "only_in_a", missing_json(c, &c->a, &c->b), "only_in_b",
                                missing_json(c, &c->b, &c->a)),
                      err);
}

/* ---- the command ---- */

static int read_log(struct durations *durations, const char *path, struct sw_error *err)
{
    int rc = durations_read(durations, path, err);
    if (rc == 0)
        replay_say_ending(&durations->replay);
    return rc;
}

static int verdict_status(const struct comparison *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (is_over(c, &c->row[i]))
            return EXIT_FAILED;
    return EXIT_FINE;
}

static int compare(struct comparison *c, char **path, bool json, struct sw_error *err)
{
    int rc = read_log(&c->a, path[0], err);
    if (rc == 0)
        rc = read_log(&c->b, path[1], err);
    if (rc == 0)
        rc = wanted_check(c, err);
    if (rc == 0)
        rc = rows_make(c, err);
    if (rc == 0 && json)
        rc = print_json(c, err);
    else if (rc == 0)
        print_text(c);
    return rc;
}

/* "5%" or "2.5%". */
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
    struct sw_error err = {0};
    int rc = arguments_take(&compare_command, arguments, 3, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (argc != 3)
        return usage_error(&compare_command, "expected A.jsonl and B.jsonl, found %d", argc - 1);
    if (!percent_read(bound, &c.bound))
        return usage_error(&compare_command, "--fail-over %s: expected a percentage, like 5%%",
                           bound);
    rc = compare(&c, argv + 1, json, &err);
    if (rc < 0)
        say("compare", "%s", err.text);
    rc = rc < 0 ? EXIT_USAGE : verdict_status(&c);
    free(c.row);
    durations_free(&c.a);
    durations_free(&c.b);
    return rc;
}

const struct command compare_command = {"compare", "tells what became slower or faster", help, run};
