/* SPDX-License-Identifier: MIT */
/* object.h - reads an ELF file: where its parts are loaded, and its symbol table. */
#ifndef SINKS_COMMON_FUNCTIONS_OBJECT_H
#define SINKS_COMMON_FUNCTIONS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
