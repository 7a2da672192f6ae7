/* SPDX-License-Identifier: MIT */
/* Every number in the file is checked before it is used, because the file may be damaged. */
#include "sinks/common/functions/object.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_inside(const struct object *object, uint64_t at, uint64_t size)
{
    return at <= object->size && size <= object->size - at;
}

static const Elf64_Ehdr *header(const struct object *object)
{
    return (const Elf64_Ehdr *)object->data;
}

static const Elf64_Shdr *section_at(const struct object *object, unsigned n)
{
    const Elf64_Ehdr *elf = header(object);
    uint64_t at = elf->e_shoff + (uint64_t)n * sizeof(Elf64_Shdr);
    bool fine = n < elf->e_shnum && elf->e_shentsize == sizeof(Elf64_Shdr) && at % 8 == 0 &&
                is_inside(object, at, sizeof(Elf64_Shdr));
    return fine ? (const Elf64_Shdr *)(object->data + at) : NULL;
}

static const Elf64_Phdr *segment_at(const struct object *object, unsigned n)
{
    const Elf64_Ehdr *elf = header(object);
    uint64_t at = elf->e_phoff + (uint64_t)n * sizeof(Elf64_Phdr);
    bool fine = n < elf->e_phnum && elf->e_phentsize == sizeof(Elf64_Phdr) && at % 8 == 0 &&
                is_inside(object, at, sizeof(Elf64_Phdr));
    return fine ? (const Elf64_Phdr *)(object->data + at) : NULL;
}

/* Returns a text that ends within its table; "" if it does not. */
static const char *text_at(const struct object *object, const Elf64_Shdr *table, uint64_t at)
{
    if (!table || !is_inside(object, table->sh_offset, table->sh_size) || at >= table->sh_size)
        return "";
    const char *text = (const char *)object->data + table->sh_offset + at;
    return memchr(text, '\0', table->sh_size - at) ? text : "";
}

static const Elf64_Shdr *section_of(const struct object *object, unsigned type)
{
    const Elf64_Shdr *section;
    for (unsigned i = 0; (section = section_at(object, i)); i++)
        if (section->sh_type == type && is_inside(object, section->sh_offset, section->sh_size))
            return section;
    return NULL;
}

bool object_section(const struct object *object, const char *name)
{
    const Elf64_Shdr *section, *names = section_at(object, header(object)->e_shstrndx);
    for (unsigned i = 0; (section = section_at(object, i)); i++)
        if (section->sh_type != SHT_NOBITS &&
            strcmp(text_at(object, names, section->sh_name), name) == 0)
            return true;
    return false;
}

/* ---- symbols ---- */

static int symbols_compare(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end != y->end ? (x->end > y->end ? -1 : 1) : strcmp(x->name, y->name);
}

static const Elf64_Sym *symbols_of(const struct object *object, const Elf64_Shdr *table,
                                   size_t *count)
{
    bool fine = table && table->sh_offset % 8 == 0;
    *count = fine ? table->sh_size / sizeof(Elf64_Sym) : 0;
    return fine ? (const Elf64_Sym *)(object->data + table->sh_offset) : NULL;
}

static void symbols_read(struct object *object)
{
    size_t count;
    const Elf64_Shdr *table = section_of(object, SHT_SYMTAB);
    if (!table)
        table = section_of(object, SHT_DYNSYM);
    const Elf64_Sym *symbol = symbols_of(object, table, &count);
    object->symbol = count ? calloc(count, sizeof *object->symbol) : NULL;
    for (size_t i = 0; object->symbol && i < count; i++) {
        unsigned type = ELF64_ST_TYPE(symbol[i].st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol[i].st_shndx != SHN_UNDEF)
            object->symbol[object->count++] = (struct symbol){
                symbol[i].st_value, symbol[i].st_value + symbol[i].st_size,
                text_at(object, section_at(object, table->sh_link), symbol[i].st_name)};
    }
    if (object->symbol && object->count)
        qsort(object->symbol, object->count, sizeof *object->symbol, symbols_compare);
}

const struct symbol *object_symbol(const struct object *object, uint64_t address, bool inside)
{
    size_t low = 0, high = object->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->symbol[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < object->count && object->symbol[low].start == address)
        return &object->symbol[low];
    if (inside && low && object->symbol[low - 1].end > address)
        return &object->symbol[low - 1];
    return NULL;
}

static bool table_has(const struct object *object, const Elf64_Shdr *table, const char *name)
{
    size_t count;
    const Elf64_Sym *symbol = symbols_of(object, table, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(text_at(object, section_at(object, table->sh_link), symbol[i].st_name), name) ==
            0)
            return true;
    return false;
}

bool object_has(const struct object *object, const char *symbol)
{
    const Elf64_Shdr *table = section_of(object, SHT_DYNSYM);
    return table_has(object, table ? table : section_of(object, SHT_SYMTAB), symbol);
}

/* ---- segments ---- */

bool object_address(const struct object *object, uint64_t offset, uint64_t *address)
{
    const Elf64_Phdr *segment;
    for (unsigned i = 0; (segment = segment_at(object, i)); i++) {
        if (segment->p_type == PT_LOAD && offset >= segment->p_offset &&
            offset - segment->p_offset < segment->p_filesz) {
            *address = offset - segment->p_offset + segment->p_vaddr;
            return true;
        }
    }
    return false;
}

bool object_needs(const struct object *object, bool (*take)(const char *library, void *arg),
                  void *arg)
{
    const Elf64_Shdr *table = section_of(object, SHT_DYNAMIC);
    if (!table || table->sh_offset % 8)
        return false;
    const Elf64_Dyn *dynamic = (const Elf64_Dyn *)(object->data + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *dynamic && dynamic[i].d_tag != DT_NULL; i++)
        if (dynamic[i].d_tag == DT_NEEDED &&
            take(text_at(object, section_at(object, table->sh_link), dynamic[i].d_un.d_val), arg))
            return true;
    return false;
}

/* ---- where the functions begin, by the table of the unwind information ---- */

/* A stripped object has it, too. */
/* .eh_frame_hdr: a sorted table of pairs, the begin of a function and its entry in .eh_frame, as
 * differences to the address of the table. */

enum { HEAD = 12, PAIR = 8 };

struct frame_table {
    const unsigned char *pair;
    uint64_t address; /* of the table's head */
    size_t count;
};

/* Returns the bytes at an address; NULL if there are not so many in the file. */
static const unsigned char *bytes_at(const struct object *object, uint64_t address, uint64_t size)
{
    const Elf64_Phdr *segment;
    for (unsigned i = 0; (segment = segment_at(object, i)); i++) {
        uint64_t from = address - segment->p_vaddr, offset = segment->p_offset + from;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && from < segment->p_filesz &&
            segment->p_filesz - from >= size && is_inside(object, offset, size))
            return object->data + offset;
    }
    return NULL;
}

static int32_t number_at(const unsigned char *bytes)
{
    int32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* The forms of the numbers are those that all linkers write: 4 bytes each. */
static bool table_find(const struct object *object, struct frame_table *table)
{
    static const unsigned char form[4] = {1, 0x1b, 0x03, 0x3b};
    const Elf64_Phdr *segment;
    for (unsigned i = 0; (segment = segment_at(object, i)); i++) {
        const unsigned char *head = segment->p_type == PT_GNU_EH_FRAME
                                        ? bytes_at(object, segment->p_vaddr, segment->p_filesz)
                                        : NULL;
        if (!head || segment->p_filesz < HEAD || memcmp(head, form, sizeof form) != 0)
            continue;
        uint64_t count = (uint32_t)number_at(head + 8);
        *table = (struct frame_table){head + HEAD, segment->p_vaddr, (size_t)count};
        return count <= (segment->p_filesz - HEAD) / PAIR;
    }
    return false;
}

/* Returns whether the entry of a function has this begin, and contains the address. */
static bool entry_has(const struct object *object, uint64_t entry, uint64_t start, uint64_t address)
{
    const unsigned char *bytes = bytes_at(object, entry, 16);
    uint64_t begin = bytes ? entry + 8 + (uint64_t)(int64_t)number_at(bytes + 8) : 0;
    return bytes && begin == start && address - start < (uint32_t)number_at(bytes + 12);
}

bool object_function_start(const struct object *object, uint64_t address, uint64_t *start)
{
    struct frame_table table;
    if (!table_find(object, &table))
        return false;
    size_t low = 0, high = table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t begin = table.address + (uint64_t)(int64_t)number_at(table.pair + PAIR * middle);
        if (begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const unsigned char *pair = table.pair + PAIR * (low - 1);
    *start = table.address + (uint64_t)(int64_t)number_at(pair);
    uint64_t entry = table.address + (uint64_t)(int64_t)number_at(pair + 4);
    return entry_has(object, entry, *start, address);
}

/* ---- the build-id ---- */

bool object_debug_path(const struct object *object, char *path, size_t size)
{
    const Elf64_Shdr *section;
    for (unsigned i = 0; (section = section_at(object, i)); i++) {
        if (section->sh_type != SHT_NOTE || section->sh_size < 20 ||
            !is_inside(object, section->sh_offset, section->sh_size) || section->sh_offset % 4)
            continue;
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)(object->data + section->sh_offset);
        const unsigned char *id = (const unsigned char *)(note + 1) + 4;
        if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || note->n_descsz < 2 ||
            note->n_descsz > section->sh_size - 16 || note->n_descsz > 64)
            continue;
        int at = snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", id[0]);
        for (unsigned k = 1; k < note->n_descsz; k++)
            at += snprintf(path + at, size - (size_t)at, "%02x", id[k]);
        snprintf(path + at, size - (size_t)at, ".debug");
        return true;
    }
    return false;
}

/* ---- the file ---- */

static bool is_elf(const struct object *object)
{
    const Elf64_Ehdr *elf = header(object);
    return object->size >= sizeof *elf && memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 &&
           elf->e_ident[EI_CLASS] == ELFCLASS64 && elf->e_ident[EI_DATA] == ELFDATA2LSB;
}

bool object_open(struct object *object, const char *path)
{
    struct stat status;
    *object = (struct object){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    void *data = MAP_FAILED;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return false;
    object->data = data;
    object->size = (size_t)status.st_size;
    if (is_elf(object)) {
        symbols_read(object);
        return true;
    }
    object_close(object);
    return false;
}

void object_close(struct object *object)
{
    if (object->data)
        munmap((void *)object->data, object->size);
    free(object->symbol);
    *object = (struct object){0};
}
