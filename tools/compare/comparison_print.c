/* SPDX-License-Identifier: MIT */

#include "core/text/buffer.h"
#include "core/text/number.h"
#include "tools/compare/comparison.h"
#include "tools/log/report_json.h"
#include "tools/output/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings -------------------------------------------------------------------------------- */

static void put_percent(double gain)
{
    struct swi_text text = {0};
    if (gain >= 0.0995)
        swi_number_rate(&text, 100 * gain);
    else
        swi_number_fixed(&text, 100 * gain, 1);
    printf("%s %%", text.data ? text.data : "");
    swi_text_free(&text);
}

/* Prints how much faster each run that has it would be without it. */
static void put_effects(const struct finding_change *change)
{
    const struct sw_finding *a = change->a.finding, *b = change->b.finding;
    bool in_a = a && a->gain > 0, in_b = b && b->gain > 0;
    if (!in_a && !in_b)
        return;
    printf(": %s would be ", in_a ? "A" : "B");
    put_percent(in_a ? a->gain : b->gain);
    printf(" faster without it");
    if (!in_a || !in_b)
        return;
    printf(", B ");
    put_percent(b->gain);
}

/* Prints what the other run has instead. */
static void put_why(const char *name, const struct finding_side *side)
{
    if (!side->finding && side->checked && side->checked->why)
        paragraph_put(PARAGRAPH_INDENT, name, side->checked->why);
}

static void put_change(const struct finding_change *change)
{
    const struct sw_finding *finding = change->b.finding ? change->b.finding : change->a.finding;
    printf("%-10s", finding_changed_name(change->changed));
    text_shown(stdout, change->id, 0);
    put_effects(change);
    putchar('\n');
    paragraph_put(PARAGRAPH_INDENT, change->b.finding ? "" : "In A: ", finding->text);
    put_why("In A: ", &change->a);
    put_why("In B: ", &change->b);
    if (change->b.finding)
        paragraph_put(PARAGRAPH_INDENT, "Try: ", finding->next);
}

/* Prints nothing if no finding changed. */
static void finding_changes_print(const struct finding_changes *changes)
{
    bool any = false;
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->change[i].changed == FINDING_STAYED)
            continue;
        fputs(any ? "" : "\nWhat changed:\n", stdout);
        any = true;
        put_change(&changes->change[i]);
    }
}

enum {
    NAME = 24,
    TIME_CELL = 11,
    DIFFERENCE_CELL = 12,
    INTERVAL_CELL = 20,
    COUNTER_CELL = 12,
    USE_CELL = 14
};
static const char uses_title[] = "counters per step";
static const char *const what = "mean per step";

/* Prints a cell, aligned left if width is negative. */
static void put_cell(const char *text, int width)
{
    int length = (int)swi_text_width(text), blanks = abs(width) > length ? abs(width) - length : 0;
    printf("%*s%s%*s", width > 0 ? blanks : 0, "", text, width < 0 ? blanks : 0, "");
}

/* Returns "train / step", which the caller frees; NULL if out of memory. */
static char *name_of(enum sw_phase phase, const char *action)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s / ", comparison_phases[phase]);
    text_shown(out, action, NAME);
    fclose(out);
    return shown;
}

static void put_name(const struct per_step *item, int width)
{
    char *name = name_of(item->phase, item->action);
    put_cell(name ? name : "", -width);
    free(name);
}

/* Returns the width of the longest name, so that the table usually fits a terminal. */
static int names_width(const struct comparison *c)
{
    size_t width = swi_text_width(c->uses.count ? uses_title : what);
    for (size_t i = 0; i < c->times.count; i++) {
        char *name = name_of(c->times.item[i].a->phase, c->times.item[i].a->action);
        size_t length = swi_text_width(name ? name : "");
        width = length > width ? length : width;
        free(name);
    }
    return (int)width;
}

/* From tenfold on, percent are hard to read, so a factor is printed. */
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
    put_cell(difference, DIFFERENCE_CELL);
    put_cell(interval, INTERVAL_CELL);
}

/* Prints "train / forward", or blanks for a further counter of it, and the counter. */
static void put_use_name(const struct comparison_rows *uses, size_t i, int width)
{
    const struct per_step *of = uses->item[i].a, *before = i ? uses->item[i - 1].a : NULL;
    bool same = before && before->phase == of->phase && before->action_id == of->action_id;
    char *name = same ? NULL : name_of(of->phase, of->action);
    put_cell(name ? name : "", -width);
    free(name);
    fputs("  ", stdout);
    text_shown(stdout, of->counter, NAME);
    int length = (int)swi_text_width(of->counter);
    printf("%*s", length < COUNTER_CELL ? COUNTER_CELL - length : 0, "");
}

static void put_mean(const struct per_step *item, const char *unit)
{
    char text[TEXT_NUMBER];
    double mean = means_mean(&item->value);
    if (unit)
        put_cell(text_use(text, mean, unit), USE_CELL);
    else
        put_cell(text_time(text, mean), TIME_CELL);
}

static void put_row(const struct comparison *c, const struct comparison_rows *rows, size_t i,
                    int width)
{
    const struct comparison_row *row = &rows->item[i];
    if (row->a->counter)
        put_use_name(rows, i, width);
    else
        put_name(row->a, width);
    put_mean(row->a, row->a->unit);
    put_mean(row->b, row->a->unit);
    if (!row->a->counter || isfinite(row->by.difference)) {
        put_difference(&row->by);
    } else {
        put_cell("-", DIFFERENCE_CELL);
        put_cell("unknown", INTERVAL_CELL);
    }
    printf("  %s%s\n", comparison_verdict(row),
           comparison_is_over(c, row) ? ", over the bound" : "");
}

static void put_rows(const struct comparison *c, const struct comparison_rows *rows, int width)
{
    bool uses = rows == &c->uses;
    if (!rows->count)
        return;
    putchar('\n');
    put_cell(uses ? uses_title : what, -width);
    printf("%*s", uses ? COUNTER_CELL + 2 : 0, "");
    put_cell("A", uses ? USE_CELL : TIME_CELL);
    put_cell("B", uses ? USE_CELL : TIME_CELL);
    put_cell("difference", DIFFERENCE_CELL);
    put_cell("99 % interval", INTERVAL_CELL);
    puts("  verdict");
    for (size_t i = 0; i < rows->count; i++)
        put_row(c, rows, i, width);
}

/* Prints the actions that only one of the runs has. */
static void put_missing(const struct comparison *c, const struct durations *have,
                        const struct durations *other, const char *name)
{
    for (size_t i = 0; i < have->times.count; i++) {
        const struct per_step *item = &have->times.item[i];
        if (!comparison_lacks(c, other, item))
            continue;
        printf("only in %s: ", name);
        put_name(item, 0);
        putchar('\n');
    }
}

/* Returns whether the steps differ in size. A smaller last batch does not make a difference; half a
 * batch does. */
static bool are_unlike(const struct comparison *c)
{
    double a = comparison_samples(&c->a), b = comparison_samples(&c->b);
    return fabs(a - b) > 0.02 * fmax(a, b);
}

static void put_notes(const struct comparison *c)
{
    put_missing(c, &c->a, &c->b, "A");
    put_missing(c, &c->b, &c->a, "B");
    if (are_unlike(c))
        printf("note: A has %.4g samples a step and B has %.4g: their steps are not comparable\n",
               comparison_samples(&c->a), comparison_samples(&c->b));
    if (strcmp(c->a.host, c->b.host) != 0)
        printf("note: A and B ran on different hosts\n");
}

static void put_log(const char *name, const struct durations *d)
{
    char train[TEXT_NUMBER], valid[TEXT_NUMBER];
    const int64_t *steps = d->times.steps;
    printf("%s: ", name);
    text_shown(stdout, d->replay.path, 0);
    printf(", %s step%s of training, %s of validation\n",
           text_count(train, (double)steps[SW_PHASE_TRAIN]), steps[SW_PHASE_TRAIN] == 1 ? "" : "s",
           text_count(valid, (double)steps[SW_PHASE_VALID]));
}

void comparison_print(const struct comparison *c)
{
    int width = names_width(c);
    put_log("A", &c->a);
    put_log("B", &c->b);
    put_rows(c, &c->times, width);
    put_rows(c, &c->uses, width);
    put_notes(c);
    finding_changes_print(&c->findings);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

/* Returns the finding, or the verdict that there is none. */
static json_t *found_json(const struct finding_side *side)
{
    if (side->finding)
        return finding_json(side->finding);
    if (!side->checked)
        return json_null();
    const struct swi_checked *checked = side->checked;
    return json_pack("{s:s, s:o}", "verdict", swi_verdict_name(checked->verdict), "why",
                     checked->why ? text_json(checked->why) : json_null());
}

/* Returns a list, or null if it is not known. Returns NULL if out of memory. */
static json_t *finding_changes_json(const struct finding_changes *changes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < changes->count; i++) {
        const struct finding_change *change = &changes->change[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "id", change->id, "change",
                                              finding_changed_name(change->changed), "a",
                                              found_json(&change->a), "b", found_json(&change->b)));
    }
    return list;
}

static json_t *side_json(const struct durations *d)
{
    json_t *object = log_json(&d->replay);
    json_object_set_new(object, "train_steps",
                        json_integer((json_int_t)d->times.steps[SW_PHASE_TRAIN]));
    json_object_set_new(object, "valid_steps",
                        json_integer((json_int_t)d->times.steps[SW_PHASE_VALID]));
    json_object_set_new(object, "samples_per_step", text_json_number(comparison_samples(d)));
    return object;
}

static json_t *row_json(const struct comparison *c, const struct comparison_row *row)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b}", "phase",
                     comparison_phases[row->a->phase], "action", text_json(row->a->action), "a_ns",
                     text_json_number(means_mean(&row->a->value)), "b_ns",
                     text_json_number(means_mean(&row->b->value)), "difference",
                     text_json_number(row->by.difference), "low", text_json_number(row->by.low),
                     "high", text_json_number(row->by.high), "verdict", comparison_verdict(row),
                     "over", comparison_is_over(c, row));
}

static json_t *use_json(const struct comparison_row *row)
{
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "phase",
                     comparison_phases[row->a->phase], "action", text_json(row->a->action),
                     "counter", text_json(row->a->counter), "unit", row->a->unit, "a",
                     text_json_number(means_mean(&row->a->value)), "b",
                     text_json_number(means_mean(&row->b->value)), "difference",
                     text_json_number(row->by.difference), "low", text_json_number(row->by.low),
                     "high", text_json_number(row->by.high), "verdict", comparison_verdict(row));
}

static json_t *missing_json(const struct comparison *c, const struct durations *have,
                            const struct durations *other)
{
    json_t *list = json_array();
    for (size_t i = 0; i < have->times.count; i++) {
        const struct per_step *item = &have->times.item[i];
        if (comparison_lacks(c, other, item))
            json_array_append_new(list,
                                  json_pack("{s:s, s:o}", "phase", comparison_phases[item->phase],
                                            "action", text_json(item->action)));
    }
    return list;
}

int comparison_print_json(const struct comparison *c, struct sw_error *err)
{
    json_t *rows = json_array(), *uses = json_array();
    for (size_t i = 0; i < c->uses.count; i++)
        json_array_append_new(uses, use_json(&c->uses.item[i]));
    for (size_t i = 0; i < c->times.count; i++)
        json_array_append_new(rows, row_json(c, &c->times.item[i]));
    return json_print(json_pack("{s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "a", side_json(&c->a),
                                "b", side_json(&c->b), "confidence", COMPARISON_CONFIDENCE, "rows",
                                rows, "counters", uses, "only_in_a", missing_json(c, &c->a, &c->b),
                                "only_in_b", missing_json(c, &c->b, &c->a), "findings",
                                finding_changes_json(&c->findings)),
                      err);
}
