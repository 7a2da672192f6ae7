/* SPDX-License-Identifier: MIT */
/* pstats.h - prints a profile in the format of Python's pstats: sort keys, restrictions, and the
 * table. */
#ifndef SINKS_COMMON_FUNCTIONS_PSTATS_H
#define SINKS_COMMON_FUNCTIONS_PSTATS_H

#include "core/text/buffer.h"
#include "sinks/common/functions/stats.h"

#include <stepwatch/error.h>

#include <stdio.h>

enum pstats_view { PSTATS_FUNCTIONS, PSTATS_CALLERS, PSTATS_CALLEES };

enum { PSTATS_SORTS = 16 };

struct pstats {
    const char *const *sort;        /* keys, terminated by NULL; none: the order of the profile */
    const char *const *restrict_to; /* terminated by NULL */
    bool reverse;                   /* of what is sorted: pstats does not reverse anything else */
    enum pstats_view view;
    bool sampled;    /* counts are samples, not calls */
    int64_t samples; /* the total */
};

/* Checks all keys and restrictions. */
int pstats_check(const struct pstats *how, struct sw_error *err);

struct pstats_row {
    const struct function *function;
    size_t number;
    char *shown;
};

/* Returns the functions that `how` leaves, in its order; NULL if out of memory. The caller gives
 * them to pstats_rows_free(), with the number of functions.
 *
 * count: set to how many are left.
 * reduced: gets a line about each restriction that left some out. */
struct pstats_row *pstats_rows_new(const struct stats *stats, const struct pstats *how,
                                   size_t *count, struct swi_text *reduced);
void pstats_rows_free(struct pstats_row *rows, size_t count);

/* Returns what pstats says of a sort key: "cumulative time". */
const char *pstats_order_name(const char *key);

/* Prints the profile. Returns false if out of memory. */
bool pstats_print(FILE *out, const struct stats *stats, const struct pstats *how);

#endif
