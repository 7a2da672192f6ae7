/* SPDX-License-Identifier: MIT */
#include "probes/functions/libc_calls.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

static struct fn_libc libc;
static atomic_bool found;

/* Two threads that come here at once find the same. */
static void find_all(void)
{
#define FIND(result, name, symbol, parameters) *(void **)&libc.name = dlsym(RTLD_NEXT, symbol);
    FN_LIBC_CALLS(FIND)
    atomic_store(&found, true);
}

const struct fn_libc *fn_libc(void)
{
    if (!atomic_load(&found))
        find_all();
    return &libc;
}

__attribute__((constructor)) static void found_at_start(void)
{
    fn_libc();
}
