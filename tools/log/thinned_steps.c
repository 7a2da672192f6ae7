/* SPDX-License-Identifier: MIT */
#include "tools/log/thinned_steps.h"

#include "core/text/escape.h"
#include "core/text/parts.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* More than a sink makes; how many of them have the smallest and the largest durations. */
enum { STEPS_MOST = 1000000, DIFFERENT = 2 };

/* ---- shares ---------------------------------------------------------------------------------- */

/* Returns the part of `sum` that the first i of n have. Each has the same, except for rounding. */
static int64_t even_until(int64_t sum, int64_t i, int64_t n)
{
    return n > 0 ? (int64_t)((wide)sum * i / n) : 0;
}

/* Returns that of those from i up to `end`. */
static int64_t even_share(int64_t sum, int64_t i, int64_t end, int64_t n)
{
    return even_until(sum, end, n) - even_until(sum, i, n);
}

/* A duration in all steps, in the first one and in the second one, which have the smallest and the
 * largest. Draws have the smallest first and all others the largest, so that no step is quicker or
 * slower than those of the run. */
struct thinned_duration {
    int64_t sum, first, second;
};

static int64_t whole_of(const struct log_value *value)
{
    return log_is(value, LOG_INTEGER) && value->integer > 0 ? value->integer : 0;
}

/* Returns what the first i of n steps took together. */
static int64_t duration_until(const struct thinned_duration *of, int64_t i, int64_t n)
{
    if (i >= n)
        return of->sum;
    if (i <= 1 || n <= 2)
        return i <= 0 ? 0 : of->first;
    int64_t rest = of->sum - of->first - of->second;
    return of->first + of->second + even_until(rest > 0 ? rest : 0, i - 2, n - 2);
}

static int64_t duration_share(const struct thinned_duration *of, int64_t i, int64_t end, int64_t n)
{
    int64_t share = duration_until(of, end, n) - duration_until(of, i, n);
    return share > 0 ? share : 0;
}

/* ---- the parts of a step --------------------------------------------------------------------- */

/* The object that is read now, and those with the smallest and the largest values. Of n steps,
 * those from i up to `end` are made. */
struct thinned_parts {
    const struct log_value *sum, *min, *max;
    int64_t i, end, n;
    bool drawn; /* what ran in draws */
};

/* Returns number k of a list, or what is there instead of a list. */
static const struct log_value *element(const struct log_value *value, size_t k)
{
    return log_is(value, LOG_ARRAY) ? log_at(value, k) : value;
}

static int64_t whole_at(const struct log_value *object, const char *field, const char *action,
                        size_t k)
{
    return whole_of(element(log_get(log_get(object, field), action), k));
}

static struct thinned_duration duration_at(const struct thinned_parts *parts, const char *field,
                                           const char *action, size_t k)
{
    bool draws = parts->drawn || strcmp(action, "draw") == 0;
    int64_t min = whole_at(parts->min, field, action, k);
    int64_t max = whole_at(parts->max, field, action, k);
    return (struct thinned_duration){whole_at(parts->sum, field, action, k), draws ? min : max,
                                     draws ? max : min};
}

/* A self time is the same share of the duration in each step. */
static int64_t self_share(const struct thinned_parts *parts, const char *field, const char *action,
                          size_t k, int64_t self)
{
    const struct thinned_duration of = duration_at(parts, field, action, k);
    if (!of.sum)
        return 0;
    return even_until(self, duration_until(&of, parts->end, parts->n), of.sum) -
           even_until(self, duration_until(&of, parts->i, parts->n), of.sum);
}

static void value_put(struct swi_text *text, const struct thinned_parts *parts, const char *field,
                      const char *action, size_t k, const struct log_value *value)
{
    bool inner = strcmp(field, "inner_self") == 0;
    if (inner || strcmp(field, "self") == 0) {
        swi_text_integer(
            text, self_share(parts, inner ? "inner" : "durations", action, k, whole_of(value)));
        return;
    }
    const struct thinned_duration of = duration_at(parts, field, action, k);
    swi_text_integer(text, duration_share(&of, parts->i, parts->end, parts->n));
}

/* Each counter has its share; what is not a number is as it was. */
static void evenly_put(struct swi_text *text, const struct thinned_parts *parts,
                       const struct log_value *value)
{
    if (log_is(value, LOG_ARRAY)) {
        swi_text_put(text, "[");
        for (const struct log_value *v = log_first(value); v; v = log_after(value, v)) {
            swi_text_put(text, v == log_first(value) ? "" : ",");
            evenly_put(text, parts, v);
        }
        swi_text_put(text, "]");
    } else if (log_is(value, LOG_INTEGER)) {
        swi_text_integer(text, even_share(value->integer, parts->i, parts->end, parts->n));
    } else if (log_is(value, LOG_STRING)) {
        swi_escape_json(text, value->text);
    } else {
        swi_text_put(text, "null");
    }
}

static bool is_time(const char *field)
{
    return SWI_IS_ONE_OF(field, "durations", "self", "inner", "inner_self");
}

static void list_put(struct swi_text *text, const struct thinned_parts *parts, const char *field,
                     const char *action, const struct log_value *value)
{
    bool several = log_is(value, LOG_ARRAY);
    size_t count = several ? value->size : 1;
    swi_text_put(text, several ? "[" : "");
    for (size_t k = 0; k < count; k++) {
        swi_text_put(text, k ? "," : "");
        value_put(text, parts, field, action, k, element(value, k));
    }
    swi_text_put(text, several ? "]" : "");
}

static void field_put(struct swi_text *text, const struct thinned_parts *parts, const char *field,
                      const struct log_value *object)
{
    for (const struct log_value *k = log_first_key(object); k; k = log_next_key(object, k)) {
        swi_text_put(text, k == log_first_key(object) ? "" : ",");
        swi_escape_json(text, k->text);
        swi_text_put(text, ":");
        if (is_time(field))
            list_put(text, parts, field, k->text, k + 1);
        else
            evenly_put(text, parts, k + 1);
    }
}

static void parts_put(struct swi_text *text, const struct thinned_parts *parts)
{
    for (const struct log_value *k = log_first_key(parts->sum); k;
         k = log_next_key(parts->sum, k)) {
        const struct thinned_parts drawn = {.sum = k + 1,
                                            .min = log_get(parts->min, k->text),
                                            .max = log_get(parts->max, k->text),
                                            .i = parts->i,
                                            .end = parts->end,
                                            .n = parts->n,
                                            .drawn = true};
        if (!log_is(k + 1, LOG_OBJECT))
            continue;
        swi_text_put(text, k == log_first_key(parts->sum) ? "" : ",");
        swi_escape_json(text, k->text);
        swi_text_put(text, ":{");
        if (strcmp(k->text, "in_draw") == 0)
            parts_put(text, &drawn);
        else
            field_put(text, parts, k->text, k + 1);
        swi_text_put(text, "}");
    }
}

/* ---- what a batch took by itself ------------------------------------------------------------- */

/* The largest times of a batch and of what ran in it may be of different steps, so what is left for
 * the batch itself is its share of that of all steps. */
static void batch_self_put(struct swi_text *text, const struct thinned_parts *parts)
{
    const struct log_value *durations = log_get(parts->sum, "durations");
    const struct log_value *batch = log_get(durations, "batch");
    int64_t self = log_ns_sum(batch) - log_selves_sum(durations, log_get(parts->sum, "self")) -
                   log_selves_sum(log_get(parts->sum, "inner"), log_get(parts->sum, "inner_self"));
    if (!log_is(batch, LOG_INTEGER) || self < 0)
        return;
    swi_text_put(text, ",\"batch_self\":");
    swi_text_integer(text, self_share(parts, "durations", "batch", 0, self));
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Returns what draws and batches took in the first i steps. */
static int64_t busy_until(const struct thinned_parts *parts, int64_t i)
{
    static const char *const whole[] = {"draw", "batch"};
    const struct log_value *durations = log_get(parts->sum, "durations");
    int64_t ns = 0;
    for (size_t a = 0; a < 2; a++) {
        const struct log_value *value = log_get(durations, whole[a]);
        size_t count = log_is(value, LOG_ARRAY) ? value->size : value != NULL;
        for (size_t k = 0; k < count; k++) {
            const struct thinned_duration of = duration_at(parts, "durations", whole[a], k);
            ns += duration_until(&of, i, parts->n);
        }
    }
    return ns;
}

/* Returns when the last of the steps ended. The time between steps is the same after each. */
static int64_t end_of(const struct log_value *line, const struct thinned_parts *parts)
{
    int64_t t = log_integer(line, "t", 0), from = log_integer(line, "from", t);
    int64_t between = t - from - busy_until(parts, parts->n);
    if (parts->end >= parts->n)
        return t;
    return from + busy_until(parts, parts->end) +
           even_until(between > 0 ? between : 0, parts->end, parts->n);
}

static void integer_put(struct swi_text *text, const char *key, int64_t value)
{
    swi_text_put(text, ",\"");
    swi_text_put(text, key);
    swi_text_put(text, "\":");
    swi_text_integer(text, value);
}

int64_t thinned_steps_first(const struct log_value *line)
{
    int64_t last = log_integer(line, "step", 0), first = log_integer(line, "first", last);
    return first >= 0 && first < last ? first : last;
}

/* Returns the number of step i. */
static int64_t number_of(const struct log_value *line, int64_t i, int64_t n)
{
    int64_t last = log_integer(line, "step", 0), first = thinned_steps_first(line);
    return first + (n > 1 ? even_until(last - first, i, n - 1) : 0);
}

static void steps_put(struct swi_text *text, const struct log_value *line, int64_t i, int64_t end,
                      int64_t n)
{
    const struct thinned_parts parts = {.sum = log_get(line, "sum"),
                                        .min = log_get(line, "min"),
                                        .max = log_get(line, "max"),
                                        .i = i,
                                        .end = end,
                                        .n = n};
    int64_t samples = log_integer(line, "samples", 0);
    swi_text_put(text, "{\"type\":\"step\"");
    integer_put(text, "t", end_of(line, &parts));
    integer_put(text, "step", number_of(line, end - 1, n));
    if (i == 0)
        integer_put(text, "of", n);
    if (end - i > 1) {
        integer_put(text, "first", number_of(line, i, n));
        integer_put(text, "steps", end - i);
    }
    swi_text_put(text, ",\"phase\":");
    swi_escape_json(text, log_string(line, "phase", "train"));
    integer_put(text, "samples", samples < 0 ? -1 : even_share(samples, i, end, n));
    swi_text_put(text, ",");
    parts_put(text, &parts);
    batch_self_put(text, &parts);
    swi_text_put(text, "}");
}

const char *thinned_steps_wrong(const struct log_value *line)
{
    int64_t count = log_integer(line, "steps", 0);
    if (count < 1 || count > STEPS_MOST)
        return "\"steps\" is not a number from 1 to 1000000";
    if (!log_is(log_get(log_get(line, "sum"), "durations"), LOG_OBJECT))
        return "\"steps\" without durations";
    return NULL;
}

bool thinned_steps_begin(struct thinned_steps *steps, const struct log_value *line)
{
    free(steps->line);
    steps->line = thinned_steps_wrong(line) ? NULL : log_value_copy(line);
    steps->next = 0;
    steps->count = steps->line ? log_integer(line, "steps", 0) : 0;
    return steps->line;
}

const struct log_value *thinned_steps_next(struct thinned_steps *steps)
{
    if (!thinned_steps_left(steps) || !steps->line)
        return NULL;
    int64_t i = steps->next, alike = steps->count - i;
    int64_t count = i < DIFFERENT || steps->one_by_one ? 1 : alike;
    steps->next += count;
    steps->text.size = 0;
    steps_put(&steps->text, steps->line, i, i + count, steps->count);
    bool failed = steps->text.failed;
    steps->text.failed = false;
    return failed ? NULL : log_line_parse(&steps->parsed, steps->text.data, steps->text.size);
}

int64_t thinned_steps_of(const struct log_value *line)
{
    int64_t steps = log_integer(line, "steps", 1);
    return steps < 1 ? 1 : steps < STEPS_MOST ? steps : STEPS_MOST;
}

void thinned_steps_free(struct thinned_steps *steps)
{
    free(steps->line);
    swi_text_free(&steps->text);
    log_line_free(&steps->parsed);
    *steps = (struct thinned_steps){0};
}
