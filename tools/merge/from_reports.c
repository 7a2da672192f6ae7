/* SPDX-License-Identifier: MIT */
#include "core/text/vec.h"
#include "tools/merge/merged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the line with the blocks of training steps in a summary --------------------------------- */

/* The sums of one action. */
struct block_action {
    int name;
    size_t offset, count; /* of its values */
};

/* Initialise it as {0}. It is reused for each line, to reuse its memory. */
struct block_line {
    struct block_shape shape;
    size_t count, room; /* of actions */
    struct block_action *action;
    size_t values, values_room;
    double *value;
    struct block_action steps; /* how many steps each block has */
    bool failed;               /* out of memory */
};

static void value_put(struct block_line *line, double value)
{
    bool fits = swi_vec_grow(&line->value, line->values, &line->values_room, sizeof value);
    line->failed |= !fits;
    if (fits)
        line->value[line->values++] = value;
}

static struct block_action values_take(struct block_line *line, int name,
                                       const struct log_value *values)
{
    struct block_action action = {.name = name, .offset = line->values};
    for (const struct log_value *v = log_first(values); v; v = log_after(values, v))
        value_put(line, (double)log_whole(v));
    action.count = line->values - action.offset;
    return action;
}

static void action_put(struct block_line *line, struct block_action action)
{
    bool fits = swi_vec_grow(&line->action, line->count, &line->room, sizeof action);
    line->failed |= !fits;
    if (fits)
        line->action[line->count++] = action;
}

/* Returns false if the line is damaged, or if out of memory. */
static bool block_line_take(struct block_line *line, struct merged *merged,
                            const struct log_value *of)
{
    const struct log_value *durations = log_get(of, "durations");
    line->count = line->values = 0;
    line->shape = block_shape_of(of);
    line->steps = values_take(line, NAME_STEP, log_get(of, "steps"));
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        int name = merged_number(merged, k->text, k->size);
        line->failed = line->failed || name < 0;
        if (log_is(k + 1, LOG_ARRAY))
            action_put(line, values_take(line, name, k + 1));
    }
    return !line->failed && line->shape.width > 0;
}

/* Adds up the blocks of one action that belong to the same wider block. */
static void values_fold(struct block_line *line, struct block_action *action, int64_t fold)
{
    size_t last = 0;
    if (!line->value)
        return;
    double *value = line->value + action->offset;
    for (size_t i = 0; i < action->count; i++) {
        size_t to = (size_t)((line->shape.first + (int64_t)i) / fold - line->shape.first / fold);
        double ns = value[i];
        value[to] = (to == last && i > 0 ? value[to] : 0) + ns;
        last = to;
    }
    action->count = action->count ? last + 1 : 0;
}

/* Makes the blocks wider. width must be a multiple of theirs. */
static void block_line_fold(struct block_line *line, int64_t width)
{
    int64_t fold = line->shape.width > 0 ? width / line->shape.width : 1;
    if (fold <= 1)
        return;
    values_fold(line, &line->steps, fold);
    for (size_t i = 0; i < line->count; i++)
        values_fold(line, &line->action[i], fold);
    line->shape.first /= fold;
    line->shape.width = width;
    line->shape.count = (int64_t)line->steps.count;
}

/* Returns the value of a block, counted from 0; 0 if there is no such block. */
static double value_at(const struct block_line *line, const struct block_action *action,
                       int64_t block)
{
    bool there = block >= 0 && (uint64_t)block < action->count;
    return there ? line->value[action->offset + (size_t)block] : 0;
}

/* ---- the reports of a log -------------------------------------------------------------------- */

/* Only the end of a large log is read, where the report of its only fit usually is. */
enum { TAIL = 64 << 10, LARGE = 1 << 20 };

/* The last report of a fit. It includes the rows of earlier reports of that fit. */
struct kept_report {
    int64_t fit;
    struct log_value *line;
};

struct report_reading {
    struct merged *merged;
    struct swi_map fits;
    struct kept_report *report; /* by the number of the fit */
    double step_ns, wait_ns;    /* totals of this rank's training */
    double longest;             /* of all ranks: the largest total of steps */
    double work_sum, work_max;
    struct block_line blocks; /* the line of this rank's blocks */
    bool has_blocks;          /* all ranks have blocks of the same steps */
    bool failed;              /* out of memory */
};

/* ---- lines ---- */

static struct kept_report *report_of(struct report_reading *reading, int64_t fit)
{
    size_t before = reading->fits.count;
    struct kept_report *report =
        swi_map_item(&reading->fits, &reading->report, sizeof *report, &fit, sizeof fit);
    if (report && reading->fits.count > before)
        report->fit = fit;
    return report;
}

static enum line_result report_take(void *arg, const struct log_value *line)
{
    struct report_reading *reading = arg;
    int64_t fit = log_integer(line, "fit", 1);
    if (fit < 0)
        return LINE_DAMAGED;
    struct kept_report *report = report_of(reading, fit);
    struct log_value *copy = report ? log_value_copy(line) : NULL;
    reading->failed = reading->failed || !copy;
    if (!copy)
        return LINE_STOP;
    free(report->line);
    report->line = copy;
    return LINE_FINE;
}

static enum line_result blocks_take(void *arg, const struct log_value *line)
{
    struct report_reading *reading = arg;
    bool fine = block_line_take(&reading->blocks, reading->merged, line);
    reading->failed = reading->failed || reading->blocks.failed;
    return fine ? LINE_FINE : reading->failed ? LINE_STOP : LINE_DAMAGED;
}

static enum line_result counter_take(void *arg, const struct log_value *line)
{
    struct report_reading *reading = arg;
    bool fine = merged_uses_name(reading->merged, line);
    reading->failed = reading->failed || !fine;
    return fine ? LINE_FINE : LINE_STOP;
}

static void reports_forget(struct report_reading *reading)
{
    for (size_t i = 0; i < reading->fits.count; i++)
        free(reading->report[i].line);
    free(reading->report);
    reading->report = NULL;
    swi_map_free(&reading->fits);
    reading->blocks.count = 0;
}

/* Returns whether the end of a log has the reports of all fits, from the first on. */
static bool has_all_fits(const struct report_reading *reading, const struct rank_log *log)
{
    int64_t most = 0;
    for (size_t i = 0; i < reading->fits.count; i++)
        most = reading->report[i].fit > most ? reading->report[i].fit : most;
    return !log->unfinished && most > 0 && most == (int64_t)reading->fits.count;
}

static int log_read(struct report_reading *reading, struct rank_log *log, struct sw_error *err)
{
    const struct wanted_lines lines = {
        .report = report_take, .blocks = blocks_take, .counter = counter_take, .arg = reading};
    off_t tail = log->size > LARGE ? TAIL : 0;
    reports_forget(reading);
    int rc = rank_log_read(log, &lines, tail, err);
    if (rc < 0 || !tail || has_all_fits(reading, log))
        return rc;
    reports_forget(reading);
    return rank_log_read(log, &lines, 0, err);
}

/* ---- rows ---- */

static void bins_add(struct merged_row *row, const struct log_value *hist)
{
    for (const struct log_value *pair = log_first(hist); pair; pair = log_after(hist, pair))
        swi_duration_bins_put(&row->bins, log_whole(log_at(pair, 0)), log_whole(log_at(pair, 1)));
}

static double known(const struct log_value *of_rank, const char *key)
{
    double value = log_number(log_get(of_rank, key), 0);
    return isfinite(value) ? value : 0;
}

static void row_add(struct merged_row *row, const struct log_value *of_rank, int64_t calls)
{
    bool is_first = !row->all.calls && !row->own.calls;
    int64_t least = (int64_t)fmin(known(of_rank, "min_ns"), 9e18);
    int64_t most = (int64_t)fmin(known(of_rank, "max_ns"), 9e18);
    row->call_min = is_first || least < row->call_min ? least : row->call_min;
    row->call_max = is_first || most > row->call_max ? most : row->call_max;
    swi_rank_sum_report(&row->own, calls, known(of_rank, "total_ns"), known(of_rank, "mean_ns"),
                        known(of_rank, "std_ns"));
    if (log_is(log_get(of_rank, "hist"), LOG_ARRAY))
        bins_add(row, log_get(of_rank, "hist"));
    else
        row->unbinned += calls;
}

/* Takes "NAME": [total, self] for each counter. Returns false if out of memory. */
static bool uses_add(struct merged *merged, int phase, int action, const struct log_value *counters)
{
    for (const struct log_value *k = log_first_key(counters); k; k = log_next_key(counters, k)) {
        const struct merged_counter *counter =
            merged_counter(merged, merged_number(merged, k->text, k->size));
        const struct log_value *total = log_at(k + 1, 0);
        if (!counter)
            return false;
        if (log_is(total, LOG_INTEGER) || log_is(total, LOG_REAL))
            merged_uses_add(merged, phase, action, counter, log_whole(total));
    }
    return !merged->uses.rows.failed;
}

static bool row_take(struct report_reading *reading, const struct log_value *of_rank)
{
    struct merged *merged = reading->merged;
    int phase = merged_name(merged, log_string(of_rank, "phase", "train"));
    int action = merged_name(merged, log_string(of_rank, "action", "train"));
    int64_t calls = log_integer(of_rank, "calls", 0);
    if (calls <= 0 || phase < 0 || action < 0)
        return phase >= 0 && action >= 0;
    struct merged_row *row = merged_rows_get(&merged->rows, phase, action, -1);
    if (!row)
        return false;
    row_add(row, of_rank, calls);
    if (!uses_add(merged, phase, action, log_get(of_rank, "counters")))
        return false;
    if (phase == NAME_TRAIN && action == NAME_STEP)
        reading->step_ns += known(of_rank, "total_ns");
    if (phase == NAME_TRAIN && merged_waits(merged, action))
        reading->wait_ns += known(of_rank, "total_ns");
    return true;
}

static bool rows_take(struct report_reading *reading)
{
    reading->step_ns = reading->wait_ns = 0;
    for (size_t i = 0; i < reading->fits.count; i++) {
        const struct log_value *rows = log_get(reading->report[i].line, "rows");
        for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row))
            if (log_is(row, LOG_OBJECT) && !row_take(reading, row))
                return false;
    }
    double work = fmax(reading->step_ns - reading->wait_ns, 0);
    reading->longest = fmax(reading->longest, reading->step_ns);
    reading->work_max = fmax(reading->work_max, work);
    reading->work_sum += work;
    return true;
}

/* ---- blocks of steps ---- */

/* Finds the blocks that all logs have, in the width of the widest. Returns false if there are none.
 */
static bool shape_find(const struct merged *merged, struct block_shape *shape)
{
    int64_t width = 1, first = 0, last = INT64_MAX;
    for (size_t i = 0; i < merged->count; i++)
        width = merged->log[i].blocks.width > width ? merged->log[i].blocks.width : width;
    for (size_t i = 0; i < merged->count; i++) {
        const struct block_shape *own = &merged->log[i].blocks;
        if (!own->count || width % own->width)
            return false;
        int64_t fold = width / own->width, end = (own->first + own->count - 1) / fold;
        first = own->first / fold > first ? own->first / fold : first;
        last = end < last ? end : last;
    }
    *shape = (struct block_shape){width, first, last - first + 1};
    return last >= first;
}

/* Makes the blocks wider until the search for the slow rank has enough memory for them. */
static void shape_fit(struct block_shape *shape, size_t cost)
{
    while (shape->count > 1 && (double)shape->count * (double)cost > COLUMNS_MEMORY) {
        int64_t last = (shape->first + shape->count - 1) / 2;
        shape->width *= 2;
        shape->first /= 2;
        shape->count = last - shape->first + 1;
    }
}

static void blocks_add(struct report_reading *reading, const struct block_shape *shape)
{
    struct merged *merged = reading->merged;
    struct block_line *line = &reading->blocks;
    block_line_fold(line, shape->width);
    for (int64_t b = 0; b < shape->count; b++) {
        int64_t own = shape->first + b - line->shape.first;
        double steps = value_at(line, &line->steps, own), inner = 0, batch = 0;
        if (steps <= 0)
            continue;
        for (size_t a = 0; a < line->count; a++) {
            double ns = value_at(line, &line->action[a], own) / steps;
            int action = line->action[a].name;
            if (action == NAME_BATCH) {
                batch += ns;
                continue;
            }
            inner += action == NAME_DRAW ? 0 : ns;
            columns_put(merged, action, (size_t)b, ns);
        }
        columns_put(merged, NAME_BATCH, (size_t)b, fmax(batch - inner, 0));
    }
    columns_fold(&merged->columns);
}

/* ---- all logs ---- */

static bool tables_make(struct report_reading *reading, struct block_shape *shape)
{
    enum { ACTIONS_GUESSED = 12 };
    struct merged *merged = reading->merged;
    merged_rows_begin(merged);
    reading->has_blocks = shape_find(merged, shape);
    if (!reading->has_blocks)
        return true;
    shape_fit(shape, columns_cost(merged->count, ACTIONS_GUESSED));
    merged->ranks.block = shape->width;
    return columns_make(merged, (size_t)shape->count, (double)shape->width, ACTIONS_GUESSED);
}

/* Returns the training steps that each rank has, according to the reports if the blocks do not say
 * it. */
static int64_t steps_of(const struct merged *merged)
{
    for (size_t i = 0; i < merged->rows.count; i++) {
        const struct merged_row *row = &merged->rows.item[i];
        if (row->phase == NAME_TRAIN && row->action == NAME_STEP && row->all.ranks)
            return row->all.calls / row->all.ranks;
    }
    return 0;
}

static void balance_find(struct report_reading *reading)
{
    struct merged *merged = reading->merged;
    struct balance balance = {.load_balance = 1,
                              .parallel_efficiency = 1,
                              .lost = NAN,
                              .wait_ns = NAN,
                              .communication = NAN};
    double mean = reading->work_sum / (double)merged->count;
    if (reading->has_blocks)
        balance = columns_balance(&merged->columns);
    if (reading->work_max > 0)
        balance.load_balance = mean / reading->work_max;
    if (reading->longest > 0) {
        balance.parallel_efficiency = mean / reading->longest;
        balance.lost_totals = (reading->work_max - mean) / reading->longest;
    }
    merged->balance = balance;
}

static int rank_read(struct report_reading *reading, struct rank_log *log,
                     const struct block_shape *shape, struct sw_error *err)
{
    if (!merged_uses_begin(reading->merged, log))
        reading->failed = true;
    int rc = log_read(reading, log, err);
    if (rc < 0)
        return rc;
    if (!reading->failed && !reading->fits.count)
        return sw_error_set(err, SW_EFORMAT, "%s: has neither steps nor a report yet", log->path);
    if (!reading->failed && reading->has_blocks)
        blocks_add(reading, shape);
    if (!reading->failed && rows_take(reading) && !reading->merged->columns.failed)
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the reports");
}

static int all_read(struct report_reading *reading, const struct block_shape *shape,
                    struct sw_error *err)
{
    struct merged *merged = reading->merged;
    size_t count = merged->count;
    merged->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct rank_log log = merged->log[i];
        int rc = rank_read(reading, &log, shape, err);
        if (rc == SW_ENOMEM) {
            memmove(&merged->log[merged->count], &merged->log[i],
                    (count - i) * sizeof *merged->log);
            merged->count += count - i;
            return rc;
        }
        if (rc < 0) {
            log_leave_out(merged, &log, sw_error_text(err));
            sw_error_free(err);
            continue;
        }
        merged->log[merged->count++] = log;
        merged_rows_fold(merged, &log);
    }
    return merged->count ? 0 : sw_error_set(err, SW_EFORMAT, "no log has a report");
}

int merge_reports(struct merged *merged, struct sw_error *err)
{
    struct report_reading reading = {.merged = merged};
    struct block_shape shape = {0};
    merged->from_reports = true;
    int rc = tables_make(&reading, &shape)
                 ? all_read(&reading, &shape, err)
                 : sw_error_set(err, SW_ENOMEM, "not enough memory for the blocks of steps");
    if (rc == 0) {
        merged->ranks.steps = steps_of(merged);
        balance_find(&reading);
    }
    reports_forget(&reading);
    free(reading.blocks.action);
    free(reading.blocks.value);
    return rc;
}
