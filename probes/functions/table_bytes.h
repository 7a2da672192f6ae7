/* SPDX-License-Identifier: MIT */
/* table_bytes.h - reads numbers of the tables for exceptions, from a copy of a part of them. After
 * a mistake `bad` is set, and numbers are 0. */
#ifndef PROBES_FUNCTIONS_TABLE_BYTES_H
#define PROBES_FUNCTIONS_TABLE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FN_BLOCK = 4096 };

/* The copy of one entry. */
struct fn_block {
    uintptr_t address; /* where it was */
    uint8_t data[FN_BLOCK];
};

struct fn_bytes {
    const struct fn_block *block;
    const uint8_t *at, *end;
    bool bad;
};

/* Copies the entry at an address; false if it is not one, or too long. in: what follows its length.
 */
bool fn_block_load(struct fn_block *block, uintptr_t address, struct fn_bytes *in);

/* Where the next byte is in memory. */
uintptr_t fn_bytes_address(const struct fn_bytes *in);

/* Reads a number of this many bytes, 8 at most. */
uint64_t fn_bytes_number(struct fn_bytes *in, size_t size);
uint64_t fn_bytes_uleb(struct fn_bytes *in);
int64_t fn_bytes_sleb(struct fn_bytes *in);
void fn_bytes_skip(struct fn_bytes *in, uint64_t size);

/* An address, absolute or relative to its own place, in one of the encodings of DWARF. */
uintptr_t fn_bytes_pointer(struct fn_bytes *in, uint8_t encoding);

/* Copies memory of this process; false if it cannot be read. */
bool fn_safe_read(void *to, uintptr_t from, size_t size);

#endif
