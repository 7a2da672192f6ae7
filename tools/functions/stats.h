/* SPDX-License-Identifier: MIT */
/* stats.h - what cProfile would know of a profile: for each function its calls, its own time, its
 * time with callees, and the same for each of its callers. */
#ifndef TOOLS_FUNCTIONS_STATS_H
#define TOOLS_FUNCTIONS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counts {
    int64_t nc; /* calls */
    int64_t cc; /* those that were not recursive */
    double tt;  /* seconds: own time */
    double ct;  /* and with callees */
};

struct edge {
    size_t caller; /* number of the function */
    struct counts counts;
};

struct function {
    char *file;   /* "~": none */
    int64_t line; /* 0: unknown */
    char *name;
    struct counts counts;
    struct edge *callers;
    size_t caller_count;
};

struct stats {
    struct function *function;
    size_t count;
    bool failed; /* out of memory somewhere */
    void *index; /* stats.c */
    size_t index_size;
};

void stats_free(struct stats *stats);

/* The function of these names, added if it is new. SIZE_MAX without memory. */
size_t stats_function(struct stats *stats, const char *file, int64_t line, const char *name);

/* The counts of a caller; NULL without memory. */
struct counts *stats_edge(struct stats *stats, size_t function, size_t caller);

void counts_add(struct counts *to, const struct counts *from);

/* The name as reports print it: file:line(name), or {name} without a file. The caller's to free. */
char *function_shown(const struct function *function);

/* A new profile of the same functions without the folders of their files; those that become equal
 * are added up. False without memory. */
bool stats_strip(const struct stats *stats, struct stats *stripped);

/* By file, line and name. */
int function_compare(const struct function *a, const struct function *b);

#endif
