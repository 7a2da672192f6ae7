/* SPDX-License-Identifier: MIT */
/* object_file.h - functions and sections of a program or a library, read from its file. The loader
 * knows only the functions that are exported. */
#ifndef CORE_PROCESS_OBJECT_FILE_H
#define CORE_PROCESS_OBJECT_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

struct swi_object_file {
    int fd; /* -1: cannot be read, and has nothing */
    size_t size;
    ElfW(Ehdr) header;
    ElfW(Shdr) * section;
    size_t sections;
    char *names; /* of the sections; ends with NUL */
    size_t names_size;
};

/* Opens what can be read of the file. Call swi_object_file_close() in any case. */
void swi_object_file_open(struct swi_object_file *file, const char *path);
void swi_object_file_close(struct swi_object_file *file);

bool swi_object_file_has_section(const struct swi_object_file *file, const char *name);

/* Returns whether other objects can use a function of this name from it. */
bool swi_object_file_exports(const struct swi_object_file *file, const char *function);

/* Copies the name of the function with the code, or "". base: where the object is loaded. */
void swi_object_file_function(const struct swi_object_file *file, const void *base,
                              const void *code, char *name, size_t size);

#endif
