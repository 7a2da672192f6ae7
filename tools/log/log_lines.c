/* SPDX-License-Identifier: MIT */
#include "tools/log/log_lines.h"

#include "core/text/names.h"
#include "core/text/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line is not longer than LINE_MOST: a few bytes of a compressed log could make it as long as
 * they like, and another kind of file may have no lines at all. */
enum { ROOM = 256 << 10, LINE_MOST = (128 << 20) - 1 };

static int refuse(const struct log *log, struct sw_error *err)
{
    if (swi_log_bytes_check(&log->bytes, log->path, err) < 0)
        return err->code;
    return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", log->path, strerror(errno));
}

/* If the first line is wrong, it is probably another kind of file. */
static int bad_line(const struct log *log, const char *why, struct sw_error *err)
{
    return sw_error_set(err, SW_EFORMAT, "%s:%ld: %s%s", log->path, log->number, why,
                        log->number == 1 ? ": is it a run log?" : "");
}

bool log_is_read_once(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

int log_open(struct log *log, const char *path, struct sw_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    *log = (struct log){.path = path};
    swi_log_bytes_init(&log->bytes, fd);
    return fd >= 0 ? 0 : refuse(log, err);
}

void log_close(struct log *log)
{
    if (log->bytes.fd > STDIN_FILENO)
        close(log->bytes.fd);
    swi_log_bytes_fini(&log->bytes);
    free(log->buffer);
    log_line_free(&log->line);
    thinned_steps_free(&log->steps);
}

/* ---- the text of lines ---- */

/* Makes room for more data after what is there. */
static bool room_make(struct log *log)
{
    if (log->begin)
        memmove(log->buffer, log->buffer + log->begin, log->end - log->begin);
    log->end -= log->begin;
    log->begin = 0;
    if (log->room > log->end + 1)
        return true;
    size_t room = log->room ? 2 * log->room : ROOM;
    char *grown = realloc(log->buffer, room);
    if (!grown)
        return false;
    log->buffer = grown;
    log->room = room;
    return true;
}

/* Leaves out what is there of a line. */
static int line_leave(struct log *log, const char *why, struct sw_error *err)
{
    log->begin = log->end = 0;
    log->number++;
    return bad_line(log, why, err);
}

/* Leaves out all of it. A file whose first line is so long is no log: its end is of no interest. */
static int long_line_leave(struct log *log, struct sw_error *err)
{
    const char *newline = NULL;
    ssize_t n = 1;
    while (n > 0 && !newline && log->number > 0) {
        n = swi_log_bytes_read(&log->bytes, log->buffer, log->room - 1);
        newline = n > 0 ? memchr(log->buffer, '\n', (size_t)n) : NULL;
    }
    int rc = line_leave(log, "the line is longer than 128 MiB", err);
    if (newline) {
        log->begin = (size_t)(newline + 1 - log->buffer);
        log->end = (size_t)n;
    }
    return rc;
}

/* Reads more. Returns the number of bytes, 0 at the end, or a negative code. */
static ssize_t more_read(struct log *log, struct sw_error *err)
{
    if (log->end - log->begin >= LINE_MOST)
        return long_line_leave(log, err);
    if (!room_make(log))
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for a line", log->path);
    ssize_t n = swi_log_bytes_read(&log->bytes, log->buffer + log->end, log->room - log->end - 1);
    if (n < 0 && errno == EBADMSG)
        return line_leave(log, "a part of the compressed log is damaged", err);
    if (n < 0)
        return refuse(log, err);
    log->end += (size_t)n;
    return n;
}

int log_text_next(struct log *log, char **text, size_t *size, bool *whole, struct sw_error *err)
{
    ssize_t n = 1;
    const char *newline = NULL;
    size_t searched = 0;
    for (*size = log->end - log->begin;; *size = log->end - log->begin) {
        if (*size > searched)
            newline = memchr(log->buffer + log->begin + searched, '\n', *size - searched);
        if (newline || n <= 0)
            break;
        searched = *size;
        n = more_read(log, err);
    }
    if (n < 0 || *size == 0)
        return (int)n;
    *text = log->buffer + log->begin;
    *whole = newline;
    *size = newline ? (size_t)(newline - *text) : *size;
    (*text)[*size] = '\0';
    log->begin += *size + *whole;
    log->number++;
    return 1;
}

void log_seek_tail(struct log *log, off_t size)
{
    SW_ERROR_SCOPE(ignored);
    char *text;
    size_t length;
    bool whole;
    log->begin = log->end = 0;
    log->steps.next = log->steps.count;
    if (swi_log_bytes_tail(&log->bytes, size))
        log_text_next(log, &text, &length, &whole, &ignored);
}

/* ---- lines ---- */

/* jansson says where the mistake is. */
static int bad_text(const struct log *log, char *text, size_t size, bool whole,
                    struct sw_error *err)
{
    json_error_t wrong = {.text = "it is not JSON"};
    if (log->line.failed)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for a line", log->path);
    text[size] = whole ? '\n' : '\0';
    json_decref(json_loadb(text, size + whole, JSON_REJECT_DUPLICATES, &wrong));
    return bad_line(log, wrong.text, err);
}

static int step_next(struct log *log, const struct log_value **line, struct sw_error *err)
{
    *line = thinned_steps_next(&log->steps);
    if (*line)
        return 1;
    log->steps.next = log->steps.count;
    return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for a line", log->path);
}

/* Gets the first step of a line that has several, or the line itself. */
static int steps_next(struct log *log, const struct log_value **line, struct sw_error *err)
{
    const struct log_value *sum = *line;
    const char *wrong = thinned_steps_wrong(sum);
    if (!wrong && log->sums)
        return 1;
    *line = NULL;
    if (wrong)
        return bad_line(log, wrong, err);
    thinned_steps_begin(&log->steps, sum);
    return step_next(log, line, err);
}

int log_next(struct log *log, const struct log_value **line, struct sw_error *err)
{
    if (thinned_steps_left(&log->steps))
        return step_next(log, line, err);
    char *text = NULL;
    size_t size = 0;
    bool whole = false;
    *line = NULL;
    int rc = log_text_next(log, &text, &size, &whole, err);
    if (rc <= 0)
        return rc;
    const struct log_value *parsed = log_line_parse(&log->line, text, size);
    /* The program may have been killed while it wrote the last line. */
    if (!parsed && !whole && !log->line.failed) {
        log->torn = true;
        return 0;
    }
    if (!parsed)
        return bad_text(log, text, size, whole, err);
    if (log_is_type(parsed, LINE_NONE))
        return bad_line(log, "expected an object with a \"type\"", err);
    *line = parsed;
    return log_is_type(parsed, LINE_STEPS) ? steps_next(log, line, err) : 1;
}

int log_first_line(struct log *log, const struct log_value **line, struct sw_error *err)
{
    int rc = log_next(log, line, err);
    if (rc == 0)
        return sw_error_set(err, SW_EFORMAT, "%s: has no complete line: is it a run log?",
                            log->path);
    return rc > 0 && log_run_check(log->path, *line, err) < 0 ? err->code : rc;
}

/* ---- what lines of several types have ---- */

bool log_is_name(const char *name)
{
    static const char end[] = ".jsonl";
    size_t size = swi_length_unpacked(name), length = sizeof end - 1;
    return size > length && memcmp(name + size - length, end, length) == 0;
}

int64_t log_step(const struct log_value *line)
{
    const int64_t most = (INT64_C(1) << 52) - 1;
    int64_t step = log_integer(line, "step", 0);
    return step < 0 ? 0 : step < most ? step : most;
}

bool log_is_of_loop(const char *action)
{
    return SWI_IS_ONE_OF(action, "fit", "epoch", "train", "valid");
}

int log_phase(const struct log_value *row)
{
    static const char *const names[] = {"fit",    "train", "valid", "threads",
                                        "before", "after", "spans", NULL};
    return swi_place_of(log_string(row, "phase", ""), names);
}

int log_run_check(const char *path, const struct log_value *run, struct sw_error *err)
{
    int64_t version = log_integer(run, "version", 0);
    if (!log_is_type(run, LINE_RUN))
        return sw_error_set(err, SW_EFORMAT,
                            "%s:1: a run log must begin with a line of type \"run\"", path);
    if (version != 1)
        return sw_error_set(err, SW_EFORMAT, "%s:1: version %lld is not known, expected 1", path,
                            (long long)version);
    return 0;
}

bool log_is_of_results(const struct log_value *run)
{
    const char *detail = log_string(run, "detail", "");
    return strcmp(detail, "metrics") == 0 || strcmp(detail, "summary") == 0;
}

bool log_has_regions(const struct log_value *run)
{
    return strcmp(log_string(run, "detail", ""), "regions") == 0 && !log_true(run, "windowed");
}
