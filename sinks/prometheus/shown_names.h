/* SPDX-License-Identifier: MIT */
/* shown_names.h - the names that are shown, up to a number of them, and how many others there are.
 */
#ifndef SINKS_PROMETHEUS_SHOWN_NAMES_H
#define SINKS_PROMETHEUS_SHOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Further names are counted up to this many. It bounds the memory that their hashes take. */
enum { SWI_DROPPED_MOST = 1 << 16 };

/* A table of hashes with free places. */
struct swi_hash_table {
    size_t *at;   /* index + 1; 0: free */
    size_t slots; /* a power of two, or 0 */
};

/* Begins as {.most = N}. */
struct swi_shown_names {
    size_t most;
    size_t count, room;
    char **name; /* in the order in which they came */
    size_t dropped, dropped_room;
    uint64_t *dropped_hash;
    struct swi_hash_table shown, others;
};

/* Returns the index of a name, from 0, or -1 if it is not shown. */
ptrdiff_t swi_shown_names_at(struct swi_shown_names *names, const char *name);

/* Makes room for one more element of an array. Returns false if out of memory. */
bool swi_list_grow(void **array, size_t *room, size_t count, size_t size);

void swi_shown_names_free(struct swi_shown_names *names);

#endif
