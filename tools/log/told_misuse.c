/* SPDX-License-Identifier: MIT */
#include "tools/log/told_misuse.h"

#include "tools/log/log_lines.h"
#include "tools/output/stderr.h"

#include <stdio.h>
#include <string.h>

static void add(struct told *told, const char *text, json_int_t times)
{
    size_t room = sizeof told->text - told->size;
    int size = snprintf(told->text + told->size, room, "%s%s: %" JSON_INTEGER_FORMAT,
                        told->size ? "; " : "", text, times);
    if (size > 0 && (size_t)size < room)
        told->size += (size_t)size;
    else
        told->text[told->size] = '\0'; /* the rest is in the JSON */
}

void told_line(struct told *told, const json_t *line)
{
    size_t i;
    json_t *misuse;
    if (strcmp(log_string(line, "type", ""), "report") != 0)
        return;
    /* The second report of a fit includes the list of the first. */
    if (json_is_true(json_object_get(line, "amended")) && log_integer(line, "fit", 0) == told->fit)
        told->size = told->before;
    told->before = told->size;
    told->fit = log_integer(line, "fit", 0);
    json_array_foreach(json_object_get(line, "misuse"), i, misuse)
        add(told, log_string(misuse, "text", ""), log_integer(misuse, "times", 0));
}

void told_say(const struct told *told, const char *path)
{
    if (told->size)
        say(NULL, "%s: calls that did not fit, as the report of the run says: %s", path,
            told->text);
}
