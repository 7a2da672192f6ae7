/* SPDX-License-Identifier: MIT */
/* .eh_frame_hdr: a sorted table of pairs, the begin of a function and its entry in .eh_frame, as
 * differences to the address of the table. */
#include "sinks/common/functions/frame_table.h"

#include <elf.h>
#include <string.h>

enum { HEAD = 12, PAIR = 8 };

struct frame_table {
    const unsigned char *pair;
    uint64_t address; /* of the table's head */
    size_t count;
};

static const Elf64_Phdr *segment_at(const struct object *object, unsigned index)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->data;
    uint64_t at = header->e_phoff + (uint64_t)index * sizeof(Elf64_Phdr);
    bool fine = index < header->e_phnum && header->e_phentsize == sizeof(Elf64_Phdr) &&
                at % 8 == 0 && at < object->size && object->size - at >= sizeof(Elf64_Phdr);
    return fine ? (const Elf64_Phdr *)(object->data + at) : NULL;
}

/* Returns the bytes at an address; NULL if there are not so many in the file. */
static const unsigned char *bytes_at(const struct object *object, uint64_t address, uint64_t size)
{
    const Elf64_Phdr *segment;
    for (unsigned i = 0; (segment = segment_at(object, i)); i++) {
        uint64_t from = address - segment->p_vaddr, offset = segment->p_offset + from;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && from < segment->p_filesz &&
            segment->p_filesz - from >= size && offset < object->size &&
            object->size - offset >= size)
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

bool frame_table_start(const struct object *object, uint64_t address, uint64_t *start)
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
