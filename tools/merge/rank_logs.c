/* SPDX-License-Identifier: MIT */
/* Finds which of the files are logs of ranks of one run, and reads their lines. */
#include "tools/merge/merged.h"
#include "tools/output/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the head ---- */

/* Returns a number that is small enough to be counted on from, or 0. */
static int64_t count_of(const struct log_value *line, const char *key)
{
    int64_t count = log_integer(line, key, 0);
    return count >= 0 && count < INT64_C(1) << 60 ? count : 0;
}

struct block_shape block_shape_of(const struct log_value *line)
{
    return (struct block_shape){count_of(line, "width"), count_of(line, "first"),
                                count_of(line, "count")};
}

static bool head_take(struct rank_log *log, const struct log_value *line)
{
    const char *detail = log_string(line, "detail", "");
    log->rank = log_integer(line, "rank", -1) < 0 ? -1 : count_of(line, "rank");
    log->world_size = count_of(line, "world_size");
    log->attempt = log_integer(line, "attempt", 0);
    log->pid = log_integer(line, "pid", 0);
    log->started_s = log_number(log_get(line, "started"), 0);
    log->drop_first_batch = log_true(line, "drop_first_batch");
    log->has_steps = strcmp(detail, "steps") == 0 || log_true(line, "windowed");
    log->head = log_value_copy(line);
    log->name = log_string(log->head, "name", "");
    log->host = log_string(log->head, "host", "");
    log->job = log_string(log->head, "job", "");
    log->run = log_string(log->head, "run", "");
    return log->head;
}

static int head_read(struct rank_log *log, struct log *lines, struct sw_error *err)
{
    const struct log_value *line;
    int rc = log_first_line(lines, &line, err);
    if (rc > 0 && !head_take(log, line))
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", log->path);
    return rc < 0 ? rc : 0;
}

/* A summary has its blocks in the second line, so that their shape is known early. */
static void shape_read(struct rank_log *log, struct log *lines)
{
    SW_ERROR_SCOPE(ignored);
    const struct log_value *line;
    if (log_next(lines, &line, &ignored) > 0 && log_is_type(line, LINE_BLOCKS))
        log->blocks = block_shape_of(line);
    if (log->blocks.width == 0)
        log->blocks.count = 0;
}

/* It must be a regular file, because logs are read more than once. */
static int file_open(struct rank_log *log, struct log *lines, struct sw_error *err)
{
    struct stat st;
    *lines = (struct log){.bytes.fd = -1};
    if (stat(log->path, &st) != 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", log->path, strerror(errno));
    log->size = st.st_size;
    if (S_ISREG(st.st_mode))
        return log_open(lines, log->path, err);
    return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", log->path,
                        S_ISDIR(st.st_mode) ? "it is a folder, expected a file"
                                            : "it is not a file, and a log is read more than once");
}

static int log_begin(struct rank_log *log, const char *path, struct sw_error *err)
{
    struct log lines;
    *log = (struct rank_log){.rank = -1, .path = strdup(path)};
    if (!log->path)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    int rc = file_open(log, &lines, err);
    if (rc == 0)
        rc = head_read(log, &lines, err);
    if (rc == 0 && !log->has_steps)
        shape_read(log, &lines);
    log_close(&lines);
    return rc;
}

static void rank_log_fini(struct rank_log *log)
{
    free(log->path);
    free(log->head);
    *log = (struct rank_log){0};
}

/* ---- the lines ---- */

/* Returns false if the line is damaged. */
static bool line_take(struct merged *merged, struct rank_log *log, const struct log_value *line,
                      log_line_fn *take, void *arg)
{
    enum line_type type = log_type(line);
    if (type == LINE_COUNTER)
        merged_uses_name(merged, line);
    if (type == LINE_FINISH)
        log->marks &= ~(unsigned)LOG_UNFINISHED;
    return take(arg, type, line);
}

int rank_log_read(struct merged *merged, struct rank_log *log, log_line_fn *take, void *arg,
                  off_t tail, struct sw_error *err)
{
    struct log from;
    int rc = file_open(log, &from, err);
    log->marks = LOG_UNFINISHED;
    merged_uses_begin(merged, log);
    if (rc == 0 && tail)
        log_seek_tail(&from, tail);
    const struct log_value *line;
    while (rc >= 0 && !merged->failed && (rc = log_next(&from, &line, err)) != 0) {
        bool damaged = rc == SW_EFORMAT;
        if (damaged || (rc > 0 && !line_take(merged, log, line, take, arg)))
            log->marks |= LOG_DAMAGED;
        if (damaged)
            sw_error_free(err);
        rc = damaged ? 0 : rc;
    }
    log->marks |= from.torn ? LOG_TORN : 0;
    if ((log->marks & (LOG_TORN | LOG_UNFINISHED)) == LOG_UNFINISHED)
        log->marks |= LOG_STOPPED;
    log_close(&from);
    if (rc >= 0 && merged->failed)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", log->path);
    return rc < 0 ? rc : 0;
}

void log_leave_out(struct merged *merged, struct rank_log *log, const char *why)
{
    say("merge", "%s; it is left out", why);
    rank_log_fini(log);
    merged->odd++;
}

void logs_compact(struct merged *merged)
{
    size_t kept = 0;
    for (size_t i = 0; i < merged->count; i++)
        if (merged->log[i].path)
            merged->log[kept++] = merged->log[i];
    merged->count = kept;
}

void logs_free(struct merged *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        rank_log_fini(&merged->log[i]);
    for (size_t i = 0; i < merged->nodes; i++)
        free(merged->node[i].host);
    free(merged->log);
    free(merged->node);
}

/* ---- whether two logs are of one run ---- */

/* Without a job and an id that all ranks share, only the name of the run is left to compare. */
static bool is_other_run(const struct rank_log *a, const struct rank_log *b)
{
    bool both = *a->run && *b->run && a->attempt == b->attempt;
    bool nothing = !*a->job && !*b->job && !*a->run && !*b->run;
    return (both && strcmp(a->run, b->run) != 0) || (nothing && strcmp(a->name, b->name) != 0);
}

static const char *run_of(const struct rank_log *log)
{
    return *log->run ? log->run : log->name;
}

/* Writes why a log does not belong to another; "" if it does. */
static void oddity(const struct rank_log *log, const struct rank_log *other, bool force, char *text,
                   size_t size)
{
    *text = '\0';
    if (log->drop_first_batch != other->drop_first_batch)
        snprintf(text, size, "%s: has another drop_first_batch than %s", log->path, other->path);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): each log in the list has a head */
    else if (!force && strcmp(log->job, other->job) != 0)
        snprintf(text, size, "%s: is of job \"%s\", and %s of job \"%s\" (--force merges them)",
                 log->path, log->job, other->path, other->job);
    else if (!force && is_other_run(log, other))
        snprintf(text, size, "%s: is of run \"%s\", and %s of run \"%s\" (--force merges them)",
                 log->path, run_of(log), other->path, run_of(other));
    else if (!force && log->world_size && other->world_size && log->world_size != other->world_size)
        snprintf(text, size, "%s: is of %lld ranks, and %s of %lld ranks (--force merges them)",
                 log->path, (long long)log->world_size, other->path, (long long)other->world_size);
}

/* Returns a log of the majority: the winner of a vote in which each different log cancels one vote.
 */
static const struct rank_log *usual_log(const struct merged *merged, bool force)
{
    char text[1024];
    const struct rank_log *usual = NULL;
    int64_t votes = 0;
    for (size_t i = 0; i < merged->count; i++) {
        const struct rank_log *log = &merged->log[i];
        oddity(log, usual ? usual : log, force, text, sizeof text);
        if (votes == 0 && (!usual || *text)) {
            usual = log;
            *text = '\0';
        }
        votes += *text ? -1 : 1;
    }
    return usual;
}

static void odd_leave_out(struct merged *merged, bool force)
{
    char text[4096];
    const struct rank_log *usual = usual_log(merged, force);
    for (size_t i = 0; i < merged->count; i++) {
        oddity(&merged->log[i], usual, force, text, sizeof text);
        if (*text)
            log_leave_out(merged, &merged->log[i], text);
    }
    logs_compact(merged);
}

/* ---- one log for each rank ---- */

/* Sorts by rank. Within a rank, later attempts come first, then the log with more data. */
static int by_rank(const void *a, const void *b)
{
    const struct rank_log *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->attempt != y->attempt)
        return x->attempt > y->attempt ? -1 : 1;
    if (x->has_steps != y->has_steps)
        return x->has_steps ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Returns whether two logs are of the same process: a run log and a summary, or the same file
 * twice. */
static bool is_same_process(const struct rank_log *a, const struct rank_log *b)
{
    return a->pid && a->pid == b->pid && strcmp(a->host, b->host) == 0 &&
           fabs(a->started_s - b->started_s) < 1e-3;
}

/* If a rank has two logs, the one that was given first is kept. */
static void twice_leave_out(struct merged *merged, struct rank_log *first, struct rank_log *log)
{
    char text[4096];
    struct rank_log kept = *first;
    if (is_same_process(first, log) || log->attempt < first->attempt) {
        rank_log_fini(log);
        return;
    }
    if (first->order > log->order) {
        *first = *log;
        *log = kept;
    }
    snprintf(text, sizeof text, "%s: is of rank %lld, as %s is", log->path, (long long)log->rank,
             first->path);
    log_leave_out(merged, log, text);
}

static void doubled_leave_out(struct merged *merged)
{
    struct rank_log *first = merged->log;
    qsort(merged->log, merged->count, sizeof *merged->log, by_rank);
    for (size_t i = 1; i < merged->count; i++) {
        if (first->rank == merged->log[i].rank)
            twice_leave_out(merged, first, &merged->log[i]);
        else
            first = &merged->log[i];
    }
    logs_compact(merged);
}

/* ---- nodes ---- */

static int by_host(const void *a, const void *b)
{
    const struct rank_log *const *x = a, *const *y = b;
    int by = strcmp((*x)->host, (*y)->host);
    return by ? by : (*x)->rank < (*y)->rank ? -1 : 1;
}

/* Numbers the hosts. Returns false if out of memory. */
static bool nodes_find(struct merged *merged)
{
    struct rank_log **log = calloc(merged->count + 1, sizeof(*log));
    merged->node = calloc(merged->count + 1, sizeof *merged->node);
    if (!log || !merged->node) {
        free(log);
        return false;
    }
    for (size_t i = 0; i < merged->count; i++)
        log[i] = &merged->log[i];
    qsort(log, merged->count, sizeof *log, by_host);
    /* Copies, because a log may be left out later. */
    bool fine = true;
    for (size_t i = 0; i < merged->count && fine; i++) {
        if (!i || strcmp(log[i - 1]->host, log[i]->host) != 0)
            fine = (merged->node[merged->nodes++].host = strdup(log[i]->host));
        log[i]->node = merged->nodes - 1;
    }
    free(log);
    return fine;
}

/* ---- the whole ---- */

/* If the logs have no rank, the order of the arguments is used. */
static void heads_read(struct merged *merged, char *const *path, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        SW_ERROR_SCOPE(err);
        struct rank_log log;
        if (log_begin(&log, path[i], &err) < 0) {
            log_leave_out(merged, &log, sw_error_text(&err));
            continue;
        }
        log.order = i;
        log.rank = log.rank < 0 ? (int64_t)merged->count : log.rank;
        merged->log[merged->count++] = log;
    }
}

int logs_find(struct merged *merged, char *const *path, size_t count, bool force,
              struct sw_error *err)
{
    merged->log = calloc(count + 1, sizeof *merged->log);
    if (!merged->log)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for %zu logs", count);
    heads_read(merged, path, count);
    odd_leave_out(merged, force);
    doubled_leave_out(merged);
    if (!merged->count)
        return sw_error_set(err, SW_EFORMAT, "there is no run log to merge");
    int64_t *size = &merged->ranks.world_size;
    *size = merged->log[merged->count - 1].rank + 1;
    for (size_t i = 0; i < merged->count; i++)
        *size = merged->log[i].world_size > *size ? merged->log[i].world_size : *size;
    return nodes_find(merged) ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}
