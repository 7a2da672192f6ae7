/* SPDX-License-Identifier: MIT */
/* shown_names.h - the names that are shown, up to a number of them, and how many others there are.
 */
#ifndef SINKS_PROMETHEUS_SHOWN_NAMES_H
#define SINKS_PROMETHEUS_SHOWN_NAMES_H

#include "core/text/map.h"

/* Further names are counted up to this many. It bounds the memory that their hashes take. */
enum { SWI_DROPPED_MOST = 1 << 16 };

/* Begins as {.most = N}. */
struct swi_shown_names {
    size_t most;
    struct swi_map shown;
    struct swi_map others; /* hashes of the names that are not shown */
};

/* Returns the index of a name, from 0, or -1 if it is not shown. */
ptrdiff_t swi_shown_names_at(struct swi_shown_names *names, const char *name);

void swi_shown_names_free(struct swi_shown_names *names);

#endif
