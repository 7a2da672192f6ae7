/* SPDX-License-Identifier: MIT */
/* function_names.h - finds the function at a place of an object file, from its debug information or
 * its symbol table. No server is ever asked. */
#ifndef SINKS_COMMON_FUNCTIONS_FUNCTION_NAMES_H
#define SINKS_COMMON_FUNCTIONS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function in which another one was inlined. */
struct outer_name {
    char *function, *file;
    int64_t line;
};

/* A place, and the name that was found for it. */
struct function_name {
    const char *object; /* path; "" if unknown */
    uint64_t offset;    /* in that file; the address if the object is unknown */
    bool inside;        /* any address in the function, not its entry */
    char *function;     /* demangled; <symbol> or <0x1234+libfoo.so> without debug information */
    char *file;         /* "~" if unknown */
    int64_t line;
    struct outer_name *outer; /* for `inside`: the outermost first */
    size_t outer_count;
};

/* Finds the missing names. told(object) is called once for each object whose functions have no file
 * and line. Returns false if out of memory. */
bool function_names_find(struct function_name *names, size_t count,
                         void (*told)(const char *object));
void function_names_free(struct function_name *names, size_t count);

#endif
