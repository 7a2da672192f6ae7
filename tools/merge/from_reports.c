/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the reports of a log -------------------------------------------------------------------- */

/* Only the end of a large log is read, where the report of its only fit usually is. */
enum { TAIL = 64 << 10, LARGE = 1 << 20 };

struct report_reading {
    struct merged *merged;
    struct kept_lines reports; /* the last of each fit, which includes the rows of earlier ones */
    double step_ns, wait_ns;   /* totals of this rank's training */
    double longest;            /* of all ranks: the largest total of steps */
    double work_sum, work_max;
    struct log_value *blocks; /* this rank's line of blocks, or NULL */
    struct block_shape shape; /* blocks that all ranks have; count 0: none */
    double *sum;              /* by block: four sums of this rank */
};

/* ---- lines ---- */

static bool report_take(struct report_reading *reading, const struct log_value *line)
{
    char name[24];
    int64_t fit = log_integer(line, "fit", 1);
    if (fit < 0)
        return false;
    snprintf(name, sizeof name, "%" PRId64, fit);
    reading->merged->failed |= !kept_lines_put(&reading->reports, name, line);
    return true;
}

static bool blocks_take(struct report_reading *reading, const struct log_value *line)
{
    if (block_shape_of(line).width <= 0)
        return false;
    free(reading->blocks);
    reading->blocks = log_value_copy(line);
    reading->merged->failed |= !reading->blocks;
    return true;
}

static bool line_take(void *arg, enum line_type type, const struct log_value *line)
{
    return type == LINE_REPORT   ? report_take(arg, line)
           : type == LINE_BLOCKS ? blocks_take(arg, line)
                                 : true;
}

static void reports_forget(struct report_reading *reading)
{
    kept_lines_free(&reading->reports);
    free(reading->blocks);
    reading->blocks = NULL;
}

/* Returns whether the end of a log has the reports of all fits, from the first on. */
static bool has_all_fits(const struct report_reading *reading, const struct rank_log *log)
{
    int64_t most = 0;
    for (size_t i = 0; i < reading->reports.count; i++) {
        int64_t fit = log_integer(reading->reports.line[i], "fit", 1);
        most = fit > most ? fit : most;
    }
    return !(log->marks & LOG_UNFINISHED) && most > 0 && most == (int64_t)reading->reports.count;
}

static int log_read(struct report_reading *reading, struct rank_log *log, struct sw_error *err)
{
    off_t tail = log->size > LARGE ? TAIL : 0;
    reports_forget(reading);
    int rc = rank_log_read(reading->merged, log, line_take, reading, tail, err);
    if (rc < 0 || !tail || has_all_fits(reading, log))
        return rc;
    reports_forget(reading);
    return rank_log_read(reading->merged, log, line_take, reading, 0, err);
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

/* Takes "NAME": [total, self] for each counter. */
static void uses_add(struct merged *merged, int phase, int action, const struct log_value *counters)
{
    for (const struct log_value *k = log_first_key(counters); k; k = log_next_key(counters, k)) {
        const struct merged_counter *counter =
            merged_counter(merged, merged_number(merged, k->text, k->size));
        const struct log_value *total = log_at(k + 1, 0);
        if (counter && (log_is(total, LOG_INTEGER) || log_is(total, LOG_REAL)))
            merged_uses_add(merged, phase, action, counter, log_whole(total), 1);
    }
}

static void row_take(struct report_reading *reading, const struct log_value *of_rank)
{
    struct merged *merged = reading->merged;
    int phase = merged_name(merged, log_string(of_rank, "phase", "train"));
    int action = merged_name(merged, log_string(of_rank, "action", "train"));
    int64_t calls = log_integer(of_rank, "calls", 0);
    struct merged_row *row = calls > 0 ? merged_row(merged, phase, action, -1) : NULL;
    if (!row)
        return;
    row_add(row, of_rank, calls);
    uses_add(merged, phase, action, log_get(of_rank, "counters"));
    if (phase == NAME_TRAIN && action == NAME_STEP)
        reading->step_ns += known(of_rank, "total_ns");
    if (phase == NAME_TRAIN && merged_waits(merged, action))
        reading->wait_ns += known(of_rank, "total_ns");
}

static void rows_take(struct report_reading *reading)
{
    reading->step_ns = reading->wait_ns = 0;
    for (size_t i = 0; i < reading->reports.count; i++) {
        const struct log_value *rows = log_get(reading->reports.line[i], "rows");
        for (const struct log_value *row = log_first(rows); row; row = log_after(rows, row))
            if (log_is(row, LOG_OBJECT))
                row_take(reading, row);
    }
    double work = fmax(reading->step_ns - reading->wait_ns, 0);
    reading->longest = fmax(reading->longest, reading->step_ns);
    reading->work_max = fmax(reading->work_max, work);
    reading->work_sum += work;
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
    if (last >= first)
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

/* Adds up the values that belong to each of the blocks that all ranks have. */
static void values_sum(const struct report_reading *reading, const struct log_value *values,
                       double *sum)
{
    const struct block_shape own = block_shape_of(reading->blocks), *all = &reading->shape;
    int64_t fold = own.width && all->width > own.width ? all->width / own.width : 1;
    int64_t number = own.first;
    memset(sum, 0, (size_t)all->count * sizeof *sum);
    for (const struct log_value *v = log_first(values); v; v = log_after(values, v)) {
        int64_t block = number++ / fold - all->first;
        if (block >= 0 && block < all->count)
            sum[block] += (double)log_whole(v);
    }
}

/* Adds the time of an action in a step of each block. inner: time that is in the batch. */
static void action_add(struct report_reading *reading, int action, const double *steps,
                       const double *sum, double *inner, double *batch)
{
    for (size_t b = 0; b < (size_t)reading->shape.count; b++) {
        double ns = steps[b] > 0 ? sum[b] / steps[b] : 0;
        if (steps[b] > 0 && action != NAME_BATCH)
            columns_put(reading->merged, action, b, 1, ns);
        batch[b] += action == NAME_BATCH ? ns : 0;
        inner[b] += action == NAME_BATCH || action == NAME_DRAW ? 0 : ns;
    }
}

static void blocks_add(struct report_reading *reading)
{
    struct merged *merged = reading->merged;
    const struct log_value *durations = log_get(reading->blocks, "durations");
    size_t count = (size_t)reading->shape.count;
    double *sum = reading->sum, *steps = sum + count, *inner = steps + count,
           *batch = inner + count;
    memset(sum, 0, 4 * count * sizeof *sum);
    values_sum(reading, log_get(reading->blocks, "steps"), steps);
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        int action = merged_number(merged, k->text, k->size);
        if (action < 0 || !log_is(k + 1, LOG_ARRAY))
            continue;
        values_sum(reading, k + 1, sum);
        action_add(reading, action, steps, sum, inner, batch);
    }
    for (size_t b = 0; b < count; b++)
        if (steps[b] > 0)
            columns_put(merged, NAME_BATCH, b, 1, fmax(batch[b] - inner[b], 0));
    columns_fold(&merged->columns);
}

/* ---- all logs ---- */

static bool tables_make(struct report_reading *reading)
{
    enum { ACTIONS_GUESSED = 12 };
    struct merged *merged = reading->merged;
    struct block_shape *shape = &reading->shape;
    merged_rows_begin(merged);
    if (!shape_find(merged, shape))
        return true;
    shape_fit(shape, columns_cost(merged->count, ACTIONS_GUESSED));
    merged->ranks.block = shape->width;
    reading->sum = calloc(4 * (size_t)shape->count + 1, sizeof *reading->sum);
    return reading->sum &&
           columns_make(merged, (size_t)shape->count, (double)shape->width, ACTIONS_GUESSED);
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
    if (reading->shape.count)
        balance = columns_balance(&merged->columns);
    if (reading->work_max > 0)
        balance.load_balance = mean / reading->work_max;
    if (reading->longest > 0) {
        balance.parallel_efficiency = mean / reading->longest;
        balance.lost_totals = (reading->work_max - mean) / reading->longest;
    }
    merged->balance = balance;
}

static int rank_read(struct report_reading *reading, struct rank_log *log, struct sw_error *err)
{
    int rc = log_read(reading, log, err);
    if (rc < 0)
        return rc;
    if (!reading->reports.count)
        return sw_error_set(err, SW_EFORMAT, "%s: has neither steps nor a report yet", log->path);
    if (reading->shape.count)
        blocks_add(reading);
    rows_take(reading);
    merged_rows_fold(reading->merged, log);
    return reading->merged->failed
               ? sw_error_set(err, SW_ENOMEM, "not enough memory for the reports")
               : 0;
}

static int all_read(struct report_reading *reading, struct sw_error *err)
{
    struct merged *merged = reading->merged;
    for (size_t i = 0; i < merged->count; i++) {
        int rc = rank_read(reading, &merged->log[i], err);
        if (rc == SW_ENOMEM)
            return rc;
        if (rc < 0) {
            log_leave_out(merged, &merged->log[i], sw_error_text(err));
            sw_error_free(err);
        }
    }
    logs_compact(merged);
    return merged->count ? 0 : sw_error_set(err, SW_EFORMAT, "no log has a report");
}

int merge_reports(struct merged *merged, struct sw_error *err)
{
    struct report_reading reading = {.merged = merged};
    merged->from_reports = true;
    int rc = tables_make(&reading)
                 ? all_read(&reading, err)
                 : sw_error_set(err, SW_ENOMEM, "not enough memory for the blocks of steps");
    if (rc == 0) {
        merged->ranks.steps = steps_of(merged);
        balance_find(&reading);
    }
    reports_forget(&reading);
    free(reading.sum);
    return rc;
}
