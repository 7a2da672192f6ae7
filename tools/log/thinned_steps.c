/* SPDX-License-Identifier: MIT */
#include "tools/log/thinned_steps.h"

#include "sinks/common/step_fields.h"

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

/* A number of the log, by its key. */
struct divided_field {
    const char *key;
    bool inner;
    enum swi_field_divided divided;
};

/* Returns how a number is divided; NULL: the log has no such number. */
static const struct divided_field *field_find(const char *key)
{
#define NUMBER(key, is_inner, field, written, divided, replayed) {#key, is_inner, divided},
    static const struct divided_field fields[] = {SWI_STEP_FIELDS(NUMBER)};
#undef NUMBER
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

/* Returns what the steps have of number k of a list, or of what is there instead of a list. */
static int64_t time_share(const struct thinned_parts *parts, const struct divided_field *field,
                          const char *action, size_t k, const struct log_value *value)
{
    if (field->divided == SWI_AS_SELF)
        return self_share(parts, field->inner ? "inner" : "durations", action, k, whole_of(value));
    const struct thinned_duration of = duration_at(parts, field->key, action, k);
    return duration_share(&of, parts->i, parts->end, parts->n);
}

/* What was inside of it is still behind it, and passed over. */
static void integer_set(struct log_value *value, int64_t integer)
{
    value->kind = LOG_INTEGER;
    value->size = 0;
    value->integer = integer;
}

static void times_take(struct log_value *value, const struct thinned_parts *parts,
                       const struct divided_field *field, const char *action)
{
    struct log_value *v = value + 1;
    if (!log_is(value, LOG_ARRAY))
        integer_set(value, time_share(parts, field, action, 0, value));
    else
        for (size_t k = 0; k < value->size; k++, v += v->span)
            integer_set(v, time_share(parts, field, action, k, v));
}

/* Each counter has its share; a text is as it was. */
static void evenly_take(struct log_value *value, const struct thinned_parts *parts)
{
    for (struct log_value *v = value; v < value + value->span; v++) {
        if (v->kind == LOG_INTEGER)
            v->integer = even_share(v->integer, parts->i, parts->end, parts->n);
        else if (v->kind != LOG_ARRAY && v->kind != LOG_STRING)
            v->kind = LOG_NULL;
    }
}

/* Makes a copy of a member of the sums that of the steps. */
static void member_take(struct log_value *key, const struct thinned_parts *parts)
{
    struct log_value *value = key + 1;
    const struct divided_field *field = field_find(key->text);
    const struct thinned_parts drawn = {.sum = log_get(parts->sum, key->text),
                                        .min = log_get(parts->min, key->text),
                                        .max = log_get(parts->max, key->text),
                                        .i = parts->i,
                                        .end = parts->end,
                                        .n = parts->n,
                                        .drawn = true};
    if (!log_is(value, LOG_OBJECT)) {
        value->kind = LOG_NULL;
        return;
    }
    for (struct log_value *k = value + 1; k < value + value->span; k += 1 + k[1].span) {
        if (strcmp(key->text, "in_draw") == 0)
            member_take(k, &drawn);
        else if (field && field->divided != SWI_EVENLY)
            times_take(k + 1, parts, field, k->text);
        else
            evenly_take(k + 1, parts);
    }
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
    int64_t t = log_time(line, "t", 0), from = log_time(line, "from", t);
    int64_t between = t - from - busy_until(parts, parts->n);
    if (parts->end >= parts->n)
        return t;
    return from + busy_until(parts, parts->end) +
           even_until(between > 0 ? between : 0, parts->end, parts->n);
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

/* The members of a step besides those of the sums. */
enum { OWN_MEMBERS = 8 };

/* Adds a key. Returns its value, to be filled in. */
static struct log_value *member_add(struct log_value *step, const char *key)
{
    struct log_value *at = step + step->span;
    size_t size = strlen(key);
    *at = (struct log_value){
        .kind = LOG_STRING, .mark = log_key_mark(key, size), .size = size, .span = 1, .text = key};
    at[1] = (struct log_value){.span = 1};
    step->size++;
    step->span += 2;
    step->marks |= UINT64_C(1) << at->mark;
    return at + 1;
}

static void integer_add(struct log_value *step, const char *key, int64_t integer)
{
    integer_set(member_add(step, key), integer);
}

static void sums_add(struct log_value *step, const struct thinned_parts *parts)
{
    for (const struct log_value *k = log_first_key(parts->sum); k && step->size + 1 < LOG_FEW;
         k = log_next_key(parts->sum, k)) {
        struct log_value *key = step + step->span;
        if (!log_is(k + 1, LOG_OBJECT))
            continue;
        memcpy(key, k, (1 + k[1].span) * sizeof *key);
        member_take(key, parts);
        key->mark = log_key_mark(k->text, k->size); /* the keys of a large object have none */
        step->size++;
        step->span += 1 + k[1].span;
        step->marks |= UINT64_C(1) << key->mark;
    }
}

/* The largest times of a batch and of what ran in it may be of different steps, so what is left for
 * the batch itself is its share of that of all steps. */
static void batch_self_add(struct log_value *step, const struct thinned_parts *parts)
{
    const struct log_value *durations = log_get(parts->sum, "durations");
    const struct log_value *batch = log_get(durations, "batch");
    int64_t self = log_ns_sum(batch) - log_selves_sum(durations, log_get(parts->sum, "self")) -
                   log_selves_sum(log_get(parts->sum, "inner"), log_get(parts->sum, "inner_self"));
    if (log_is(batch, LOG_INTEGER) && self >= 0)
        integer_add(step, "batch_self", self_share(parts, "durations", "batch", 0, self));
}

static void step_make(struct log_value *step, const struct log_value *line, int64_t i, int64_t end,
                      int64_t n)
{
    const struct thinned_parts parts = {.sum = log_get(line, "sum"),
                                        .min = log_get(line, "min"),
                                        .max = log_get(line, "max"),
                                        .i = i,
                                        .end = end,
                                        .n = n};
    const struct log_value *phase = log_get(line, "phase");
    int64_t samples = log_integer(line, "samples", 0);
    *step = (struct log_value){.kind = LOG_OBJECT, .type = LINE_STEP, .span = 1};
    integer_add(step, "t", end_of(line, &parts));
    integer_add(step, "step", number_of(line, end - 1, n));
    if (i == 0)
        integer_add(step, "of", n);
    if (end - i > 1) {
        integer_add(step, "first", number_of(line, i, n));
        integer_add(step, "steps", end - i);
    }
    if (log_is(phase, LOG_STRING))
        *member_add(step, "phase") = *phase;
    integer_add(step, "samples", samples < 0 ? -1 : even_share(samples, i, end, n));
    sums_add(step, &parts);
    batch_self_add(step, &parts);
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
    bool one_by_one = steps->one_by_one;
    size_t room = line ? line->span + 2 * OWN_MEMBERS : 0;
    thinned_steps_free(steps);
    steps->one_by_one = one_by_one;
    if (thinned_steps_wrong(line))
        return false;
    steps->line = log_value_copy(line);
    steps->step = malloc(room * sizeof *steps->step);
    steps->count = steps->line && steps->step ? log_integer(line, "steps", 0) : 0;
    return steps->count;
}

const struct log_value *thinned_steps_next(struct thinned_steps *steps)
{
    if (!thinned_steps_left(steps))
        return NULL;
    int64_t i = steps->next, alike = steps->count - i;
    int64_t count = i < DIFFERENT || steps->one_by_one ? 1 : alike;
    steps->next += count;
    step_make(steps->step, steps->line, i, i + count, steps->count);
    return steps->step;
}

int64_t thinned_steps_of(const struct log_value *line)
{
    int64_t steps = log_integer(line, "steps", 1);
    return steps < 1 ? 1 : steps < STEPS_MOST ? steps : STEPS_MOST;
}

void thinned_steps_free(struct thinned_steps *steps)
{
    free(steps->line);
    free(steps->step);
    *steps = (struct thinned_steps){0};
}
