/* SPDX-License-Identifier: MIT */
/* object.h - reads an ELF file: where its parts are loaded, its symbol table, and the functions in
 * its debug information (DWARF). */
#ifndef SINKS_COMMON_FUNCTIONS_OBJECT_H
#define SINKS_COMMON_FUNCTIONS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- symbols --------------------------------------------------------------------------------- */

struct symbol {
    uint64_t start, end; /* addresses in the object */
    const char *name;
};

struct object {
    const unsigned char *data;
    size_t size;
    struct symbol *symbol; /* functions, sorted by address */
    size_t count;
};

/* Returns false if it is not a readable file. */
bool object_open(struct object *object, const char *path);
void object_close(struct object *object);

/* Gets the address in the object of an offset in its file. Returns false if it is not loaded. */
bool object_address(const struct object *object, uint64_t offset, uint64_t *address);

/* Returns the function whose entry is at an address or, with `inside`, that contains it; NULL if
 * none is known. */
const struct symbol *object_symbol(const struct object *object, uint64_t address, bool inside);

/* Gets the begin of the function that contains an address of the object. Returns false if the
 * object has no such table, or one of another form than linkers make. */
bool object_function_start(const struct object *object, uint64_t address, uint64_t *start);

/* Returns whether the object needs or defines a dynamic symbol or, if it is linked statically,
 * contains it at all. */
bool object_has(const struct object *object, const char *symbol);

/* Returns whether it has a section of this name. */
bool object_section(const struct object *object, const char *name);

/* Calls take() with the name of each library that the object needs, until take() returns true. */
bool object_needs(const struct object *object, bool (*take)(const char *library, void *arg),
                  void *arg);

/* Writes the path of the separate debug information, found by build-id. Returns false if there is
 * no build-id. */
bool object_debug_path(const struct object *object, char *path, size_t size);

/* ---- debug information ----------------------------------------------------------------------- */

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
