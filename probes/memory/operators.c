/* SPDX-License-Identifier: MIT */
#include "probes/memory/operators.h"
#include "probes/memory/allocator.h"
#include "probes/memory/thread_totals.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

typedef void function(void);

static void *object_of(void *symbol)
{
    Dl_info info;
    return symbol && dladdr(symbol, &info) ? info.dli_fbase : NULL;
}

/* What dlsym() allocates for its message does not count for the program. The second dlerror() frees
 * it. */
static void *symbol_next(const char *name)
{
    struct sw_memory before = mem_here;
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        dlerror();
        dlerror();
    }
    mem_here = before;
    return symbol;
}

/* jemalloc, tcmalloc and mimalloc have their own operators; those of libstdc++ call malloc(). */
void mem_operator_find(struct mem_operator *next, function *fallback)
{
    function *found = NULL;
    void *symbol = symbol_next(next->name);
    memcpy(&found, &symbol, sizeof found);
    bool found_all = mem_ready() || mem_finding;
    next->counts = found_all && mem_real.usable && symbol &&
                   object_of(symbol) == object_of(symbol_next("malloc"));
    __atomic_store_n(&next->function, found ? found : fallback, __ATOMIC_RELEASE);
}

function *mem_operator_of(const char *name, void *caller)
{
    function *found = NULL;
    void *symbol = NULL;
#ifdef __GLIBC__
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
        symbol = dlsym(map, name);
#else
    (void)caller; /* musl keeps all libraries in one scope */
    symbol = dlsym(RTLD_DEFAULT, name);
#endif
    if (!symbol)
        abort();
    memcpy(&found, &symbol, sizeof found);
    return found;
}
