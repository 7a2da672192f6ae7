/* SPDX-License-Identifier: MIT */
/* clean_names.h - names as UTF-8, of which no two are the same. */
#ifndef SINKS_COMMON_CLEAN_NAMES_H
#define SINKS_COMMON_CLEAN_NAMES_H

#include <stddef.h>

/* Further odd names may share a clean one. */
enum { SWI_ODD_NAMES_MOST = 4096 };

/* A name that is not UTF-8, or looks like what becomes of one. */
struct swi_odd_name {
    char *raw, *clean;
};

/* Initialise it as {0}. */
struct swi_clean_names {
    struct swi_odd_name *odd;
    size_t count, room;
};

/* Returns a name with \xNN in place of each byte that is not UTF-8. If another name has become the
 * same, it gets the suffix _2, _3 and so on. Borrowed until `names` is freed, or `name` itself. */
const char *swi_clean_name(struct swi_clean_names *names, const char *name);

void swi_clean_names_free(struct swi_clean_names *names);

#endif
