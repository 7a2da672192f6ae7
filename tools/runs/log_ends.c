/* SPDX-License-Identifier: MIT */
#include "tools/runs/log_ends.h"

#include "tools/log/json_scan.h"
#include "tools/log/log_lines.h"
#include "tools/runs/log_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* First only so much is read: nearly all first lines are shorter. */
enum { HEAD_USUAL = 4096 };

/* The newest lines are read whatever they are; of older ones only values and reports. */
enum { NEWEST = 64 };

/* ---- the first line -------------------------------------------------------------------------- */

/* Returns the length of the first line with its newline, 0 if it is none, or -1. */
static ssize_t head_read(int fd, char *text)
{
    ssize_t size = pread(fd, text, HEAD_USUAL, 0);
    const char *end = size > 0 ? memchr(text, '\n', (size_t)size) : NULL;
    if (!end && size == HEAD_USUAL && *text == '{') {
        size = pread(fd, text, LOG_HEAD, 0);
        end = size > 0 ? memchr(text, '\n', (size_t)size) : NULL;
    }
    return size < 0 ? -1 : end ? end + 1 - text : 0;
}

static char *text_of(const json_t *line, const char *key)
{
    const char *text = log_string(line, key, NULL);
    return text ? strdup(text) : NULL;
}

static struct recorded_run *run_new(const char *path, const json_t *head)
{
    struct recorded_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (struct recorded_run){.path = strdup(path),
                                 .name = text_of(head, "name"),
                                 .program = text_of(head, "program"),
                                 .host = text_of(head, "host"),
                                 .run = text_of(head, json_object_get(head, "run") ? "run" : "job"),
                                 .detail = text_of(head, "detail"),
                                 .pid = log_integer(head, "pid", 0),
                                 .rank = log_integer(head, "rank", 0),
                                 .world_size = log_integer(head, "world_size", 1),
                                 .attempt = log_integer(head, "attempt", 0),
                                 .ranks = 1,
                                 .exit_status = -1,
                                 .started_s = log_number(json_object_get(head, "started"), 0),
                                 .duration_s = NAN,
                                 .samples_per_s = NAN,
                                 .steps = -1};
    if (run->path)
        return run;
    recorded_run_free(run);
    return NULL;
}

static bool is_head(const json_t *line)
{
    return strcmp(log_string(line, "type", ""), "run") == 0 && log_integer(line, "version", 0) == 1;
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

/* What is read of a line. */
struct ending_line {
    struct scan_text type, name;
    int64_t t, step, samples;
    double ns, value, rate;
    bool valid, by_profiler, own_step;
};

static double sum_of(struct json_scan *scan)
{
    double sum = 0;
    bool begun = false;
    if (!scan_is(scan, '['))
        return (double)scan_integer(scan);
    while (scan_element(scan, &begun))
        sum += (double)scan_integer(scan);
    return sum;
}

/* A step is draw and batch; the other actions are inside of them. */
static double step_ns(struct json_scan *scan)
{
    struct scan_text key;
    double sum = 0;
    bool begun = false;
    while (scan_member(scan, &begun, &key))
        if (scan_equals(&key, "draw") || scan_equals(&key, "batch"))
            sum += sum_of(scan);
        else
            scan_skip(scan);
    return sum;
}

static double rate_of(struct json_scan *scan)
{
    struct scan_text key;
    double rate = NAN;
    bool begun = false;
    while (scan_member(scan, &begun, &key))
        if (scan_equals(&key, "samples_per_s"))
            rate = scan_number(scan);
        else
            scan_skip(scan);
    return rate;
}

static bool text_is(struct json_scan *scan, const char *text)
{
    struct scan_text found = scan_string(scan);
    return scan_equals(&found, text);
}

static void member_read(struct json_scan *scan, const struct scan_text *key,
                        struct ending_line *line)
{
    bool number = scan_is(scan, '0'), text = scan_is(scan, '"'), object = scan_is(scan, '{');
    if (text && scan_equals(key, "type"))
        line->type = scan_string(scan);
    else if (text && scan_equals(key, "name"))
        line->name = scan_string(scan);
    else if (text && scan_equals(key, "phase"))
        line->valid = text_is(scan, "valid");
    else if (text && scan_equals(key, "by"))
        line->by_profiler = text_is(scan, "profiler");
    else if (number && scan_equals(key, "t"))
        line->t = scan_integer(scan);
    else if (number && scan_equals(key, "step"))
        line->step = scan_integer(scan);
    else if (number && scan_equals(key, "samples"))
        line->samples = scan_integer(scan);
    else if (object && scan_equals(key, "durations"))
        line->ns = step_ns(scan);
    else if (object && scan_equals(key, "overall_train"))
        line->rate = rate_of(scan);
    else if ((number || text) && scan_equals(key, "value") && scan_equals(&line->type, "metric"))
        line->value = scan_number(scan);
    else if (scan_equals(key, "own_step")) {
        line->own_step = true;
        scan_skip(scan);
    } else
        scan_skip(scan);
}

static bool line_read(const char *text, struct ending_line *line)
{
    struct json_scan scan = scan_begin(text);
    struct scan_text key;
    bool begun = false;
    *line = (struct ending_line){.step = -1, .value = NAN, .rate = NAN};
    while (scan_member(&scan, &begun, &key))
        member_read(&scan, &key, line);
    return scan_is_done(&scan) && line->type.size;
}

/* A step has the number of steps before it. */
static void steps_take(struct ending *ending, int64_t step, int64_t more)
{
    if (step >= 0 && step < INT64_MAX / 2 && step + more > ending->run->steps)
        ending->run->steps = step + more;
}

/* A name with escapes is read again. */
static void metric_take(struct ending *ending, const struct ending_line *line)
{
    if (!line->own_step)
        steps_take(ending, line->step, 1);
    if (line->by_profiler) {
        if (isnan(ending->own_rate) && scan_equals(&line->name, "throughput/step"))
            ending->own_rate = line->value;
        return;
    }
    if (!line->name.start)
        return;
    json_t *name = json_loadb(line->name.start - 1, line->name.size + 2, JSON_DECODE_ANY, NULL);
    if (name)
        recorded_run_value(ending->run, json_string_value(name), line->value);
    json_decref(name);
}

static void finish_take(struct ending *ending, const char *text)
{
    json_t *line = json_loads(text, 0, NULL);
    ending->finished = true;
    ending->run->exit_status = log_integer(line, "exit_status", -1);
    if (json_is_true(json_object_get(line, "interrupted"))) {
        ending->run->state = RUN_INTERRUPTED;
        ending->run->cause = text_of(line, "cause");
    } else {
        ending->run->state = ending->run->exit_status > 0 ? RUN_FAILED : RUN_FINISHED;
    }
    json_decref(line);
}

static void line_take(struct ending *ending, const char *text)
{
    struct ending_line line;
    if (!line_read(text, &line))
        return;
    double duration_s = (double)line.t * 1e-9;
    if (!(ending->run->duration_s >= duration_s))
        ending->run->duration_s = duration_s;
    if (scan_equals(&line.type, "finish") && !ending->finished)
        finish_take(ending, text);
    else if (scan_equals(&line.type, "metric"))
        metric_take(ending, &line);
    else if (scan_equals(&line.type, "report")) {
        steps_take(ending, line.step, 0);
        if (isnan(ending->report_rate))
            ending->report_rate = line.rate;
    } else if (scan_equals(&line.type, "step") && !line.valid && line.samples >= 0) {
        steps_take(ending, line.step, 1);
        ending->samples += (double)line.samples;
        ending->seconds += line.ns * 1e-9;
    }
}

static bool begins_with(const char *line, const char *part)
{
    return strncmp(line, part, strlen(part)) == 0;
}

/* Takes whole lines from the last to the first. Each ends with a newline, which becomes a NUL. */
static void lines_take(struct ending *ending, char *text, size_t size)
{
    for (size_t number = 0; size > 0; number++) {
        text[--size] = '\0';
        const char *before = memrchr(text, '\n', size);
        const char *line = before ? before + 1 : text;
        if (number < NEWEST || begins_with(line, "{\"type\":\"metric\"") ||
            begins_with(line, "{\"type\":\"report\""))
            line_take(ending, line);
        size = (size_t)(line - text);
    }
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

/* text: as large as LOG_TAIL. head: bytes of the first line. */
static int tail_read(int fd, struct recorded_run *run, size_t head, char *text)
{
    struct ending ending = {.run = run, .own_rate = NAN, .report_rate = NAN};
    int64_t from = run->bytes > LOG_TAIL ? run->bytes - LOG_TAIL : 0;
    bool within = from > (int64_t)head; /* perhaps within a line */
    from = within ? from : (int64_t)head;
    size_t size = run->bytes > from ? (size_t)(run->bytes - from) : 0;
    ssize_t got = pread(fd, text, size, (off_t)from);
    if (got < 0)
        return -1;
    const char *begin = within ? memchr(text, '\n', (size_t)got) : NULL;
    const char *last = memrchr(text, '\n', (size_t)got);
    size_t past = last ? (size_t)(last + 1 - text) : 0,
           skip = begin ? (size_t)(begin + 1 - text) : 0;
    run->torn = past < (size_t)got;
    if (past > skip)
        lines_take(&ending, text + skip, past - skip);
    rate_take(&ending);
    if (!ending.finished)
        run->state = log_is_locked(run->path) ? RUN_RUNNING : RUN_KILLED;
    return 0;
}

static int log_read(int fd, const char *path, char *text, struct recorded_run **run)
{
    struct stat st;
    ssize_t head = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? head_read(fd, text) : 0;
    if (head <= 0)
        return (int)head;
    json_t *line = json_loadb(text, (size_t)head, 0, NULL);
    *run = is_head(line) ? run_new(path, line) : NULL;
    bool failed = is_head(line) && !*run;
    json_decref(line);
    if (!*run)
        return failed ? -1 : 0;
    (*run)->bytes = st.st_size;
    return tail_read(fd, *run, (size_t)head, text);
}

int log_ends_read(const char *path, struct recorded_run **run, struct sw_error *err)
{
    char *text = malloc(LOG_HEAD > LOG_TAIL ? LOG_HEAD : LOG_TAIL);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *run = NULL;
    errno = text ? errno : ENOMEM;
    int rc = text && fd >= 0 ? log_read(fd, path, text, run) : -1;
    if (rc < 0)
        rc = sw_error_set(err, SW_EIO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(text);
    return rc;
}
