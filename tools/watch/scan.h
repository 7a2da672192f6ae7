/* SPDX-License-Identifier: MIT */
/* scan.h - the lines that a run log has most of, read without a tree: steps and values. */
#ifndef TOOLS_WATCH_SCAN_H
#define TOOLS_WATCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCAN_PARTS = 64 };

/* A text in the line, without quotes; it has no escapes. */
struct step_text {
    const char *at;
    size_t size;
};

struct scanned {
    enum { SCANNED_STEP, SCANNED_METRIC } type;
    int64_t t, step;
    bool valid;      /* phase of a step */
    int64_t samples; /* -1: it was cancelled */
    size_t parts;
    struct {
        struct step_text action;
        int64_t ns; /* of all calls */
    } part[SCAN_PARTS];
    struct step_text name; /* of a metric */
    double value;
    bool by_profiler;
    bool own_step; /* the step is not where the loop is */
};

/* False where the line is of another kind, or has something that needs a closer look. */
bool scan_line(const char *line, size_t size, struct scanned *scanned);

#endif
