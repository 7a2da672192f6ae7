/* SPDX-License-Identifier: MIT */
#include "probes/functions/table_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads memory that may be unmapped at any moment: the stack of another thread, which
 * may end, and tables of a library, which may be closed. */

/* Some containers forbid the other system call. */
static bool from_file(void *to, uintptr_t from, size_t size)
{
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    bool fine = fd >= 0 && pread(fd, to, size, (off_t)from) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return fine;
}

bool fn_safe_read(void *to, uintptr_t from, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)from, size};
    ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got < 0 && errno != EFAULT)
        return from_file(to, from, size);
    return got == (ssize_t)size;
}

bool fn_block_load(struct fn_block *block, uintptr_t address, struct fn_bytes *in)
{
    uint32_t size;
    if (!fn_safe_read(&size, address, sizeof size) || size == 0 || size > FN_BLOCK - sizeof size ||
        !fn_safe_read(block->data, address, size + sizeof size))
        return false;
    block->address = address;
    *in = (struct fn_bytes){block, block->data + sizeof size, block->data + sizeof size + size,
                            false};
    return true;
}

uintptr_t fn_bytes_address(const struct fn_bytes *in)
{
    return in->block->address + (uintptr_t)(in->at - in->block->data);
}

void fn_bytes_skip(struct fn_bytes *in, uint64_t size)
{
    in->bad |= size > (uint64_t)(in->end - in->at);
    if (!in->bad)
        in->at += size;
}

uint64_t fn_bytes_number(struct fn_bytes *in, size_t size)
{
    const uint8_t *from = in->at;
    uint64_t number = 0;
    fn_bytes_skip(in, size);
    if (!in->bad)
        memcpy(&number, from, size); /* all processors of this library have the lowest byte first */
    return number;
}

/* Seven bits a byte, the lowest first. */
static uint64_t leb(struct fn_bytes *in, bool is_signed)
{
    uint64_t number = 0;
    unsigned bits = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)fn_bytes_number(in, 1);
        if (bits < 64)
            number |= (uint64_t)(byte & 0x7f) << bits;
        bits += 7;
    } while (byte & 0x80);
    if (is_signed && bits < 64 && (byte & 0x40))
        number |= ~UINT64_C(0) << bits;
    return number;
}

uint64_t fn_bytes_uleb(struct fn_bytes *in)
{
    return leb(in, false);
}

int64_t fn_bytes_sleb(struct fn_bytes *in)
{
    return (int64_t)leb(in, true);
}

/* ---- addresses ---- */

enum { RELATIVE = 0x10, OTHER_BASES = 0x60, INDIRECT = 0x80 };

/* Compilers write numbers of four and eight bytes only. */
static uint64_t number_of(struct fn_bytes *in, uint8_t form)
{
    switch (form) {
    case 0x03:
        return fn_bytes_number(in, 4);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)fn_bytes_number(in, 4);
    case 0x00:
    case 0x04:
    case 0x0c:
        return fn_bytes_number(in, 8);
    default:
        in->bad = true;
        return 0;
    }
}

/* INDIRECT: the number is where the address is. Only addresses of no interest here are so. */
uintptr_t fn_bytes_pointer(struct fn_bytes *in, uint8_t encoding)
{
    uintptr_t base = encoding & RELATIVE ? fn_bytes_address(in) : 0;
    in->bad |= (encoding & OTHER_BASES) != 0;
    return base + (uintptr_t)number_of(in, encoding & 0x0f);
}
