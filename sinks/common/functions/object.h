/* SPDX-License-Identifier: MIT */
/* object.h - the functions of an ELF file: of its symbol table, of its unwind information, and of
 * its debug information (DWARF). */
#ifndef SINKS_COMMON_FUNCTIONS_OBJECT_H
#define SINKS_COMMON_FUNCTIONS_OBJECT_H

#include "core/process/object_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the item whose first address is this one or, with `inside`, the last one before it if it
 * contains the address; NULL if there is none. Items begin with the addresses of their start and
 * end, and are sorted by start. */
const void *range_find(const void *items, size_t count, size_t size, uint64_t address, bool inside);

/* ---- symbols --------------------------------------------------------------------------------- */

struct symbol {
    uint64_t start, end; /* addresses in the object */
    const char *name;
};

struct object {
    struct swi_object_file file;
    struct swi_object_table table;
    struct symbol *symbol; /* functions, sorted by address */
    size_t count;
    unsigned char *frames;   /* the table of the unwind information; NULL: not read */
    uint64_t frames_address; /* in the object */
    size_t frame_count;
};

/* Returns false if it is not a readable file. Call object_close() in any case. */
bool object_open(struct object *object, const char *path);
void object_close(struct object *object);

/* Gets the address in the object of an offset in its file. Returns false if it is not loaded. */
bool object_address(const struct object *object, uint64_t offset, uint64_t *address);

/* Gets the begin of the function that contains an address of the object. Returns false if the
 * object has no such table, or one of another form than linkers make. */
bool object_function_start(struct object *object, uint64_t address, uint64_t *start);

/* Writes the path of the separate debug information, found by build-id. Returns false if there is
 * no build-id. */
bool object_debug_path(const struct object *object, char *path, size_t size);

/* ---- debug information ----------------------------------------------------------------------- */

/* A function of an object. */
struct debug_function {
    uint64_t start, end; /* its first range: addresses in the object */
    const char *name;    /* as in the source; mangled in C++ if that is known */
    const char *file;    /* "" if unknown */
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
    bool failed;         /* out of memory */
    struct Dwarf *dwarf; /* has the texts */
    int fd;
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

#endif
