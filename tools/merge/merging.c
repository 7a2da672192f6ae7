/* SPDX-License-Identifier: MIT */
/* Each log is read twice: first for the steps that it has, then for their durations. So what is
 * kept does not grow with the number of ranks, but for the durations that the search for the
 * straggler needs: where these would take more than 256 MiB, it sees means of several steps. */
#include "tools/merge/merging.h"
#include "tools/log/log_lines.h"
#include "tools/output/stderr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = (256 << 20) / sizeof(double) };

/* ---- which logs ---- */

/* The steps of one log. */
struct counting {
    struct merged *merged;
    int64_t log;
};

static bool count_step(void *arg, const json_t *line)
{
    struct counting *counting = arg;
    struct step_set *steps = &counting->merged->steps;
    struct step_key *key = step_set_next(steps, counting->log, line, true);
    if (key)
        key->logs++;
    return !steps->failed;
}

static void leave_out(struct merged *merged, struct rank_log *log, const char *why)
{
    say("merge", "%s%sis left out", why, *why ? "; it " : "");
    rank_log_fini(log);
    merged->odd++;
}

static const char *job_of(const struct rank_log *log)
{
    return log->job ? log->job : "";
}

static struct rank_log *log_of_rank(struct merged *merged, int64_t rank)
{
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].rank == rank)
            return &merged->log[i];
    return NULL;
}

/* "" if a log belongs to those that are there. */
static const char *oddity(struct merged *merged, const struct rank_log *log, bool force, char *text,
                          size_t size)
{
    const struct rank_log *first = &merged->log[0];
    *text = '\0';
    if (!merged->count)
        return text;
    if (log->drop_first_batch != first->drop_first_batch)
        snprintf(text, size, "%s: has another drop_first_batch than %s", log->path, first->path);
    else if (!force && strcmp(job_of(log), job_of(first)) != 0)
        snprintf(text, size, "%s: is of job \"%s\", and %s of job \"%s\" (--force merges them)",
                 log->path, job_of(log), first->path, job_of(first));
    else if (!force && log->world_size && first->world_size && log->world_size != first->world_size)
        snprintf(text, size, "%s: is of %lld ranks, and %s of %lld ranks (--force merges them)",
                 log->path, (long long)log->world_size, first->path, (long long)first->world_size);
    return text;
}

/* Takes the log of a rank that has none yet, or that is of a later attempt. */
static void log_take(struct merged *merged, struct rank_log *log)
{
    char text[1024];
    struct rank_log *same = log_of_rank(merged, log->rank);
    if (!same) {
        merged->log[merged->count++] = *log;
    } else if (log->attempt > same->attempt) {
        rank_log_fini(same);
        *same = *log;
    } else if (log->attempt < same->attempt) {
        rank_log_fini(log);
    } else {
        snprintf(text, sizeof text, "%s: is of rank %lld, as %s is", log->path,
                 (long long)log->rank, same->path);
        leave_out(merged, log, text);
    }
}

/* Reads which log it is. */
static void log_look(struct merged *merged, const char *path, bool force)
{
    struct sw_error err;
    struct rank_log log;
    char text[1024];
    if (rank_log_read(&log, path, NULL, NULL, &err) < 0) {
        leave_out(merged, &log, err.text);
        return;
    }
    /* Without a rank, the order of the arguments counts. */
    if (log.rank < 0)
        log.rank = (int64_t)merged->count;
    if (*oddity(merged, &log, force, text, sizeof text))
        leave_out(merged, &log, text);
    else
        log_take(merged, &log);
}

static int by_rank(const void *a, const void *b)
{
    int64_t first = ((const struct rank_log *)a)->rank;
    int64_t second = ((const struct rank_log *)b)->rank;
    return first < second ? -1 : first > second;
}

static int logs_find(struct merged *merged, char *const *path, size_t count, bool force,
                     struct sw_error *err)
{
    merged->log = calloc(count + 1, sizeof *merged->log);
    if (!merged->log)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for %zu logs", count);
    for (size_t i = 0; i < count; i++)
        log_look(merged, path[i], force);
    if (!merged->count)
        return sw_error_set(err, SW_EFORMAT, "there is no run log to merge");
    qsort(merged->log, merged->count, sizeof *merged->log, by_rank);
    merged->world_size = merged->log[merged->count - 1].rank + 1;
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].world_size > merged->world_size)
            merged->world_size = merged->log[i].world_size;
    return 0;
}

/* ---- rows ---- */

static struct merged_row *row_new(struct merged *merged, const char *phase, const char *action,
                                  const char *key, int64_t first_rank, bool is_first)
{
    struct merged_row *grown = realloc(merged->row, (merged->rows + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    merged->row = grown;
    struct merged_row *row = &grown[merged->rows];
    *row = (struct merged_row){.phase = strdup(phase), .action = strdup(action)};
    /* The ranks before this one have none of it. */
    row->min_rank = row->max_rank = is_first ? -1 : first_rank;
    json_object_set_new(merged->index, key, json_integer((json_int_t)merged->rows++));
    return row->phase && row->action ? row : NULL;
}

struct reading {
    struct merged *merged;
    size_t log;
    bool seen[2];        /* a common step of valid, of train */
    double *work, *wait; /* of each column */
    bool failed;
};

static struct merged_row *row_of(struct reading *reading, const char *phase, const char *action)
{
    struct merged *merged = reading->merged;
    char key[1024];
    snprintf(key, sizeof key, "%s\t%s", phase, action);
    const json_t *number = json_object_get(merged->index, key);
    if (number)
        return &merged->row[json_integer_value(number)];
    struct merged_row *row =
        row_new(merged, phase, action, key, merged->log[0].rank, reading->log == 0);
    reading->failed = reading->failed || !row;
    return row;
}

static void call_add(struct merged_row *row, int64_t ns)
{
    row->call_min = row->calls && row->call_min < ns ? row->call_min : ns;
    row->call_max = row->calls && row->call_max > ns ? row->call_max : ns;
    row->calls++;
    row->calls_of_rank++;
    row->of_rank += ns;
    row->squares += (merged_sum)ns * ns;
    swi_row_bins_add(&row->bins, ns);
}

static int64_t total_of(const json_t *value)
{
    int64_t sum = 0;
    size_t index;
    const json_t *one;
    if (!json_is_array(value))
        return json_is_integer(value) ? json_integer_value(value) : 0;
    json_array_foreach(value, index, one) sum += json_is_integer(one) ? json_integer_value(one) : 0;
    return sum;
}

static void calls_add(struct reading *reading, const char *phase, const char *action,
                      const json_t *value)
{
    struct merged_row *row = row_of(reading, phase, action);
    size_t index;
    const json_t *one;
    if (row && json_is_integer(value))
        call_add(row, json_integer_value(value));
    if (!row || !json_is_array(value))
        return;
    json_array_foreach(value, index, one)
        call_add(row, json_is_integer(one) ? json_integer_value(one) : 0);
}

static void rows_add(struct reading *reading, const char *phase, json_t *durations)
{
    const char *action;
    json_t *value;
    json_object_foreach(durations, action, value) calls_add(reading, phase, action, value);
    const json_t *draw = json_object_get(durations, "draw");
    const json_t *batch = json_object_get(durations, "batch");
    struct merged_row *row = draw && batch ? row_of(reading, phase, "step") : NULL;
    if (row)
        call_add(row, total_of(draw) + total_of(batch));
}

/* After all of a rank. */
static void rank_fold(struct merged_row *row, int64_t rank)
{
    bool is_first = row->min_rank < 0;
    if (is_first || row->of_rank < row->min) {
        row->min = row->of_rank;
        row->min_rank = rank;
    }
    if (is_first || row->of_rank > row->max) {
        row->max = row->of_rank;
        row->max_rank = rank;
    }
    row->sum += row->of_rank;
    row->ranks += row->calls_of_rank > 0;
    row->of_rank = 0;
    row->calls_of_rank = 0;
}

/* ---- steps ---- */

static bool waits(const struct merged *merged, const char *action)
{
    size_t index;
    const json_t *name;
    json_array_foreach(merged->wait, index,
                       name) if (json_is_string(name) &&
                                 strcmp(json_string_value(name), action) == 0) return true;
    return false;
}

static size_t blocks_of(const struct merged *merged)
{
    return (merged->columns + merged->block - 1) / merged->block;
}

/* The values of an action of training; NULL without memory. */
static double *values_of(struct merged *merged, const char *action)
{
    for (size_t a = 0; a < merged->actions; a++)
        if (strcmp(merged->action[a], action) == 0)
            return merged->value[a];
    char **names = realloc(merged->action, (merged->actions + 1) * sizeof *names);
    merged->action = names ? names : merged->action;
    double **values = names ? realloc(merged->value, (merged->actions + 1) * sizeof *values) : NULL;
    merged->value = values ? values : merged->value;
    if (!names || !values)
        return NULL;
    names[merged->actions] = strdup(action);
    values[merged->actions] = calloc(merged->count * blocks_of(merged) + 1, sizeof(double));
    return names[merged->actions] ? values[merged->actions++] : NULL;
}

static void value_put(struct reading *reading, const char *action, size_t column, double ns)
{
    struct merged *merged = reading->merged;
    double *values = values_of(merged, action);
    if (!values) {
        reading->failed = true;
        return;
    }
    size_t block = column / merged->block;
    size_t left = merged->columns - block * merged->block;
    size_t of_block = left < merged->block ? left : merged->block;
    values[reading->log * blocks_of(merged) + block] += ns / (double)of_block;
}

/* What the straggler and the balance need of a training step. */
static void column_add(struct reading *reading, json_t *durations, size_t column)
{
    const char *action;
    json_t *value;
    double batch = 0, inner = 0;
    json_object_foreach(durations, action, value)
    {
        double ns = (double)total_of(value);
        if (strcmp(action, "batch") == 0) {
            batch = ns;
            continue;
        }
        inner += strcmp(action, "draw") == 0 ? 0 : ns;
        (waits(reading->merged, action) ? reading->wait : reading->work)[column] += ns;
        value_put(reading, action, column, ns);
    }
    double rest = fmax(batch - inner, 0);
    reading->work[column] += rest;
    value_put(reading, "batch", column, rest);
}

static bool read_step(void *arg, const json_t *line)
{
    struct reading *reading = arg;
    struct merged *merged = reading->merged;
    const char *phase = log_string(line, "phase", "");
    bool train = strcmp(phase, "train") == 0;
    json_t *durations = json_object_get(line, "durations");
    struct step_key *key = step_set_next(&merged->steps, -2 - (int64_t)reading->log, line, false);
    if (!key || key->logs != (int64_t)merged->count) {
        merged->left_out++;
        return true;
    }
    bool is_first = !reading->seen[train];
    reading->seen[train] = true;
    if (!is_first || !merged->log[reading->log].drop_first_batch)
        rows_add(reading, phase, durations);
    if (train && key->nth == 0)
        column_add(reading, durations, key->column);
    return !reading->failed;
}

static void columns_fold(struct merged *merged, const struct reading *reading)
{
    double total = 0;
    for (size_t s = 0; s < merged->columns; s++) {
        double work = reading->work[s], wait = reading->wait[s];
        bool is_first = reading->log == 0;
        merged->most_work[s] = is_first ? work : fmax(merged->most_work[s], work);
        merged->longest[s] = is_first ? work + wait : fmax(merged->longest[s], work + wait);
        merged->least_wait[s] = is_first ? wait : fmin(merged->least_wait[s], wait);
        merged->sum_work[s] += work;
        total += work;
    }
    merged->work_sum += total;
    merged->work_max = reading->log == 0 ? total : fmax(merged->work_max, total);
}

static int rank_read(struct merged *merged, size_t index, struct sw_error *err)
{
    struct rank_log again;
    struct reading reading = {.merged = merged, .log = index};
    reading.work = calloc(merged->columns + 1, sizeof(double));
    reading.wait = calloc(merged->columns + 1, sizeof(double));
    int rc = reading.work && reading.wait
                 ? rank_log_read(&again, merged->log[index].path, read_step, &reading, err)
                 : sw_error_set(err, SW_ENOMEM, "not enough memory for the steps");
    if (reading.work && reading.wait)
        rank_log_fini(&again);
    if (rc == 0) {
        for (size_t i = 0; i < merged->rows; i++)
            rank_fold(&merged->row[i], merged->log[index].rank);
        columns_fold(merged, &reading);
    }
    free(reading.work);
    free(reading.wait);
    return rc;
}

/* ---- the whole ---- */

static bool columns_make(struct merged *merged)
{
    enum { ACTIONS_GUESSED = 16 };
    size_t count = merged->columns + 1;
    double cells = (double)merged->count * (double)merged->columns * ACTIONS_GUESSED;
    merged->block = cells > VALUES_MAX ? (size_t)(cells / VALUES_MAX) + 1 : 1;
    merged->most_work = calloc(count, sizeof(double));
    merged->sum_work = calloc(count, sizeof(double));
    merged->longest = calloc(count, sizeof(double));
    merged->least_wait = calloc(count, sizeof(double));
    merged->index = json_object();
    return merged->most_work && merged->sum_work && merged->longest && merged->least_wait &&
           merged->index;
}

static void balance_find(struct merged *merged)
{
    double lost = 0, longest = 0, least = 0, wait = 0, ranks = (double)merged->count;
    for (size_t s = 0; s < merged->columns; s++) {
        lost += merged->most_work[s] - merged->sum_work[s] / ranks;
        wait += merged->most_work[s] * ranks - merged->sum_work[s];
        longest += merged->longest[s];
        least += merged->least_wait[s];
    }
    double mean = merged->work_sum / ranks;
    merged->wait_ns = wait;
    merged->lost = longest > 0 ? lost / longest : 0;
    merged->communication = longest > 0 ? least / longest : 0;
    merged->lost_totals = longest > 0 ? (merged->work_max - mean) / longest : 0;
    merged->load_balance = merged->work_max > 0 ? mean / merged->work_max : 1;
    merged->parallel_efficiency = longest > 0 ? mean / longest : 1;
}

/* The rest of the batch comes after the named actions, which are by name. */
static int by_name(const struct merged *merged, size_t a, size_t b)
{
    bool first = strcmp(merged->action[a], "batch") == 0;
    bool second = strcmp(merged->action[b], "batch") == 0;
    return first != second ? first - second : strcmp(merged->action[a], merged->action[b]);
}

static void actions_sort(struct merged *merged)
{
    for (size_t i = 1; i < merged->actions; i++) {
        for (size_t k = i; k > 0 && by_name(merged, k - 1, k) > 0; k--) {
            char *name = merged->action[k];
            double *value = merged->value[k];
            merged->action[k] = merged->action[k - 1];
            merged->value[k] = merged->value[k - 1];
            merged->action[k - 1] = name;
            merged->value[k - 1] = value;
        }
    }
}

static bool straggle(struct merged *merged)
{
    actions_sort(merged);
    bool *wait = calloc(merged->actions + 1, sizeof *wait);
    const char **host = calloc(merged->count + 1, sizeof(*host));
    for (size_t a = 0; wait && a < merged->actions; a++)
        wait[a] = waits(merged, merged->action[a]);
    for (size_t i = 0; host && i < merged->count; i++)
        host[i] = merged->log[i].host;
    const struct swi_rank_durations data = {.ranks = merged->count,
                                            .steps = blocks_of(merged),
                                            .actions = merged->actions,
                                            .action = (const char *const *)merged->action,
                                            .wait = wait,
                                            .value = merged->value,
                                            .host = host};
    bool fine = wait && host && swi_straggler_find(&merged->straggler, &data);
    free(wait);
    free(host);
    return fine;
}

static int row_order(const void *a, const void *b)
{
    const struct merged_row *first = a, *second = b;
    int by_phase = strcmp(first->phase, second->phase);
    return by_phase ? by_phase : strcmp(first->action, second->action);
}

static int all_read(struct merged *merged, struct sw_error *err)
{
    size_t common;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < merged->count; i++) {
        struct rank_log log;
        struct counting counting = {merged, (int64_t)i};
        rc = rank_log_read(&log, merged->log[i].path, count_step, &counting, err);
        merged->log[i].torn = log.torn;
        merged->log[i].finished = log.finished;
        rank_log_fini(&log);
    }
    merged->columns = step_set_number(&merged->steps, (int64_t)merged->count, &common);
    if (rc == 0 && (merged->steps.failed || !columns_make(merged)))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the steps");
    for (size_t i = 0; rc == 0 && i < merged->count; i++)
        rc = rank_read(merged, i, err);
    return rc;
}

int merge_logs(struct merged *merged, char *const *path, size_t count, const char *const *wait,
               bool force, struct sw_error *err)
{
    *merged = (struct merged){.block = 1};
    int rc = logs_find(merged, path, count, force, err);
    if (rc < 0)
        return rc;
    merged->wait = *wait ? json_array() : json_incref(merged->log[0].wait);
    for (; *wait; wait++)
        json_array_append_new(merged->wait, json_string(*wait));
    rc = all_read(merged, err);
    if (rc < 0)
        return rc;
    balance_find(merged);
    qsort(merged->row, merged->rows, sizeof *merged->row, row_order);
    return straggle(merged) ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

void merged_fini(struct merged *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        rank_log_fini(&merged->log[i]);
    for (size_t i = 0; i < merged->rows; i++) {
        free(merged->row[i].phase);
        free(merged->row[i].action);
        swi_row_bins_free(&merged->row[i].bins);
    }
    for (size_t a = 0; a < merged->actions; a++) {
        free(merged->action[a]);
        free(merged->value[a]);
    }
    free(merged->log);
    free(merged->row);
    free(merged->action);
    free(merged->value);
    free(merged->most_work);
    free(merged->sum_work);
    free(merged->longest);
    free(merged->least_wait);
    json_decref(merged->index);
    json_decref(merged->wait);
    step_set_free(&merged->steps);
}

int64_t merged_rank(const struct merged *merged, size_t index)
{
    return merged->log[index].rank;
}

bool merged_has(const struct merged *merged, int64_t rank)
{
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].rank == rank)
            return true;
    return false;
}

double merged_mean(const struct merged *merged, const struct merged_row *row)
{
    return (double)((long double)row->sum / (long double)merged->count);
}

double merged_imbalance(const struct merged *merged, const struct merged_row *row)
{
    double mean = merged_mean(merged, row);
    return mean > 0 ? (double)row->max / mean - 1 : 0;
}

double merged_call_std(const struct merged_row *row)
{
    if (!row->calls)
        return 0;
    long double mean = (long double)row->sum / (long double)row->calls;
    long double variance = (long double)row->squares / (long double)row->calls - mean * mean;
    return variance > 0 ? (double)sqrtl(variance) : 0;
}
