/* SPDX-License-Identifier: MIT */
/* log_lines.h - reads a run log line by line (docs/run-log.md). */
#ifndef TOOLS_LOG_LOG_LINES_H
#define TOOLS_LOG_LOG_LINES_H

#include "sinks/common/runlog/log_bytes.h"
#include "tools/log/log_value.h"
#include "tools/log/thinned_steps.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct log {
    const char *path;
    struct swi_log_bytes bytes;
    char *buffer;
    size_t room, begin, end; /* what is in the buffer, and not yet read */
    long number;             /* of the last line read */
    bool torn;               /* the log ends within its last line */
    struct log_line line;
    struct thinned_steps steps; /* of a line that has several */
    bool sums;                  /* leave such a line as it is */
};

/* Returns whether a log cannot be read twice, such as standard input ("-") and other pipes. */
bool log_is_read_once(const char *path);

/* Opens a log. path "-" is stdin. Returns 0 or SW_EIO. */
int log_open(struct log *log, const char *path, struct sw_error *err);
void log_close(struct log *log);

/* Gets the next line, an object, until the next call. A line `steps` is the steps that it was made
 * of, with one number. Returns 1, 0 at the end (a torn last line is
 * the end), SW_EIO, SW_ENOMEM, or SW_EFORMAT, with its number in err, if the line is not valid.
 * line: NULL unless it returns 1. */
int log_next(struct log *log, const struct log_value **line, struct sw_error *err);

/* Gets the first line, which log_run_check() takes. A log without one is SW_EFORMAT. */
int log_first_line(struct log *log, const struct log_value **line, struct sw_error *err);

/* The same as log_next() without parsing it. text: `size` bytes and a NUL instead of the newline;
 * the caller may change it. whole: set to whether it had a newline. SW_EFORMAT: a part of a
 * compressed log is damaged; its lines count as one, and the next call reads on after them. */
int log_text_next(struct log *log, char **text, size_t *size, bool *whole, struct sw_error *err);

/* Continues with the first line that begins in the last `size` bytes of a file. */
void log_seek_tail(struct log *log, off_t size);

/* Returns whether a file of this name is taken for a log in a folder: *.jsonl, *.jsonl.gz and
 * *.jsonl.zst. */
bool log_is_name(const char *name);

/* Returns the training step of a line, from 0 to the last one that a run can have. */
int64_t log_step(const struct log_value *line);

/* Returns 0 or SW_EFORMAT: a log begins with a line `run` of a version that is known. */
int log_run_check(const char *path, const struct log_value *run, struct sw_error *err);

/* Returns whether a log that begins with this line has only results: no steps and no regions. */
bool log_is_of_results(const struct log_value *run);

/* Returns whether it has every region, and no steps: a replay makes them. */
bool log_has_regions(const struct log_value *run);

/* Returns whether an action is one of the loop: fit, epoch, train or valid, which any log has. */
bool log_is_of_loop(const char *action);

/* Returns the enum sw_phase of a row, or -1 if its phase is not known. */
int log_phase(const struct log_value *row);

static inline int log_thread_of(const struct log_value *line)
{
    int64_t thread = log_integer(line, "thread", 0);
    return thread < 0 || thread > 1 << 20 ? 0 : (int)thread;
}

/* ---- the progress of reading a log, on stderr if that is a terminal -------------------------- */

struct progress {
    const struct log *log;
    int64_t size;    /* 0 if not known */
    int64_t next_ms; /* when the next line is due */
    bool on;
    bool shown;
};

/* Begins. No progress is shown if reading takes less than half a second. */
void progress_begin(struct progress *progress, const struct log *log);

/* Shows the progress if it is due. Call it after each line: it rarely looks at the clock. */
void progress_update(struct progress *progress);

/* Removes the line from the terminal. */
void progress_end(struct progress *progress);

#endif
