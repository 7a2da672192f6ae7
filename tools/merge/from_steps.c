/* SPDX-License-Identifier: MIT */
/* The steps that all logs have are known only after all logs are read. So the steps of the smallest
 * log are assumed first, because a rank that was killed has the smallest log. Usually this is
 * right, and each log is read once. Otherwise all are read again. */
#include "tools/merge/from_steps.h"
#include "tools/merge/step_line.h"
#include "tools/merge/which_logs.h"

#include <string.h>

struct step_reading {
    struct merged *merged;
    const struct rank_log *log;
    struct step_line line;
    struct step_set own[2]; /* steps of this log: of validation, of training */
    struct step_set any[2]; /* steps that at least one log has */
    int64_t steps;          /* of this log */
    bool seen[2];           /* a common step of each was seen */
    bool counts_only;       /* the assumption was wrong, so durations are not used */
};

/* Takes a line. Returns whether it is a finished step. */
static bool line_take(struct step_reading *reading, const struct log_value *line,
                      enum line_result *result)
{
    bool fine = step_line_take(&reading->line, &reading->merged->names, line);
    *result = fine ? LINE_FINE : LINE_STOP;
    return fine && reading->line.samples >= 0;
}

/* Counts a step. Returns how many with this number the log had before. */
static int64_t step_count(struct step_reading *reading)
{
    bool train = reading->line.phase == NAME_TRAIN;
    reading->steps++;
    return step_set_add(&reading->own[train], reading->line.step);
}

/* ---- durations ---- */

static void row_call(struct step_reading *reading, int action, int shape, int64_t ns, bool inner)
{
    struct merged_row *row =
        merged_rows_get(&reading->merged->rows, reading->line.phase, action, shape);
    if (row && inner)
        merged_row_inner(row, ns);
    else if (row)
        merged_row_call(row, ns);
}

static void rows_add(struct step_reading *reading)
{
    const struct step_line *line = &reading->line;
    int64_t draw = 0, batch = 0;
    bool has_draw = false, has_batch = false;
    for (size_t i = 0; i < line->count; i++) {
        const struct step_call *call = &line->call[i];
        row_call(reading, call->action, call->shape, call->ns, call->inner);
        draw += call->action == NAME_DRAW ? call->ns : 0;
        batch += call->action == NAME_BATCH ? call->ns : 0;
        has_draw = has_draw || call->action == NAME_DRAW;
        has_batch = has_batch || call->action == NAME_BATCH;
    }
    if (has_draw && has_batch)
        row_call(reading, NAME_STEP, SHAPE_NONE, draw + batch, false);
}

static void uses_add(struct step_reading *reading)
{
    struct rank_uses *uses = &reading->merged->uses;
    const struct step_line *line = &reading->line;
    for (size_t i = 0; i < line->uses; i++) {
        const struct step_use *use = &line->use[i];
        const struct merged_counter *counter = rank_uses_at(uses, use->counter);
        if (!counter)
            continue;
        rank_uses_add(uses, line->phase, use->action, counter, use->total);
        if (use->action == NAME_DRAW || use->action == NAME_BATCH)
            rank_uses_add(uses, line->phase, NAME_STEP, counter, use->total);
    }
}

static enum line_result counter_read(void *arg, const struct log_value *line)
{
    struct step_reading *reading = arg;
    struct merged *merged = reading->merged;
    bool fine = rank_uses_name(&merged->uses, &merged->names, line);
    merged->uses.rows.failed = merged->uses.rows.failed || !fine;
    return fine ? LINE_FINE : LINE_STOP;
}

/* Adds what the balance and the search need of a training step. */
static void column_add(struct step_reading *reading, size_t column)
{
    const struct step_line *line = &reading->line;
    struct merged *merged = reading->merged;
    int64_t batch = 0, inner = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct step_call *call = &line->call[i];
        if (call->inner)
            continue;
        if (call->action == NAME_BATCH) {
            batch += call->ns;
            continue;
        }
        inner += call->action == NAME_DRAW ? 0 : call->ns;
        columns_put(&merged->columns, call->action, column, (double)call->ns,
                    merged_waits(merged, call->action));
    }
    columns_put(&merged->columns, NAME_BATCH, column, batch > inner ? (double)(batch - inner) : 0,
                false);
}

static enum line_result step_read(void *arg, const struct log_value *line)
{
    struct step_reading *reading = arg;
    struct merged *merged = reading->merged;
    enum line_result result;
    if (!line_take(reading, line, &result))
        return result;
    int64_t times = step_count(reading);
    if (reading->counts_only)
        return LINE_FINE;
    bool train = reading->line.phase == NAME_TRAIN;
    const struct step_range *range = step_set_find(&merged->common[train], reading->line.step);
    if (!range || range->times <= times)
        return LINE_FINE;
    if (reading->seen[train] || !reading->log->drop_first_batch) {
        rows_add(reading);
        uses_add(reading);
    }
    reading->seen[train] = true;
    if (train && times == 0)
        column_add(reading, range->column + (size_t)(reading->line.step - range->first));
    bool failed = merged->rows.failed || merged->columns.failed || merged->uses.rows.failed;
    return failed ? LINE_STOP : LINE_FINE;
}

/* ---- one log ---- */

static enum line_result step_look(void *arg, const struct log_value *line)
{
    enum line_result result;
    if (line_take(arg, line, &result))
        step_count(arg);
    return result;
}

static void reading_begin(struct step_reading *reading, const struct rank_log *log)
{
    reading->log = log;
    reading->steps = 0;
    reading->seen[0] = reading->seen[1] = false;
    step_set_clear(&reading->own[0]);
    step_set_clear(&reading->own[1]);
}

static bool is_out_of_memory(const struct step_reading *reading)
{
    const struct merged *merged = reading->merged;
    return reading->line.failed || merged->rows.failed || merged->uses.rows.failed ||
           merged->columns.failed || reading->own[0].failed || reading->own[1].failed ||
           reading->any[0].failed || reading->any[1].failed || merged->common[0].failed ||
           merged->common[1].failed;
}

static int memory_check(const struct step_reading *reading, struct sw_error *err)
{
    if (!is_out_of_memory(reading))
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the steps");
}

static int log_read(struct step_reading *reading, struct rank_log *log, log_line_fn *step,
                    struct sw_error *err)
{
    const struct wanted_lines lines = {.step = step, .counter = counter_read, .arg = reading};
    reading_begin(reading, log);
    if (!rank_uses_begin(&reading->merged->uses, &reading->merged->names, log->counters))
        reading->merged->uses.rows.failed = true;
    int rc = rank_log_read(log, &lines, 0, err);
    return rc < 0 ? rc : memory_check(reading, err);
}

/* ---- the steps that all have ---- */

/* Removes a log without steps: its process was killed before it finished one. */
static void empty_leave_out(struct merged *merged, size_t index)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: has no finished step", merged->log[index].path);
    log_leave_out(merged, &merged->log[index], text);
    merged->count--;
    memmove(&merged->log[index], &merged->log[index + 1],
            (merged->count - index) * sizeof *merged->log);
}

static size_t smallest_of(const struct merged *merged)
{
    size_t smallest = 0;
    for (size_t i = 1; i < merged->count; i++)
        if (merged->log[i].size < merged->log[smallest].size)
            smallest = i;
    return smallest;
}

/* Assumes the steps of the smallest log that has some. */
static int common_guess(struct step_reading *reading, struct sw_error *err)
{
    struct merged *merged = reading->merged;
    while (merged->count) {
        size_t smallest = smallest_of(merged);
        int rc = log_read(reading, &merged->log[smallest], step_look, err);
        if (rc < 0)
            return rc;
        if (reading->steps)
            break;
        empty_leave_out(merged, smallest);
    }
    if (!merged->count)
        return sw_error_set(err, SW_EFORMAT, "no log has a finished step");
    for (int i = 0; i < 2; i++) {
        merged->common[i] = reading->own[i];
        reading->own[i] = (struct step_set){0};
    }
    return 0;
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
    merged_rows_free(&merged->rows);
    merged->rows.first = -1;
    merged->rows.nodes = merged->by_node ? merged->nodes : 0;
    merged_rows_free(&merged->uses.rows);
    merged->uses.rows.first = -1;
    merged->uses.rows.nodes = merged->rows.nodes;
    columns_free(&merged->columns);
    step_set_number(&merged->common[0]);
    size_t columns = step_set_number(&merged->common[1]);
    merged->steps = (int64_t)columns;
    return columns_make(&merged->columns, columns, 1, merged->count, merged->names.texts.count);
}

static int all_read(struct step_reading *reading, struct sw_error *err)
{
    struct merged *merged = reading->merged;
    reading->counts_only = false;
    if (!tables_make(merged))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the steps");
    for (size_t i = 0; i < merged->count; i++) {
        int rc = log_read(reading, &merged->log[i], step_read, err);
        if (rc < 0)
            return rc;
        if (!reading->steps) {
            empty_leave_out(merged, i--);
            continue;
        }
        reading->counts_only = common_check(reading) || reading->counts_only;
        for (int k = 0; k < 2; k++)
            step_set_unite(&reading->any[k], &reading->own[k]);
        merged_rows_fold(&merged->rows, merged->log[i].rank, merged->log[i].node);
        merged_rows_fold(&merged->uses.rows, merged->log[i].rank, merged->log[i].node);
        columns_fold(&merged->columns);
    }
    return 0;
}

int merge_steps(struct merged *merged, struct sw_error *err)
{
    struct step_reading reading = {.merged = merged, .line = {.by_shape = merged->by_shape}};
    int rc = common_guess(&reading, err);
    if (rc == 0)
        rc = all_read(&reading, err);
    if (rc == 0 && reading.counts_only)
        rc = all_read(&reading, err);
    if (rc == 0)
        rc = memory_check(&reading, err);
    merged->block = (int64_t)merged->columns.block;
    merged->left_out = 0;
    for (int i = 0; i < 2; i++) {
        merged->left_out += step_set_steps(&reading.any[i]) - step_set_steps(&merged->common[i]);
        step_set_free(&reading.own[i]);
        step_set_free(&reading.any[i]);
    }
    step_line_free(&reading.line);
    return rc;
}
