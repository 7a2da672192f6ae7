/* SPDX-License-Identifier: MIT */
/* object_file.h - reads an ELF file of this machine's kind: its sections, its symbols, and where it
 * is loaded. The loader knows only the functions that are exported. Nothing in a file is trusted:
 * each size and each offset is checked before it is used. */
#ifndef CORE_PROCESS_OBJECT_FILE_H
#define CORE_PROCESS_OBJECT_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_object_file {
    int fd; /* -1: cannot be read, and has nothing */
    size_t size;
    ElfW(Ehdr) header;
    ElfW(Shdr) * section;
    size_t sections;
    ElfW(Phdr) * segment;
    size_t segments;
    char *names; /* of the sections; ends with NUL */
    size_t names_size;
};

/* Opens what can be read of the file. Returns false if it is not such a file. Call
 * swi_object_file_close() in any case. */
bool swi_object_file_open(struct swi_object_file *file, const char *path);
void swi_object_file_close(struct swi_object_file *file);

/* Returns a part of the file and a NUL, the caller's to free; NULL if the file has no such part. */
void *swi_object_file_part(const struct swi_object_file *file, uint64_t offset, uint64_t size);

bool swi_object_file_has_section(const struct swi_object_file *file, const char *name);

/* Returns whether it needs or defines a dynamic symbol or, if it is linked statically, contains it
 * at all. exported: whether other objects can use a function of this name from it. */
bool swi_object_file_has(const struct swi_object_file *file, const char *symbol, bool exported);

/* Calls take() with the name of each library that it needs. */
void swi_object_file_needs(const struct swi_object_file *file,
                           void (*take)(const char *library, void *arg), void *arg);

/* Copies the name of the function with the code, or "". base: where the object is loaded. */
void swi_object_file_function(const struct swi_object_file *file, const void *base,
                              const void *code, char *name, size_t size);

/* ---- all symbols ----------------------------------------------------------------------------- */

/* The items of a section, and the texts that they refer to. */
struct swi_object_table {
    void *item;
    size_t size; /* in bytes */
    char *names; /* ends with NUL */
    size_t names_size;
};

/* Reads the first section of a type: SHT_SYMTAB, all symbols, or SHT_DYNSYM, those for other
 * objects. Returns false if there is none. Call swi_object_table_free() in any case. */
bool swi_object_table_read(const struct swi_object_file *file, unsigned type,
                           struct swi_object_table *table);
void swi_object_table_free(struct swi_object_table *table);

/* Returns a text, or "". */
const char *swi_object_table_text(const struct swi_object_table *table, uint64_t at);

/* Returns whether a symbol is a function of this object. */
bool swi_object_symbol_is_function(const ElfW(Sym) * symbol);

#endif
