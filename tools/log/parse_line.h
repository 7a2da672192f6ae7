/* SPDX-License-Identifier: MIT */
/* parse_line.h - parses a line of a run log. It becomes one array of values, which is used again
 * for the next line; texts stay where they are. For logs of gigabytes, this is several times as
 * fast as making objects. */
#ifndef TOOLS_LOG_PARSE_LINE_H
#define TOOLS_LOG_PARSE_LINE_H

#include "tools/log/log_value.h"

/* Initialise it as {0}. */
struct log_line {
    struct log_value *value;
    size_t count, room;
    char *decoded; /* texts that had escapes */
    size_t decoded_room;
    size_t **place;
    size_t places, place_room;
    bool failed; /* out of memory */
};

/* Parses an object or an array. text: `size` bytes and a NUL, which the values are part of until
 * the next line. Nothing else may follow, no key may be given twice, and integers must fit into 64
 * bits. Returns NULL if it is not valid, and then the text is as it was, or if out of memory. */
const struct log_value *log_line_parse(struct log_line *line, char *text, size_t size);
void log_line_free(struct log_line *line);

#endif
