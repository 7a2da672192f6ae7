/* SPDX-License-Identifier: MIT */
/* debug.h - finds functions in debug information (DWARF), in one walk. */
#ifndef SINKS_COMMON_FUNCTIONS_DEBUG_H
#define SINKS_COMMON_FUNCTIONS_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of an object. */
struct debug_function {
    uint64_t start, end; /* its first range: addresses in the object */
    char *name;          /* as in the source; mangled in C++ if that is known */
    char *file;          /* "" if unknown */
    int64_t line;
    bool mangled;
    bool cplusplus;
    size_t inlined, inlined_end; /* range of the functions in it, in `inlined` */
};

struct debug {
    struct debug_function *function; /* sorted by address */
    size_t count;
    struct debug_function *inlined; /* ranges of inlined functions, the outer ones first */
    size_t inlined_count;
    bool failed; /* out of memory */
};

/* Reads all functions of a file. inlined: also those that were inlined, and the parts of functions
 * that are elsewhere. Returns false if the file has no debug information, or this program was built
 * without libdw. */
bool debug_read(struct debug *debug, const char *path, bool inlined);
void debug_free(struct debug *debug);

/* Gets the functions that were inlined at an address of a function, the outer ones first, `most` at
 * most. Returns how many. */
size_t debug_inlined(const struct debug *debug, const struct debug_function *function,
                     uint64_t address, const struct debug_function **chain, size_t most);

/* Returns the function whose entry is at an address or, with `inside`, that contains it; NULL if
 * there is none. */
const struct debug_function *debug_find(const struct debug *debug, uint64_t address, bool inside);

#endif
