/* SPDX-License-Identifier: MIT */
/* stats.h - the data of cProfile: for each function its calls, its self time, its time with
 * callees, and the same for each of its callers. */
#ifndef SINKS_COMMON_FUNCTIONS_STATS_H
#define SINKS_COMMON_FUNCTIONS_STATS_H

#include "core/text/map.h"

#include <stepwatch/error.h>

#include <stdio.h>

struct counts {
    int64_t nc; /* calls */
    int64_t cc; /* calls that were not recursive */
    double tt;  /* self time in seconds */
    double ct;  /* time with callees in seconds */
};

struct edge {
    size_t caller; /* number of the function */
    struct counts counts;
    uint32_t open; /* while a tree is walked: how often it is open on the way down */
};

struct function {
    const char *file; /* "~" if there is none */
    int64_t line;     /* 0 if unknown */
    const char *name;
    struct counts counts;
    uint32_t open; /* as of an edge */
    struct edge *callers;
    size_t caller_count;
};

struct stats {
    struct swi_map keys;       /* line, file and name of each function, whose texts are in them */
    struct function *function; /* by the number of the key */
    size_t count;
    bool failed; /* out of memory */
};

void stats_free(struct stats *stats);

/* Returns the function with these names and adds it if it is new. Returns SIZE_MAX if out of
 * memory. */
size_t stats_function(struct stats *stats, const char *file, int64_t line, const char *name);

/* Returns what is counted of a caller, or NULL if out of memory. It is valid until the next call.
 */
struct edge *stats_edge(struct stats *stats, size_t function, size_t caller);

void counts_add(struct counts *to, const struct counts *from);

/* Returns the name in reports: file:line(name), or {name} without a file. The caller frees it. */
char *function_shown(const struct function *function);

/* Makes a new profile of the same functions without the folders of their files. Functions that
 * become equal are added up. Returns false if out of memory. */
bool stats_strip(const struct stats *stats, struct stats *stripped);

/* Compares by file, line and name. */
int function_compare(const struct function *a, const struct function *b);

/* ---- files of Python's cProfile: .prof ------------------------------------------------------- */

/* Writes a profile that Python 2.7 to 3.13 can read. */
void marshal_write(FILE *out, const struct stats *stats);

#endif
