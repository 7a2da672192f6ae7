/* SPDX-License-Identifier: MIT */
#include "probes/memory/sanitizer.h"
#include "probes/memory/thread_totals.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static size_t (*size_of)(const volatile void *);

static void found(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof symbol);
}

bool mem_sanitizer_counts(void)
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
    if (!mem_sanitizer_counts()) {
        dlerror();
        return;
    }
    found(&size_of, "__sanitizer_get_allocated_size");
    found(&install, "__sanitizer_install_malloc_and_free_hooks");
    install(taken, given);
}
