/* SPDX-License-Identifier: MIT */
#include "probes/memory/allocator.h"

#include "probes/memory/thread_totals.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- programs that are compiled with a sanitizer, which has an allocator of its own ---------- */

static size_t (*size_of)(const volatile void *);

/* Converts the pointer to an object that dlsym() returns into one to a function. */
static void find(void *function, void *from, const char *name)
{
    void *symbol = dlsym(from, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* Whether its hooks count: what comes through here as well must not be counted twice. */
static bool sanitizer_counts(void)
{
    return dlsym(RTLD_DEFAULT, "__sanitizer_install_malloc_and_free_hooks") &&
           dlsym(RTLD_DEFAULT, "__sanitizer_get_allocated_size");
}

static void taken(const volatile void *block, size_t size)
{
    (void)size;
    /* Uses the real size instead of the requested one, because 0 bytes are freed as 1. */
    if (block)
        mem_took((int64_t)size_of(block));
}

static void given(const volatile void *block)
{
    if (block)
        mem_gave((int64_t)size_of(block));
}

/* Cannot begin earlier, because the sanitizer itself must be ready first. */
__attribute__((constructor)) static void sanitizer_hook(void)
{
    int (*install)(void (*)(const volatile void *, size_t), void (*)(const volatile void *));
    if (!sanitizer_counts()) {
        dlerror();
        return;
    }
    find(&size_of, RTLD_DEFAULT, "__sanitizer_get_allocated_size");
    find(&install, RTLD_DEFAULT, "__sanitizer_install_malloc_and_free_hooks");
    install(taken, given);
}

/* ---- the allocator that comes after this library --------------------------------------------- */

_Alignas(64) struct mem_allocator mem_real;
_Thread_local bool mem_finding;

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
    if (!sanitizer_counts())
        find(&mem_real.usable, RTLD_NEXT, "malloc_usable_size");
    find(&mem_real.free, RTLD_NEXT, "free");
    find(&mem_real.calloc, RTLD_NEXT, "calloc");
    find(&mem_real.realloc, RTLD_NEXT, "realloc");
    find(&mem_real.memalign, RTLD_NEXT, "memalign");
    find(&mem_real.aligned_alloc, RTLD_NEXT, "aligned_alloc");
    find(&mem_real.posix_memalign, RTLD_NEXT, "posix_memalign");
    find(&found, RTLD_NEXT, "malloc");
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
