/* SPDX-License-Identifier: MIT */
#include "tools/comparison.h"
#include "tools/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    fprintf(out, "%s / ", comparison_phases[d->phase]);
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

static void put_row(const struct comparison *c, const struct comparison_row *row)
{
    char text[TEXT_NUMBER];
    put_name(&row->a, NAME + 8);
    put_cell(text_time(text, means_mean(&row->a.ns)), 12);
    put_cell(text_time(text, means_mean(&row->b.ns)), 12);
    put_difference(&row->by);
    printf("  %s%s\n", comparison_verdict(row),
           comparison_is_over(c, row) ? ", over the bound" : "");
}

/* Actions that only one of them has. */
static void put_missing(const struct comparison *c, const struct durations *have,
                        const struct durations *other, const char *name)
{
    for (size_t i = 0; i < have->count; i++) {
        const struct duration *d = &have->item[i];
        if (!comparison_lacks(c, other, d))
            continue;
        printf("only in %s: ", name);
        put_name(d, 0);
        putchar('\n');
    }
}

/* A ragged last batch makes no other kind of step; half a batch does. */
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
        printf("note: A has %.4g samples a step and B has %.4g: their steps are not alike\n",
               comparison_samples(&c->a), comparison_samples(&c->b));
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

void comparison_print(const struct comparison *c)
{
    put_log("A", &c->a);
    put_log("B", &c->b);
    printf("\n%*s%12s%12s  %10s  %20s  %s\n", -(NAME + 8), "mean per step", "A", "B", "difference",
           "99 % interval", "verdict");
    for (size_t i = 0; i < c->count; i++)
        put_row(c, &c->row[i]);
    put_notes(c);
}
