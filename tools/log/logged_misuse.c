/* SPDX-License-Identifier: MIT */
#include "tools/log/logged_misuse.h"

#include "core/text/buffer.h"
#include "core/text/number.h"
#include "tools/log/log_lines.h"
#include "tools/output/stderr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add(struct told *told, const char *text, int64_t times)
{
    size_t room = sizeof told->text - told->size;
    int size = snprintf(told->text + told->size, room, "%s%s: %" PRId64, told->size ? "; " : "",
                        text, times);
    if (size > 0 && (size_t)size < room)
        told->size += (size_t)size;
    else
        told->text[told->size] = '\0'; /* the rest is in the JSON */
}

void told_line(struct told *told, const struct log_value *line)
{
    if (!log_is_type(line, LINE_REPORT))
        return;
    /* The second report of a fit includes the list of the first. */
    if (log_true(line, "amended") && log_integer(line, "fit", 0) == told->fit)
        told->size = told->before;
    told->before = told->size;
    told->fit = log_integer(line, "fit", 0);
    told->rss_bytes = log_integer(line, "rss_bytes", 0);
    told->peak_rss_bytes = log_integer(line, "peak_rss_bytes", 0);
    const struct log_value *list = log_get(line, "misuse");
    for (const struct log_value *misuse = log_first(list); misuse; misuse = log_after(list, misuse))
        add(told, log_string(misuse, "text", ""), log_integer(misuse, "times", 0));
}

static void memory_say(const struct told *told, const char *path)
{
    struct swi_text text = {0};
    swi_number_bytes(&text, told->rss_bytes);
    swi_text_put(&text, " resident, at most ");
    swi_number_bytes(&text, told->peak_rss_bytes);
    if (text.data)
        say(NULL, "%s: memory of the process, as the report of the run says: %s", path, text.data);
    swi_text_free(&text);
}

void told_say(const struct told *told, const char *path)
{
    if (told->rss_bytes > 0 && !told->memory_shown)
        memory_say(told, path);
    if (told->size)
        say(NULL, "%s: calls that did not fit, as the report of the run says: %s", path,
            told->text);
}
