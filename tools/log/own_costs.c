/* SPDX-License-Identifier: MIT */
#include "tools/log/own_costs.h"

#include "tools/log/log_lines.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A pipe cannot be read twice. */
static bool is_file(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void report_take(struct sw_profiler *sw, const struct log_value *line)
{
    int64_t fit = log_integer(line, "fit", 0);
    bool whole = !log_false(line, "complete") || log_true(line, "interrupted");
    if (log_is_type(line, LINE_REPORT) && whole && fit > 0 && fit <= INT_MAX)
        sw_set_costs(sw, (int)fit, log_number(log_get(line, "own_ns"), NAN),
                     log_number(log_get(line, "joules"), 0));
}

/* Parses only lines that may be reports. Damaged lines are reported when the log is played. */
void own_costs_set(struct sw_profiler *sw, const char *path)
{
    SW_ERROR_SCOPE(ignored);
    struct log log;
    char *text;
    size_t size;
    bool whole, twice = is_file(path) && log_open(&log, path, &ignored) == 0;
    while (twice && log_text_next(&log, &text, &size, &whole, &ignored) > 0)
        if (strstr(text, "\"report\""))
            report_take(sw, log_line_parse(&log.line, text, size));
    if (twice)
        log_close(&log);
}
