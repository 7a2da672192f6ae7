/* SPDX-License-Identifier: MIT */
/* Nothing in the file is trusted: each size and each offset is checked before it is used. */
#include "core/process/handlers.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns this part of the file and a NUL, the caller's to free, or NULL. */
static void *part_new(const struct swi_object_file *file, uint64_t offset, uint64_t size)
{
    if (offset > file->size || size > file->size - offset)
        return NULL;
    char *part = malloc((size_t)size + 1);
    if (part && pread(file->fd, part, (size_t)size, (off_t)offset) != (ssize_t)size) {
        free(part);
        return NULL;
    }
    if (part)
        part[size] = '\0';
    return part;
}

static void *section_new(const struct swi_object_file *file, const ElfW(Shdr) * section)
{
    return section->sh_type == SHT_NOBITS ? NULL
                                          : part_new(file, section->sh_offset, section->sh_size);
}

static bool header_read(struct swi_object_file *file)
{
    struct stat st;
    ElfW(Ehdr) *header = &file->header;
    enum { NATIVE = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };
    if (fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    file->size = (size_t)st.st_size;
    return pread(file->fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == NATIVE &&
           header->e_shentsize == sizeof *file->section &&
           header->e_phentsize == sizeof(ElfW(Phdr));
}

static void sections_read(struct swi_object_file *file)
{
    const ElfW(Ehdr) *header = &file->header;
    file->section =
        part_new(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof *file->section);
    if (!file->section || header->e_shstrndx >= header->e_shnum)
        return;
    const ElfW(Shdr) *names = &file->section[header->e_shstrndx];
    file->names = section_new(file, names);
    file->names_size = (size_t)names->sh_size;
    file->sections = file->names ? header->e_shnum : 0;
}

void swi_object_file_open(struct swi_object_file *file, const char *path)
{
    /* A FIFO may have taken the place of the file. */
    *file = (struct swi_object_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd >= 0 && header_read(file))
        sections_read(file);
}

void swi_object_file_close(struct swi_object_file *file)
{
    free(file->section);
    free(file->names);
    if (file->fd >= 0)
        close(file->fd);
}

bool swi_object_file_has_section(const struct swi_object_file *file, const char *name)
{
    for (size_t i = 0; i < file->sections; i++) {
        size_t at = file->section[i].sh_name;
        if (at < file->names_size && strcmp(file->names + at, name) == 0)
            return true;
    }
    return false;
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct symbols {
    ElfW(Sym) * item;
    size_t count;
    char *names;
    size_t names_size;
};

static const char *name_of(const struct symbols *symbols, const ElfW(Sym) * symbol)
{
    return symbol->st_name < symbols->names_size ? symbols->names + symbol->st_name : "";
}

/* Reads the symbols of the type SHT_SYMTAB, all, or SHT_DYNSYM, those for other objects. */
static void symbols_read(const struct swi_object_file *file, unsigned type, struct symbols *symbols)
{
    *symbols = (struct symbols){0};
    for (size_t i = 0; i < file->sections; i++) {
        const ElfW(Shdr) *section = &file->section[i];
        if (section->sh_type != type || section->sh_link >= file->sections)
            continue;
        const ElfW(Shdr) *names = &file->section[section->sh_link];
        symbols->item = section_new(file, section);
        symbols->names = section_new(file, names);
        symbols->names_size = symbols->names ? (size_t)names->sh_size : 0;
        symbols->count =
            symbols->item && symbols->names ? (size_t)section->sh_size / sizeof *symbols->item : 0;
        return;
    }
}

static void symbols_free(struct symbols *symbols)
{
    free(symbols->item);
    free(symbols->names);
}

static bool is_function(const ElfW(Sym) * symbol)
{
    return (symbol->st_info & 0xf) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
}

bool swi_object_file_exports(const struct swi_object_file *file, const char *function)
{
    struct symbols symbols;
    bool found = false;
    symbols_read(file, SHT_DYNSYM, &symbols);
    for (size_t i = 0; !found && i < symbols.count; i++)
        found = is_function(&symbols.item[i]) &&
                strcmp(name_of(&symbols, &symbols.item[i]), function) == 0;
    symbols_free(&symbols);
    return found;
}

/* The address in the file at which the loaded object begins. */
static uintptr_t first_address(const struct swi_object_file *file)
{
    uintptr_t first = UINTPTR_MAX, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t count = file->header.e_phnum;
    ElfW(Phdr) *segment = part_new(file, file->header.e_phoff, (uint64_t)count * sizeof *segment);
    for (size_t i = 0; segment && i < count; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_vaddr < first)
            first = segment[i].p_vaddr;
    free(segment);
    return first & ~(page - 1);
}

static bool copy_function(const struct symbols *symbols, uintptr_t at, char *name, size_t size)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const ElfW(Sym) *symbol = &symbols->item[i];
        if (!is_function(symbol) || at < symbol->st_value ||
            at - symbol->st_value >= symbol->st_size)
            continue;
        snprintf(name, size, "%s", name_of(symbols, symbol));
        return true;
    }
    return false;
}

void swi_object_file_function(const struct swi_object_file *file, const void *base,
                              const void *code, char *name, size_t size)
{
    static const unsigned types[] = {SHT_SYMTAB, SHT_DYNSYM};
    uintptr_t at = (uintptr_t)code - (uintptr_t)base;
    *name = '\0';
    if (!file->sections)
        return;
    at += first_address(file);
    for (size_t i = 0; i < sizeof types / sizeof *types && !*name; i++) {
        struct symbols symbols;
        symbols_read(file, types[i], &symbols);
        copy_function(&symbols, at, name, size);
        symbols_free(&symbols);
    }
}
