/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct addresses {
    uint64_t start, end;
};

const void *range_find(const void *items, size_t count, size_t size, uint64_t address, bool inside)
{
    const char *item = items;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (((const struct addresses *)(item + middle * size))->start < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && ((const struct addresses *)(item + low * size))->start == address)
        return item + low * size;
    if (inside && low && ((const struct addresses *)(item + (low - 1) * size))->end > address)
        return item + (low - 1) * size;
    return NULL;
}

/* ---- symbols ---- */

static int symbols_compare(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end != y->end ? (x->end > y->end ? -1 : 1) : strcmp(x->name, y->name);
}

static void symbols_read(struct object *object)
{
    struct swi_object_table *table = &object->table;
    if (!swi_object_table_read(&object->file, SHT_SYMTAB, table))
        swi_object_table_read(&object->file, SHT_DYNSYM, table);
    const ElfW(Sym) *symbol = table->item;
    size_t count = table->size / sizeof *symbol;
    object->symbol = count ? calloc(count, sizeof *object->symbol) : NULL;
    for (size_t i = 0; object->symbol && i < count; i++)
        if (swi_object_symbol_is_function(&symbol[i]))
            object->symbol[object->count++] =
                (struct symbol){symbol[i].st_value, symbol[i].st_value + symbol[i].st_size,
                                swi_object_table_text(table, symbol[i].st_name)};
    if (object->symbol && object->count)
        qsort(object->symbol, object->count, sizeof *object->symbol, symbols_compare);
}

bool object_address(const struct object *object, uint64_t offset, uint64_t *address)
{
    for (size_t i = 0; i < object->file.segments; i++) {
        const ElfW(Phdr) *segment = &object->file.segment[i];
        if (segment->p_type == PT_LOAD && offset >= segment->p_offset &&
            offset - segment->p_offset < segment->p_filesz) {
            *address = offset - segment->p_offset + segment->p_vaddr;
            return true;
        }
    }
    return false;
}

/* ---- where the functions begin, by the table of the unwind information ---- */

/* A stripped object has it, too. */
/* .eh_frame_hdr: a sorted table of pairs, the begin of a function and its entry in .eh_frame, as
 * differences to the address of the table. */

enum { HEAD = 12, PAIR = 8 };

static int32_t number_at(const unsigned char *bytes)
{
    int32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* The forms of the numbers are those that all linkers write: 4 bytes each. */
static void frames_read(struct object *object)
{
    static const unsigned char form[4] = {1, 0x1b, 0x03, 0x3b};
    for (size_t i = 0; i < object->file.segments && !object->frame_count; i++) {
        const ElfW(Phdr) *segment = &object->file.segment[i];
        if (segment->p_type != PT_GNU_EH_FRAME || segment->p_filesz < HEAD || object->frames)
            continue;
        object->frames = swi_object_file_part(&object->file, segment->p_offset, segment->p_filesz);
        if (!object->frames || memcmp(object->frames, form, sizeof form) != 0)
            continue;
        uint64_t count = (uint32_t)number_at(object->frames + 8);
        object->frames_address = segment->p_vaddr;
        object->frame_count = count <= (segment->p_filesz - HEAD) / PAIR ? (size_t)count : 0;
    }
}

static uint64_t frame_address(const struct object *object, size_t i, size_t which)
{
    const unsigned char *pair = object->frames + HEAD + PAIR * i;
    return object->frames_address + (uint64_t)(int64_t)number_at(pair + 4 * which);
}

/* Returns the bytes at an address, the caller's to free; NULL if there are not so many. */
static unsigned char *bytes_at(const struct object *object, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < object->file.segments; i++) {
        const ElfW(Phdr) *segment = &object->file.segment[i];
        uint64_t from = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && from < segment->p_filesz &&
            segment->p_filesz - from >= size)
            return swi_object_file_part(&object->file, segment->p_offset + from, size);
    }
    return NULL;
}

/* Returns whether the entry of a function has this begin, and contains the address. */
static bool entry_has(const struct object *object, uint64_t entry, uint64_t start, uint64_t address)
{
    unsigned char *bytes = bytes_at(object, entry, 16);
    bool has = bytes && entry + 8 + (uint64_t)(int64_t)number_at(bytes + 8) == start &&
               address - start < (uint32_t)number_at(bytes + 12);
    free(bytes);
    return has;
}

bool object_function_start(struct object *object, uint64_t address, uint64_t *start)
{
    if (!object->frames)
        frames_read(object);
    size_t low = 0, high = object->frames ? object->frame_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frame_address(object, middle, 0) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *start = frame_address(object, low - 1, 0);
    return entry_has(object, frame_address(object, low - 1, 1), *start, address);
}

/* ---- the build-id ---- */

static bool id_write(const unsigned char *note, size_t size, char *path, size_t room)
{
    const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)note;
    const unsigned char *id = note + sizeof *head + 4;
    if (head->n_type != NT_GNU_BUILD_ID || head->n_namesz != 4 || head->n_descsz < 2 ||
        head->n_descsz > size - 16 || head->n_descsz > 64)
        return false;
    int at = snprintf(path, room, "/usr/lib/debug/.build-id/%02x/", id[0]);
    for (unsigned k = 1; k < head->n_descsz; k++)
        at += snprintf(path + at, room - (size_t)at, "%02x", id[k]);
    snprintf(path + at, room - (size_t)at, ".debug");
    return true;
}

bool object_debug_path(const struct object *object, char *path, size_t size)
{
    bool found = false;
    for (size_t i = 0; i < object->file.sections && !found; i++) {
        const ElfW(Shdr) *section = &object->file.section[i];
        if (section->sh_type != SHT_NOTE || section->sh_size < 20)
            continue;
        unsigned char *note =
            swi_object_file_part(&object->file, section->sh_offset, section->sh_size);
        found = note && id_write(note, (size_t)section->sh_size, path, size);
        free(note);
    }
    return found;
}

/* ---- the file ---- */

bool object_open(struct object *object, const char *path)
{
    *object = (struct object){.count = 0};
    if (!swi_object_file_open(&object->file, path))
        return false;
    symbols_read(object);
    return true;
}

void object_close(struct object *object)
{
    swi_object_file_close(&object->file);
    swi_object_table_free(&object->table);
    free(object->symbol);
    free(object->frames);
}
