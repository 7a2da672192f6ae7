/* SPDX-License-Identifier: MIT */
#include "tools/log/held.h"

#include "tools/log/log_lines.h"
#include "tools/output/stderr.h"

#include <stdio.h>
#include <string.h>

/* What a mark tells, whatever the detail. */
static bool is_standard(const char *action)
{
    static const char *const names[] = {"fit", "epoch", "train", "valid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], action) == 0)
            return true;
    return false;
}

/* Own actions under train and valid may be within steps or between them: the log does not say. */
bool held_row(const struct held *held, const char *phase, const char *action)
{
    static const char *const outside_phases[] = {"fit", "threads", "before", "after"};
    bool outside = false;
    for (size_t i = 0; i < sizeof outside_phases / sizeof *outside_phases; i++)
        outside = outside || strcmp(phase, outside_phases[i]) == 0;
    return !held->steps_only || !outside || is_standard(action);
}

void held_line(struct held *held, const json_t *line)
{
    const char *type = log_string(line, "type", "");
    size_t i;
    json_t *row;
    if (strcmp(type, "run") == 0)
        held->steps_only = strcmp(log_string(line, "detail", ""), "steps") == 0;
    if (strcmp(type, "report") != 0)
        return;
    bool amended = json_is_true(json_object_get(line, "amended"));
    json_array_foreach(json_object_get(line, "rows"), i, row)
    {
        const char *phase = log_string(row, "phase", ""), *action = log_string(row, "action", "");
        if (amended && strcmp(phase, "after") != 0)
            continue; /* the report before it has told of it */
        if (!held_row(held, phase, action) && held->missing++ == 0)
            snprintf(held->first, sizeof held->first, "%s / %s", phase, action);
    }
}

void held_say(const struct held *held, const char *path)
{
    if (held->missing)
        say(NULL,
            "%s: the run's own report has %zu row%s more, %s%s: with detail: steps a log has no "
            "regions outside of steps; record it with detail: regions",
            path, held->missing, held->missing == 1 ? "" : "s",
            held->missing == 1 ? "" : "the first of them ", held->first);
}
