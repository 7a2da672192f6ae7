/* SPDX-License-Identifier: MIT */
#include "tools/watch/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct at {
    const char *at, *end;
};

static bool take(struct at *at, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(at->end - at->at) < size || memcmp(at->at, text, size) != 0)
        return false;
    at->at += size;
    return true;
}

static bool integer(struct at *at, int64_t *value)
{
    bool negative = take(at, "-");
    const char *begin = at->at;
    int64_t sum = 0;
    while (at->at < at->end && *at->at >= '0' && *at->at <= '9' && at->at - begin < 18)
        sum = 10 * sum + (*at->at++ - '0');
    *value = negative ? -sum : sum;
    return at->at > begin;
}

/* Behind the first quote, up to the second. */
static bool text(struct at *at, struct step_text *text)
{
    text->at = at->at;
    while (at->at < at->end && *at->at != '"' && *at->at != '\\')
        at->at++;
    text->size = (size_t)(at->at - text->at);
    return take(at, "\"");
}

/* A number, or the sum of a list of them. */
static bool durations(struct at *at, int64_t *sum)
{
    int64_t value;
    *sum = 0;
    if (!take(at, "["))
        return integer(at, sum);
    do {
        if (!integer(at, &value))
            return false;
        *sum += value;
    } while (take(at, ","));
    return take(at, "]");
}

static bool step(struct at *at, struct scanned *scanned)
{
    scanned->type = SCANNED_STEP;
    if (!integer(at, &scanned->t) || !take(at, ",\"step\":") || !integer(at, &scanned->step) ||
        !take(at, ",\"phase\":\""))
        return false;
    scanned->valid = take(at, "valid\"");
    if ((!scanned->valid && !take(at, "train\"")) || !take(at, ",\"samples\":") ||
        !integer(at, &scanned->samples) || !take(at, ",\"durations\":{"))
        return false;
    for (scanned->parts = 0; scanned->parts < SCAN_PARTS && take(at, "\""); scanned->parts++) {
        if (!text(at, &scanned->part[scanned->parts].action) || !take(at, ":") ||
            !durations(at, &scanned->part[scanned->parts].ns))
            return false;
        take(at, ",");
    }
    return take(at, "}");
}

/* strtod() would read behind the end of the line. */
static bool number(struct at *at, double *value)
{
    char copy[48], *end;
    size_t size = 0;
    while (size < sizeof copy - 1 && at->at + size < at->end && at->at[size] != ',' &&
           at->at[size] != '}')
        size++;
    memcpy(copy, at->at, size);
    copy[size] = '\0';
    at->at += size;
    if (!size)
        *value = 0;
    else if (strcmp(copy, "\"NaN\"") == 0)
        *value = NAN;
    else if (strcmp(copy, "\"Infinity\"") == 0 || strcmp(copy, "\"-Infinity\"") == 0)
        *value = copy[1] == '-' ? -INFINITY : INFINITY;
    else
        *value = strtod(copy, &end);
    return size > 0;
}

static bool metric(struct at *at, struct scanned *scanned)
{
    scanned->type = SCANNED_METRIC;
    if (!integer(at, &scanned->t) || !take(at, ",\"step\":") || !integer(at, &scanned->step) ||
        !take(at, ",\"name\":\"") || !text(at, &scanned->name) || !take(at, ",\"value\":") ||
        !number(at, &scanned->value))
        return false;
    scanned->by_profiler = take(at, ",\"by\":\"profiler\"");
    scanned->own_step = take(at, ",\"own_step\":true");
    return take(at, "}");
}

bool scan_line(const char *line, size_t size, struct scanned *scanned)
{
    struct at at = {line, line + size};
    if (!take(&at, "{\"type\":\""))
        return false;
    if (take(&at, "step\",\"t\":"))
        return step(&at, scanned);
    return take(&at, "metric\",\"t\":") && metric(&at, scanned);
}
