/* SPDX-License-Identifier: MIT */
/* object.h - an ELF file: where its parts are loaded, and its table of symbols. */
#ifndef TOOLS_FUNCTIONS_OBJECT_H
#define TOOLS_FUNCTIONS_OBJECT_H

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
    struct symbol *symbol; /* functions, by address */
    size_t count;
};

/* False if it is not a file that can be read. */
bool object_open(struct object *object, const char *path);
void object_close(struct object *object);

/* The address in the object of an offset in its file; false if it is not loaded. */
bool object_address(const struct object *object, uint64_t offset, uint64_t *address);

/* The function at an address, or whose entry it is; NULL if none is known. */
const struct symbol *object_symbol(const struct object *object, uint64_t address, bool inside);

/* Whether the object needs or defines a dynamic symbol, or, linked statically, has it at all. */
bool object_has(const struct object *object, const char *symbol);

/* Whether it has a section of this name. */
bool object_section(const struct object *object, const char *name);

/* Calls take() with the name of each library that the object needs, until that returns true. */
bool object_needs(const struct object *object, bool (*take)(const char *library, void *arg),
                  void *arg);

/* Writes the path of the separate debug information, by build-id; false if there is no build-id. */
bool object_debug_path(const struct object *object, char *path, size_t size);

#endif
