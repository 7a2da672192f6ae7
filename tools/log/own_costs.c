/* SPDX-License-Identifier: MIT */
#include "tools/log/own_costs.h"

#include "tools/log/log_lines.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FILE *file_open(const char *path)
{
    struct stat status;
    bool twice = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return twice ? fopen(path, "re") : NULL;
}

static void report_take(struct sw_profiler *sw, const json_t *line)
{
    int64_t fit = log_integer(line, "fit", 0);
    bool whole = !json_is_false(json_object_get(line, "complete")) ||
                 json_is_true(json_object_get(line, "interrupted"));
    if (strcmp(log_string(line, "type", ""), "report") == 0 && whole && fit > 0 && fit <= INT_MAX)
        sw_set_costs(sw, (int)fit, log_number(json_object_get(line, "own_ns"), NAN),
                     log_number(json_object_get(line, "joules"), 0));
}

/* Parses only lines that may be reports. Damaged lines are reported when the log is played. */
void own_costs_set(struct sw_profiler *sw, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    FILE *file = file_open(path);
    while (file && (size = getline(&line, &room, file)) >= 0) {
        json_t *report =
            strstr(line, "\"report\"") ? json_loadb(line, (size_t)size, 0, NULL) : NULL;
        if (report)
            report_take(sw, report);
        json_decref(report);
    }
    free(line);
    if (file)
        fclose(file);
}
