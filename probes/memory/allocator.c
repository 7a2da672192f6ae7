/* SPDX-License-Identifier: MIT */
#include "probes/memory/allocator.h"
#include "probes/memory/sanitizer.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

_Alignas(64) struct mem_allocator mem_real;
_Thread_local bool mem_finding;

/* Converts the pointer to an object that dlsym() returns into one to a function. */
static void next(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* tcmalloc needs an object for this, which it makes with its operator new the first time. */
static void usable_begin(void *(*allocate)(size_t))
{
    void *block = mem_real.usable ? allocate(1) : NULL;
    if (block) {
        mem_real.usable(block);
        mem_real.free(block);
    }
}

static void find_all(void)
{
    void *(*found)(size_t);
    if (!mem_sanitizer_counts())
        next(&mem_real.usable, "malloc_usable_size");
    next(&mem_real.free, "free");
    next(&mem_real.calloc, "calloc");
    next(&mem_real.realloc, "realloc");
    next(&mem_real.memalign, "memalign");
    next(&mem_real.aligned_alloc, "aligned_alloc");
    next(&mem_real.posix_memalign, "posix_memalign");
    next(&found, "malloc");
    /* Clears the message: what was not found is not an error of the program. */
    dlerror();
    usable_begin(found);
    __atomic_store_n(&mem_real.malloc, found, __ATOMIC_RELEASE);
}

/* Two threads may find the same function at the same time. */
bool mem_find(void)
{
    int before = errno;
    if (mem_finding)
        return false;
    mem_finding = true;
    find_all();
    mem_finding = false;
    errno = before;
    return true;
}
