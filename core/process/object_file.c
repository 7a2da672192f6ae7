/* SPDX-License-Identifier: MIT */
#include "core/process/object_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *swi_object_file_part(const struct swi_object_file *file, uint64_t offset, uint64_t size)
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
    return section->sh_type == SHT_NOBITS
               ? NULL
               : swi_object_file_part(file, section->sh_offset, section->sh_size);
}

static bool header_read(struct swi_object_file *file)
{
    struct stat st;
    ElfW(Ehdr) *header = &file->header;
    enum { WORD = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };
    enum { ORDER = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB };
    if (fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    file->size = (size_t)st.st_size;
    return pread(file->fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == WORD &&
           header->e_ident[EI_DATA] == ORDER;
}

static void sections_read(struct swi_object_file *file)
{
    const ElfW(Ehdr) *header = &file->header;
    if (header->e_shentsize == sizeof *file->section)
        file->section = swi_object_file_part(file, header->e_shoff,
                                             (uint64_t)header->e_shnum * sizeof *file->section);
    file->sections = file->section ? header->e_shnum : 0;
    if (header->e_shstrndx >= file->sections)
        return;
    const ElfW(Shdr) *names = &file->section[header->e_shstrndx];
    file->names = section_new(file, names);
    file->names_size = file->names ? (size_t)names->sh_size : 0;
}

static void segments_read(struct swi_object_file *file)
{
    const ElfW(Ehdr) *header = &file->header;
    if (header->e_phentsize == sizeof *file->segment)
        file->segment = swi_object_file_part(file, header->e_phoff,
                                             (uint64_t)header->e_phnum * sizeof *file->segment);
    file->segments = file->segment ? header->e_phnum : 0;
}

bool swi_object_file_open(struct swi_object_file *file, const char *path)
{
    /* A FIFO may have taken the place of the file. */
    *file = (struct swi_object_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0 || !header_read(file))
        return false;
    sections_read(file);
    segments_read(file);
    return true;
}

void swi_object_file_close(struct swi_object_file *file)
{
    free(file->section);
    free(file->segment);
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

/* ---- tables ---------------------------------------------------------------------------------- */

bool swi_object_table_read(const struct swi_object_file *file, unsigned type,
                           struct swi_object_table *table)
{
    *table = (struct swi_object_table){0};
    for (size_t i = 0; i < file->sections && !table->item; i++) {
        const ElfW(Shdr) *section = &file->section[i];
        if (section->sh_type != type || section->sh_link >= file->sections)
            continue;
        const ElfW(Shdr) *names = &file->section[section->sh_link];
        table->item = section_new(file, section);
        table->size = table->item ? (size_t)section->sh_size : 0;
        table->names = section_new(file, names);
        table->names_size = table->names ? (size_t)names->sh_size : 0;
    }
    return table->item != NULL;
}

void swi_object_table_free(struct swi_object_table *table)
{
    free(table->item);
    free(table->names);
    *table = (struct swi_object_table){0};
}

const char *swi_object_table_text(const struct swi_object_table *table, uint64_t at)
{
    return at < table->names_size ? table->names + at : "";
}

void swi_object_file_needs(const struct swi_object_file *file,
                           void (*take)(const char *library, void *arg), void *arg)
{
    struct swi_object_table table;
    swi_object_table_read(file, SHT_DYNAMIC, &table);
    const ElfW(Dyn) *dynamic = table.item;
    for (size_t i = 0; i < table.size / sizeof *dynamic && dynamic[i].d_tag != DT_NULL; i++)
        if (dynamic[i].d_tag == DT_NEEDED)
            take(swi_object_table_text(&table, dynamic[i].d_un.d_val), arg);
    swi_object_table_free(&table);
}

/* ---- symbols --------------------------------------------------------------------------------- */

bool swi_object_symbol_is_function(const ElfW(Sym) * symbol)
{
    unsigned type = symbol->st_info & 0xf;
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

bool swi_object_file_has(const struct swi_object_file *file, const char *symbol, bool exported)
{
    struct swi_object_table table;
    bool found = false;
    if (!swi_object_table_read(file, SHT_DYNSYM, &table) && !exported)
        swi_object_table_read(file, SHT_SYMTAB, &table);
    const ElfW(Sym) *item = table.item;
    for (size_t i = 0; i < table.size / sizeof *item && !found; i++)
        found = (!exported || swi_object_symbol_is_function(&item[i])) &&
                strcmp(swi_object_table_text(&table, item[i].st_name), symbol) == 0;
    swi_object_table_free(&table);
    return found;
}

/* The address in the file at which the loaded object begins. */
static uintptr_t first_address(const struct swi_object_file *file)
{
    uintptr_t first = UINTPTR_MAX, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < file->segments; i++)
        if (file->segment[i].p_type == PT_LOAD && file->segment[i].p_vaddr < first)
            first = file->segment[i].p_vaddr;
    return first & ~(page - 1);
}

static void copy_function(const struct swi_object_table *table, uintptr_t at, char *name,
                          size_t size)
{
    const ElfW(Sym) *symbol = table->item;
    for (size_t i = 0; i < table->size / sizeof *symbol && !*name; i++)
        if (swi_object_symbol_is_function(&symbol[i]) && at >= symbol[i].st_value &&
            at - symbol[i].st_value < symbol[i].st_size)
            snprintf(name, size, "%s", swi_object_table_text(table, symbol[i].st_name));
}

void swi_object_file_function(const struct swi_object_file *file, const void *base,
                              const void *code, char *name, size_t size)
{
    static const unsigned types[] = {SHT_SYMTAB, SHT_DYNSYM};
    uintptr_t at = (uintptr_t)code - (uintptr_t)base + first_address(file);
    *name = '\0';
    for (size_t i = 0; i < sizeof types / sizeof *types && !*name; i++) {
        struct swi_object_table table;
        swi_object_table_read(file, types[i], &table);
        copy_function(&table, at, name, size);
        swi_object_table_free(&table);
    }
}
