/* SPDX-License-Identifier: MIT */
/* pstats.h - prints a profile in the format of Python's pstats. */
#ifndef SINKS_COMMON_FUNCTIONS_PSTATS_H
#define SINKS_COMMON_FUNCTIONS_PSTATS_H

#include "sinks/common/functions/stats.h"

#include <stepwatch/error.h>
#include <stdio.h>

enum pstats_view { PSTATS_FUNCTIONS, PSTATS_CALLERS, PSTATS_CALLEES };

enum { PSTATS_SORTS = 16 };

struct pstats {
    const char *const *sort;        /* keys, terminated by NULL; none: the order of the profile */
    const char *const *restrict_to; /* terminated by NULL */
    bool reverse;
    enum pstats_view view;
    bool sampled;    /* counts are samples, not calls */
    int64_t samples; /* the total */
};

/* Checks all keys and restrictions. */
int pstats_check(const struct pstats *how, struct sw_error *err);

/* Prints the profile. Returns false if out of memory. */
bool pstats_print(FILE *out, const struct stats *stats, const struct pstats *how);

#endif
