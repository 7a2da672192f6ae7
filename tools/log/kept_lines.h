/* SPDX-License-Identifier: MIT */
/* kept_lines.h - copies of lines, and of values of lines, for when the log was read. */
#ifndef TOOLS_LOG_KEPT_LINES_H
#define TOOLS_LOG_KEPT_LINES_H

#include "core/text/map.h"
#include "tools/log/log_value.h"

/* Initialise it as {0}. */
struct kept_lines {
    size_t count, room;
    struct log_value **line;
    struct swi_map names; /* if they have names: of each line */
};

/* Keep a copy of a line, or of a line with a name in place of the one before with that name. NULL
 * is not kept. Return false if out of memory. */
bool kept_lines_add(struct kept_lines *kept, const struct log_value *line);
bool kept_lines_put(struct kept_lines *kept, const char *name, const struct log_value *line);

/* Returns the line with a name, or NULL. */
const struct log_value *kept_lines_get(const struct kept_lines *kept, const char *name);
void kept_lines_free(struct kept_lines *kept);

#endif
