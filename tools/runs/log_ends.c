/* SPDX-License-Identifier: MIT */
#include "tools/runs/recorded_runs.h"

#include "core/text/names.h"
#include "core/text/parts.h"
#include "tools/log/log_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- whether it is being written ------------------------------------------------------------- */

static int lock_open(const char *path, int64_t *byte)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *locked = swi_lock_name(name, byte), *file = NULL;
    int fd = -1;
    if (locked && asprintf(&file, "%.*s%s", (int)(name - path), path, locked) >= 0)
        fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    free(locked);
    free(file);
    return fd;
}

/* Returns whether a sink holds the lock of this file. The lock ends with its program, however that
 * ends; no clock and no process number is needed. */
static bool log_is_locked(const char *path)
{
    int64_t byte = 0;
    int fd = lock_open(path, &byte);
    if (fd < 0)
        return false;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    bool held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return held;
}

/* First only so much is read: nearly all first lines are shorter. */
enum { HEAD_USUAL = 4096, TEXT_ROOM = 2 * LOG_TAIL };

/* The newest lines are read whatever they are; of older ones only values and reports, and steps if
 * none of the newest is one. */
enum { NEWEST = 64 };

/* ---- the first line -------------------------------------------------------------------------- */

/* Returns the length of the first line with its newline, 0 if it is none, or -1. */
static ssize_t head_read(struct swi_log_bytes *bytes, char *text)
{
    ssize_t n = 1;
    size_t size = 0;
    while (n > 0 && size < LOG_HEAD) {
        size_t most = size < HEAD_USUAL ? HEAD_USUAL : LOG_HEAD;
        n = swi_log_bytes_read(bytes, text + size, most - size);
        const char *end = n > 0 ? memchr(text + size, '\n', (size_t)n) : NULL;
        if (end)
            return end + 1 - text;
        if (n > 0 && *text != '{')
            return 0;
        size += n > 0 ? (size_t)n : 0;
    }
    return n < 0 && errno != EBADMSG ? -1 : 0;
}

static char *text_of(const struct log_value *line, const char *key)
{
    const char *text = log_string(line, key, NULL);
    return text ? strdup(text) : NULL;
}

static struct recorded_run *run_new(const char *path, const struct log_value *head)
{
    struct recorded_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (struct recorded_run){.path = strdup(path),
                                 .name = text_of(head, "name"),
                                 .program = text_of(head, "program"),
                                 .host = text_of(head, "host"),
                                 .run = text_of(head, log_get(head, "run") ? "run" : "job"),
                                 .detail = text_of(head, "detail"),
                                 .pid = log_integer(head, "pid", 0),
                                 .rank = log_integer(head, "rank", 0),
                                 .world_size = log_integer(head, "world_size", 1),
                                 .attempt = log_integer(head, "attempt", 0),
                                 .ranks = 1,
                                 .exit_status = -1,
                                 .started_s = log_real(head, "started", 0),
                                 .duration_s = NAN,
                                 .samples_per_s = NAN,
                                 .steps = -1};
    if (run->path)
        return run;
    recorded_run_free(run);
    return NULL;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What the lines say, the newest first. */
struct ending {
    struct recorded_run *run;
    double samples, seconds; /* of the newest steps */
    double own_rate;         /* of the profiler's averages */
    double report_rate;      /* of the newest report */
    bool finished;
};

/* A step is draw and batch; the other actions are inside of them. */
static double step_ns(const struct log_value *line)
{
    static const char *const parts[] = {"draw", "batch"};
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const struct log_value *ns = log_get(log_get(line, "durations"), parts[i]);
        sum += log_digits(ns, 0);
        for (const struct log_value *v = log_first(ns); v; v = log_after(ns, v))
            sum += log_digits(v, 0);
    }
    return sum;
}

/* A step has the number of steps before it. */
static void steps_take(struct ending *ending, int64_t step, int64_t more)
{
    if (step >= 0 && step < INT64_MAX / 2 && step + more > ending->run->steps)
        ending->run->steps = step + more;
}

static void metric_take(struct ending *ending, const struct log_value *line)
{
    const char *name = log_string(line, "name", NULL);
    double value = log_real(line, "value", NAN);
    if (!log_get(line, "own_step"))
        steps_take(ending, log_integer(line, "step", -1), 1);
    if (strcmp(log_string(line, "by", ""), "profiler") == 0) {
        if (isnan(ending->own_rate) && name && strcmp(name, "throughput/step") == 0)
            ending->own_rate = value;
    } else if (name) {
        recorded_run_value(ending->run, name, value);
    }
}

static void finish_take(struct ending *ending, const struct log_value *line)
{
    ending->finished = true;
    ending->run->exit_status = log_integer(line, "exit_status", -1);
    if (log_true(line, "interrupted")) {
        ending->run->state = RUN_INTERRUPTED;
        ending->run->cause = text_of(line, "cause");
    } else {
        ending->run->state = ending->run->exit_status > 0 ? RUN_FAILED : RUN_FINISHED;
    }
}

static void line_take(struct ending *ending, const struct log_value *line)
{
    enum line_type type = log_type(line);
    double duration_s = (double)log_integer(line, "t", 0) * 1e-9;
    int64_t step = log_integer(line, "step", -1), samples = log_integer(line, "samples", 0);
    if (type != LINE_NONE && !(ending->run->duration_s >= duration_s))
        ending->run->duration_s = duration_s;
    if (type == LINE_FINISH && !ending->finished)
        finish_take(ending, line);
    else if (type == LINE_METRIC)
        metric_take(ending, line);
    else if (type == LINE_REPORT) {
        steps_take(ending, step, 0);
        if (isnan(ending->report_rate))
            ending->report_rate = log_real(log_get(line, "overall_train"), "samples_per_s", NAN);
    } else if ((type == LINE_STEP || type == LINE_STEPS) && samples >= 0 &&
               strcmp(log_string(line, "phase", ""), "valid") != 0) {
        steps_take(ending, step, 1);
        ending->samples += (double)samples;
        ending->seconds += step_ns(type == LINE_STEPS ? log_get(line, "sum") : line) * 1e-9;
    }
}

/* Takes whole lines from the last to the first. Each ends with a newline, which becomes a NUL. */
static void lines_take(struct ending *ending, char *text, size_t size)
{
    struct log_line parsed = {0};
    bool steps = false;
    for (size_t number = 0; size > 0; number++) {
        text[--size] = '\0';
        const char *before = memrchr(text, '\n', size);
        char *line = before ? (char *)before + 1 : text;
        steps = number == NEWEST ? ending->samples <= 0 : steps;
        if (number < NEWEST || swi_begins(line, "{\"type\":\"metric\"") ||
            swi_begins(line, "{\"type\":\"report\"") ||
            (steps && swi_begins(line, "{\"type\":\"step\"")))
            line_take(ending, log_line_parse(&parsed, line, (size_t)(text + size - line)));
        size = (size_t)(line - text);
    }
    log_line_free(&parsed);
}

static void rate_take(struct ending *ending)
{
    struct recorded_run *run = ending->run;
    if (!isnan(ending->report_rate))
        run->samples_per_s = ending->report_rate;
    else if (ending->samples > 0 && ending->seconds > 0)
        run->samples_per_s = ending->samples / ending->seconds;
    else
        run->samples_per_s = ending->own_rate;
}

/* Drops what is before the last LOG_TAIL bytes. */
static size_t tail_keep(char *text, size_t size, size_t *skip)
{
    if (size <= LOG_TAIL)
        return size;
    memmove(text, text + size - LOG_TAIL, LOG_TAIL);
    *skip = 0;
    return LOG_TAIL;
}

/* Reads the last LOG_TAIL bytes of the text. skip: what comes before the first line in it; 0:
 * perhaps it begins within a line. Returns how many, or -1. */
static ssize_t tail_fill(struct swi_log_bytes *bytes, char *text, size_t *skip)
{
    size_t size = 0;
    ssize_t n = 1;
    while (n > 0 || (n < 0 && errno == EBADMSG)) {
        n = swi_log_bytes_read(bytes, text + size, TEXT_ROOM - size);
        size += n > 0 ? (size_t)n : 0;
        size = size == TEXT_ROOM ? tail_keep(text, size, skip) : size;
    }
    return n < 0 ? -1 : (ssize_t)tail_keep(text, size, skip);
}

/* text: as large as TEXT_ROOM. head: bytes of the first line. */
static int tail_read(struct swi_log_bytes *bytes, struct recorded_run *run, size_t head, char *text)
{
    struct ending ending = {.run = run, .own_rate = NAN, .report_rate = NAN};
    size_t skip = swi_log_bytes_tail(bytes, LOG_TAIL) ? 0 : head;
    ssize_t got = tail_fill(bytes, text, &skip);
    if (got < 0)
        return -1;
    const char *begin = skip ? NULL : memchr(text, '\n', (size_t)got);
    const char *last = memrchr(text, '\n', (size_t)got);
    size_t whole = last ? (size_t)(last + 1 - text) : 0;
    skip = begin ? (size_t)(begin + 1 - text) : skip;
    run->torn = whole < (size_t)got;
    if (whole > skip)
        lines_take(&ending, text + skip, whole - skip);
    rate_take(&ending);
    if (!ending.finished)
        run->state = log_is_locked(run->path) ? RUN_RUNNING : RUN_KILLED;
    return 0;
}

static int log_read(struct swi_log_bytes *bytes, const char *path, char *text,
                    struct recorded_run **run, struct sw_error *err)
{
    struct stat st;
    bool regular = fstat(bytes->fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t head = regular ? head_read(bytes, text) : 0;
    if (head <= 0)
        return (int)head;
    struct log_line parsed = {0};
    text[head - 1] = '\0';
    const struct log_value *line = log_line_parse(&parsed, text, (size_t)head - 1);
    bool is_log = log_is_type(line, LINE_RUN) && log_get(line, "version");
    int rc = is_log ? log_run_check(path, line, err) : 0;
    *run = is_log && rc == 0 ? run_new(path, line) : NULL;
    log_line_free(&parsed);
    if (!*run)
        return is_log ? -1 : 0;
    (*run)->bytes = st.st_size;
    return tail_read(bytes, *run, (size_t)head, text);
}

int log_ends_read(const char *path, struct recorded_run **run, struct sw_error *err)
{
    struct swi_log_bytes bytes;
    char *text = malloc(TEXT_ROOM);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    swi_log_bytes_init(&bytes, fd);
    *run = NULL;
    errno = text ? errno : ENOMEM;
    int rc = text && fd >= 0 ? log_read(&bytes, path, text, run, err) : -1;
    if (rc < 0 && err->code == 0 && swi_log_bytes_check(&bytes, path, err) == 0)
        sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
    rc = rc < 0 ? err->code : rc;
    swi_log_bytes_fini(&bytes);
    if (fd >= 0)
        close(fd);
    free(text);
    return rc;
}
