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
    size_t inlined, inlined_end; /* of `inlined`: those that are in it */
};

struct debug {
    struct debug_function *function; /* by address */
    size_t count;
    struct debug_function *inlined; /* ranges of functions within others, the outer ones first */
    size_t inlined_count;
    bool failed; /* out of memory */
};

/* Reads all functions of a file; with `inlined`, those as well that were inlined, and the parts of
 * functions that are elsewhere. False if it has
 * no debug information, or this program was built without libdw. */
bool debug_read(struct debug *debug, const char *path, bool inlined);
void debug_free(struct debug *debug);

/* The functions that were inlined at an address of a function, the outer ones first; no more than
 * `most`. Returns how many. */
size_t debug_inlined(const struct debug *debug, const struct debug_function *function,
                     uint64_t address, const struct debug_function **chain, size_t most);

/* The function whose entry is at an address, or that contains it; NULL if there is none. */
const struct debug_function *debug_find(const struct debug *debug, uint64_t address, bool inside);

#endif
