/* SPDX-License-Identifier: MIT */
/* debug.h - the functions that debug information (DWARF) knows, found in one walk. */
#ifndef TOOLS_FUNCTIONS_DEBUG_H
#define TOOLS_FUNCTIONS_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of an object. */
struct debug_function {
    uint64_t start, end; /* of its first range: addresses in the object */
    char *name;          /* as in the source; mangled in C++ where that is known */
    char *file;          /* "" if unknown */
    int64_t line;
    bool mangled;
    bool cplusplus;
};

struct debug {
    struct debug_function *function; /* by address */
    size_t count;
    struct debug_function *inlined; /* ranges of functions within others, the outer ones first */
    size_t inlined_count;
    bool failed; /* out of memory */
};

/* Reads all functions of a file; with `inlined`, those as well that were inlined. False if it has
 * no debug information, or this program was built without libdw. */
bool debug_read(struct debug *debug, const char *path, bool inlined);
void debug_free(struct debug *debug);

/* The innermost inlined function at an address; NULL if there is none. */
const struct debug_function *debug_find_inlined(const struct debug *debug, uint64_t address);

/* The function whose entry is at an address, or that contains it; NULL if there is none. */
const struct debug_function *debug_find(const struct debug *debug, uint64_t address, bool inside);

#endif
