/* SPDX-License-Identifier: MIT */
/* clean_names.h - names as UTF-8, of which no two are the same. */
#ifndef SINKS_COMMON_CLEAN_NAMES_H
#define SINKS_COMMON_CLEAN_NAMES_H

#include "core/text/map.h"

/* Further odd names may share a clean one. */
enum { SWI_ODD_NAMES_MOST = 4096 };

/* Initialise it as {0}. */
struct swi_clean_names {
    struct swi_map odd; /* names that are not UTF-8, or look like what becomes of one */
    const char **clean; /* by the number of the odd name */
    struct swi_map taken;
};

/* Returns a name with \xNN in place of each byte that is not UTF-8. If another name has become the
 * same, it gets the suffix _2, _3 and so on. Borrowed until `names` is freed, or `name` itself. */
const char *swi_clean_name(struct swi_clean_names *names, const char *name);

void swi_clean_names_free(struct swi_clean_names *names);

#endif
