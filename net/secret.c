/* SPDX-License-Identifier: MIT */
#include "net/secret.h"

#include <string.h>
#include <sys/mman.h>

void *swi_secret_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* On an old kernel that supports neither, the memory is like that of malloc(). */
    madvise(memory, size, MADV_DONTDUMP);
    madvise(memory, size, MADV_WIPEONFORK);
    return memory;
}

void swi_secret_free(void *memory, size_t size)
{
    if (!memory)
        return;
    explicit_bzero(memory, size);
    munmap(memory, size);
}
