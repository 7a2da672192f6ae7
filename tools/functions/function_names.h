/* SPDX-License-Identifier: MIT */
/* function_names.h - which function is at a place of an object file, from its debug information or
 * else its table of symbols. No server is ever asked. */
#ifndef TOOLS_FUNCTIONS_FUNCTION_NAMES_H
#define TOOLS_FUNCTIONS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function in which another one was inlined. */
struct outer_name {
    char *function, *file;
    int64_t line;
};

/* A place whose name is looked for, and what was found. */
struct function_name {
    const char *object; /* path; "" if unknown */
    uint64_t offset;    /* in that file; of an unknown object: the address */
    bool inside;        /* any address of the function, not its entry */
    char *function;     /* demangled; <symbol> or <0x1234+libfoo.so> without debug information */
    char *file;         /* "~" if unknown */
    int64_t line;
    struct outer_name *outer; /* of `inside`: the outermost first */
    size_t outer_count;
};

/* Finds the names of those that have none. told(object) is called once for each object whose
 * functions have no file and line. False without memory. */
bool function_names_find(struct function_name *names, size_t count,
                         void (*told)(const char *object));
void function_names_free(struct function_name *names, size_t count);

#endif
