/* SPDX-License-Identifier: MIT */
/* The steps that all logs have are known only after all logs are read. So the steps of the smallest
 * log are assumed first, because a rank that was killed has the smallest log. Usually this is
 * right, and each log is read once. Otherwise all are read again. */
#include "core/text/vec.h"
#include "tools/merge/merged.h"

#include <stdlib.h>
#include <string.h>

/* ---- the line of a step ---------------------------------------------------------------------- */

/* One call of an action. */
struct step_call {
    int action;
    int shape; /* number of the text; SHAPE_NONE: none, or shapes are not wanted */
    int64_t ns;
    bool inner; /* inside a call of the same action */
};
enum { SHAPE_NONE = -1 };

/* What a call used of a counter, by its number in the log. */
struct step_use {
    int action;
    size_t counter;
    int64_t total;
};

/* Initialise it as {0}. It is reused for each line, to reuse its memory. */
struct step_line {
    struct merged *merged; /* for names */
    int64_t step, samples;
    int64_t first, steps; /* it stands for so many, with the numbers from `first` to `step` */
    int phase;
    size_t count, room;
    struct step_call *call; /* calls of the same action follow each other */
    size_t uses, uses_room;
    struct step_use *use; /* those that are known, in the order of the line */
};

static int name_of(struct step_line *step, const struct log_value *text)
{
    return merged_number(step->merged, text->text, text->size);
}

static void call_put(struct step_line *step, int action, int64_t ns, bool inner)
{
    bool fits = step->count < step->room ||
                swi_vec_grow(&step->call, step->count, &step->room, sizeof *step->call);
    step->merged->failed |= !fits;
    if (fits && action >= 0)
        step->call[step->count++] = (struct step_call){action, SHAPE_NONE, ns, inner};
}

/* Takes a number, or a list of numbers. What is not a number counts as a call of no duration. */
static void durations_take(struct step_line *step, const struct log_value *durations, bool inner)
{
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        int action = name_of(step, k);
        if (!log_is(k + 1, LOG_ARRAY))
            call_put(step, action, log_ns(k + 1), inner);
        for (const struct log_value *v = log_first(k + 1); v; v = log_after(k + 1, v))
            call_put(step, action, log_ns(v), inner);
    }
}

/* Sets the shape of call `index`, if that is a call of the action. */
static void shape_set(struct step_line *step, int action, size_t index,
                      const struct log_value *shape)
{
    if (log_is(shape, LOG_STRING) && shape->size && index < step->count &&
        step->call[index].action == action)
        step->call[index].shape = name_of(step, shape);
}

/* Takes the shape of a call, or a list with one for each call of the action. */
static void shapes_take(struct step_line *step, const struct log_value *shapes)
{
    for (const struct log_value *k = log_first_key(shapes); k; k = log_next_key(shapes, k)) {
        int action = name_of(step, k);
        size_t index = 0;
        while (index < step->count && step->call[index].action != action)
            index++;
        shape_set(step, action, index, k + 1);
        for (const struct log_value *v = log_first(k + 1); v; v = log_after(k + 1, v))
            shape_set(step, action, index++, v);
    }
}

/* ---- counters ---- */

static void use_put(struct step_line *step, int action, size_t counter, int64_t total)
{
    bool fits = swi_vec_grow(&step->use, step->uses, &step->uses_room, sizeof *step->use);
    step->merged->failed |= !fits;
    if (fits)
        step->use[step->uses++] = (struct step_use){action, counter, total};
}

static bool is_number(const struct log_value *value)
{
    return log_is(value, LOG_INTEGER) || log_is(value, LOG_REAL);
}

/* Returns whether a list is [total, self], and not a list of these. null: it could not be read. */
static bool is_pair(const struct log_value *list)
{
    const struct log_value *total = log_at(list, 0);
    return is_number(total) ||
           (log_is(total, LOG_NULL) && log_is(log_at(list, 1), LOG_NULL) && list->size == 2);
}

/* A list with a pair or null for each counter, or a list of these, one for each call. */
static void uses_take(struct step_line *step, int action, const struct log_value *uses, int depth)
{
    size_t i = 0;
    for (const struct log_value *use = log_first(uses); use; use = log_after(uses, use), i++) {
        if (is_pair(use) && is_number(use + 1))
            use_put(step, action, i, log_whole(use + 1));
        else if (!is_pair(use) && depth == 0)
            uses_take(step, action, use, 1);
    }
}

/* Takes a line. Returns whether it is a finished step. */
static bool step_line_take(struct step_line *step, const struct log_value *line)
{
    const struct log_value *phase = log_get(line, "phase"), *counters = log_get(line, "counters");
    step->step = log_is(log_get(line, "step"), LOG_INTEGER) ? log_step(line) : -1;
    step->samples = log_integer(line, "samples", 0);
    step->steps = thinned_steps_of(line);
    step->first = thinned_steps_first(line);
    if (step->steps == 1 || step->first > step->step)
        step->first = step->step;
    step->count = 0;
    step->uses = 0;
    step->phase = log_is(phase, LOG_STRING) ? name_of(step, phase) : NAME_TRAIN;
    durations_take(step, log_get(line, "durations"), false);
    durations_take(step, log_get(line, "inner"), true);
    for (const struct log_value *k = log_first_key(counters); k; k = log_next_key(counters, k))
        uses_take(step, name_of(step, k), k + 1, 0);
    if (step->merged->by_shape)
        shapes_take(step, log_get(line, "shapes"));
    return step->samples >= 0;
}

/* ---- what it adds ---------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

struct step_reading {
    struct merged *merged;
    struct rank_log *log;
    struct step_line line;
    struct step_set own[2]; /* steps of this log: of validation, of training */
    struct step_set any[2]; /* steps that at least one log has */
    int64_t steps;          /* of this log */
    bool seen[2];           /* a common step of each was seen */
    bool counts_only;       /* the common steps are not known yet, or were assumed wrongly */
};

/* Some of the steps that a line stands for, from `from` up to `to`: they have the same number, or
 * numbers from `number` on. */
struct some_steps {
    int64_t from, to, number;
    bool same;
    int64_t before; /* how many with this number the log had before */
};
/* Returns what some of the steps have of a sum. */
static int64_t share_of(const struct step_reading *reading, int64_t sum,
                        const struct some_steps *some)
{
    int64_t count = reading->line.steps;
    if (count == 1)
        return sum;
    return (int64_t)((wide)sum * some->to / count - (wide)sum * some->from / count);
}

/* ---- durations ---- */

static void row_call(struct step_reading *reading, int action, int shape, int64_t ns, int64_t calls,
                     bool inner)
{
    struct merged_row *row = merged_row(reading->merged, reading->line.phase, action, shape);
    if (row)
        merged_row_calls(row, ns, calls, inner);
}

static void rows_add(struct step_reading *reading, const struct some_steps *some)
{
    const struct step_line *line = &reading->line;
    int64_t draw = 0, batch = 0, steps = some->to - some->from;
    bool has_draw = false, has_batch = false;
    for (size_t i = 0; i < line->count; i++) {
        const struct step_call *call = &line->call[i];
        int64_t ns = share_of(reading, call->ns, some);
        row_call(reading, call->action, call->shape, ns, steps, call->inner);
        draw += call->action == NAME_DRAW ? ns : 0;
        batch += call->action == NAME_BATCH ? ns : 0;
        has_draw = has_draw || call->action == NAME_DRAW;
        has_batch = has_batch || call->action == NAME_BATCH;
    }
    if (has_draw && has_batch)
        row_call(reading, NAME_STEP, SHAPE_NONE, draw + batch, steps, false);
}

/* A peak is there once for each step. */
static void uses_add(struct step_reading *reading, const struct some_steps *some)
{
    const struct rank_uses *uses = &reading->merged->uses;
    const struct step_line *line = &reading->line;
    int64_t steps = some->to - some->from;
    for (size_t i = 0; i < line->uses; i++) {
        const struct step_use *use = &line->use[i];
        if (use->counter >= uses->named)
            continue;
        const struct merged_counter *counter = &uses->counter[uses->order[use->counter]];
        int64_t total =
            counter->peak ? use->total / line->steps : share_of(reading, use->total, some);
        merged_uses_add(reading->merged, line->phase, use->action, counter, total, steps);
        if (use->action == NAME_DRAW || use->action == NAME_BATCH)
            merged_uses_add(reading->merged, line->phase, NAME_STEP, counter, total, steps);
    }
}

/* Adds what the balance and the search need of training steps. */
static void columns_add(struct step_reading *reading, size_t column, size_t count,
                        const struct some_steps *some)
{
    const struct step_line *line = &reading->line;
    struct merged *merged = reading->merged;
    double steps = (double)(some->to - some->from);
    int64_t batch = 0, inner = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct step_call *call = &line->call[i];
        if (call->inner)
            continue;
        int64_t ns = share_of(reading, call->ns, some);
        if (call->action == NAME_BATCH) {
            batch += ns;
            continue;
        }
        inner += call->action == NAME_DRAW ? 0 : ns;
        columns_put(merged, call->action, column, count, (double)ns / steps);
    }
    columns_put(merged, NAME_BATCH, column, count,
                batch > inner ? (double)(batch - inner) / steps : 0);
}

/* Adds steps that all logs have, with numbers of one range or with one number. */
static void common_add(struct step_reading *reading, const struct step_range *range,
                       const struct some_steps *some)
{
    bool train = reading->line.phase == NAME_TRAIN;
    struct some_steps timed = *some;
    if (!reading->seen[train] && reading->log->drop_first_batch)
        timed.from++;
    reading->seen[train] = true;
    if (timed.from < timed.to) {
        rows_add(reading, &timed);
        uses_add(reading, &timed);
    }
    if (train && some->before == 0)
        columns_add(reading, range->column + (size_t)(some->number - range->first),
                    some->same ? 1 : (size_t)(some->to - some->from), some);
}

static void some_take(struct step_reading *reading, const struct some_steps *some)
{
    if (reading->counts_only)
        return;
    struct step_set *common = &reading->merged->common[reading->line.phase == NAME_TRAIN];
    const struct step_range *range = some->same ? step_set_find(common, some->number) : NULL;
    int64_t left = range ? range->times - some->before : 0;
    struct some_steps part = *some;
    if (left > 0) {
        part.to = part.to - part.from > left ? part.from + left : part.to;
        common_add(reading, range, &part);
    }
    int64_t last = some->number + some->to - some->from - 1;
    while (!some->same && part.number <= last) {
        int64_t count = step_set_alike(common, part.number, last, &range);
        part.to = part.from + count;
        if (range)
            common_add(reading, range, &part);
        part.from = part.to;
        part.number += count;
    }
}

/* Counts the steps of a line, and takes them if the common steps are known. */
static void steps_take(struct step_reading *reading)
{
    const struct step_line *line = &reading->line;
    struct step_set *own = &reading->own[line->phase == NAME_TRAIN];
    int64_t count = line->steps, numbers = line->step - line->first;
    struct some_steps some = {.to = count, .number = line->first, .same = numbers == 0};
    reading->steps += count;
    if (some.same)
        some.before = step_set_add(own, line->step, count);
    if (some.same || (numbers + 1 == count && step_set_append(own, line->first, line->step))) {
        some_take(reading, &some);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        some = (struct some_steps){
            i, i + 1, line->first + (int64_t)((wide)numbers * i / (count - 1)), true, 0};
        some.before = step_set_add(own, some.number, 1);
        some_take(reading, &some);
    }
}

/* ---- one log ---- */

static bool line_take(void *arg, enum line_type type, const struct log_value *line)
{
    struct step_reading *reading = arg;
    if (type != LINE_STEP)
        return true;
    reading->log->marks |= log_get(line, "of") ? LOG_THINNED : 0;
    if (step_line_take(&reading->line, line))
        steps_take(reading);
    return true;
}

static int memory_check(const struct step_reading *reading, struct sw_error *err)
{
    for (int i = 0; i < 2; i++)
        if (reading->own[i].failed || reading->any[i].failed || reading->merged->common[i].failed)
            return sw_error_set(err, SW_ENOMEM, "not enough memory for the steps");
    return 0;
}

static int log_read(struct step_reading *reading, struct rank_log *log, struct sw_error *err)
{
    reading->log = log;
    reading->steps = 0;
    for (int i = 0; i < 2; i++) {
        reading->seen[i] = false;
        step_set_clear(&reading->own[i]);
    }
    int rc = rank_log_read(reading->merged, log, line_take, reading, 0, err);
    return rc < 0 ? rc : memory_check(reading, err);
}

/* ---- the steps that all have ---- */

/* Leaves out a log without steps: its process was killed before it finished one. */
static void empty_leave_out(struct merged *merged, struct rank_log *log)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: has no finished step", log->path);
    log_leave_out(merged, log, text);
}

/* Returns the first of the smallest logs that were not left out, or NULL. */
static struct rank_log *smallest_of(const struct merged *merged)
{
    struct rank_log *smallest = NULL;
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].path && (!smallest || merged->log[i].size < smallest->size))
            smallest = &merged->log[i];
    return smallest;
}

/* Assumes the steps of the smallest log that has some. */
static int common_guess(struct step_reading *reading, struct sw_error *err)
{
    struct merged *merged = reading->merged;
    struct rank_log *smallest;
    while ((smallest = smallest_of(merged))) {
        int rc = log_read(reading, smallest, err);
        if (rc < 0)
            return rc;
        if (reading->steps)
            break;
        empty_leave_out(merged, smallest);
    }
    logs_compact(merged);
    for (int i = 0; i < 2; i++) {
        merged->common[i] = reading->own[i];
        reading->own[i] = (struct step_set){0};
    }
    return smallest ? 0 : sw_error_set(err, SW_EFORMAT, "no log has a finished step");
}

/* Returns whether the assumed common steps were wrong. */
static bool common_check(struct step_reading *reading)
{
    struct merged *merged = reading->merged;
    bool changed = step_set_intersect(&merged->common[0], &reading->own[0]);
    return step_set_intersect(&merged->common[1], &reading->own[1]) || changed;
}

/* ---- all logs ---- */

static bool tables_make(struct merged *merged)
{
    merged_rows_begin(merged);
    step_set_number(&merged->common[0]);
    size_t columns = step_set_number(&merged->common[1]);
    merged->ranks.steps = (int64_t)columns;
    return columns_make(merged, columns, 1, merged->names.count);
}

static int all_read(struct step_reading *reading, struct sw_error *err)
{
    struct merged *merged = reading->merged;
    reading->counts_only = false;
    if (!tables_make(merged))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the steps");
    for (size_t i = 0; i < merged->count; i++) {
        int rc = log_read(reading, &merged->log[i], err);
        if (rc < 0)
            return rc;
        if (!reading->steps) {
            empty_leave_out(merged, &merged->log[i]);
            continue;
        }
        reading->counts_only = common_check(reading) || reading->counts_only;
        for (int k = 0; k < 2; k++)
            step_set_unite(&reading->any[k], &reading->own[k]);
        merged_rows_fold(merged, &merged->log[i]);
        columns_fold(&merged->columns);
    }
    logs_compact(merged);
    return 0;
}

int merge_steps(struct merged *merged, struct sw_error *err)
{
    struct step_reading reading = {
        .merged = merged, .line = {.merged = merged}, .counts_only = true};
    int rc = common_guess(&reading, err);
    if (rc == 0)
        rc = all_read(&reading, err);
    if (rc == 0 && reading.counts_only)
        rc = all_read(&reading, err);
    if (rc == 0)
        rc = memory_check(&reading, err);
    merged->ranks.block = (int64_t)merged->columns.block;
    merged->left_out = 0;
    for (int i = 0; i < 2; i++) {
        merged->left_out += step_set_steps(&reading.any[i]) - step_set_steps(&merged->common[i]);
        step_set_free(&reading.own[i]);
        step_set_free(&reading.any[i]);
    }
    free(reading.line.call);
    free(reading.line.use);
    return rc;
}
