/* SPDX-License-Identifier: MIT */
/* The C++ operators new and delete, under their names in object files. Those of libstdc++ call
 * malloc() and free(), which count; those of other libraries are counted here. */
#include "probes/memory/allocator.h"
#include "probes/memory/thread_totals.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- which operator new or delete of C++ comes after this library's -------------------------- */

struct mem_operator {
    const char *name;
    void (*function)(void); /* what to call, written last */
    bool counts;            /* it is the allocator's own, which need not call malloc() */
};

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

/* For the operator of a program whose C++ library was loaded later, which cannot be found. */
#define MISSING ((function *)free)

/* jemalloc, tcmalloc and mimalloc have their own operators; those of libstdc++ call malloc(). */
static void operator_find(struct mem_operator *next)
{
    function *found = NULL;
    void *symbol = symbol_next(next->name);
    memcpy(&found, &symbol, sizeof found);
    bool found_all = mem_ready() || mem_finding;
    next->counts = found_all && mem_real.usable && symbol &&
                   object_of(symbol) == object_of(symbol_next("malloc"));
    __atomic_store_n(&next->function, found ? found : MISSING, __ATOMIC_RELEASE);
}

/* What the code at an address would call without this library; ends the program if there is none.
 */
static function *operator_of(const char *name, void *caller)
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

/* ---- the C++ operators new and delete, under their names in object files --------------------- */

#define MEM_PUBLIC __attribute__((visibility("default")))

static inline bool is_known(const struct mem_operator *next)
{
    return __builtin_expect(__atomic_load_n(&next->function, __ATOMIC_ACQUIRE) != NULL, 1);
}

/* Some operators call malloc() (in jemalloc), which then counts. */
static inline void *took(const struct mem_operator *next, void *block, int64_t allocs)
{
    if (next->counts && block && mem_here.allocs == allocs && !mem_finding)
        mem_took((int64_t)mem_real.usable(block));
    return block;
}

static inline int64_t size_of(const struct mem_operator *next, void *block)
{
    return next->counts && block && !mem_finding ? (int64_t)mem_real.usable(block) : 0;
}

static inline void gave(int64_t size, int64_t frees)
{
    if (size && mem_here.frees == frees)
        mem_gave(size);
}

/* ---- new ---- */

typedef void *new_plain(size_t);
typedef void *new_quiet(size_t, const void *);
typedef void *new_aligned(size_t, size_t);
typedef void *new_aligned_quiet(size_t, size_t, const void *);

/* Without an operator to call, does what libstdc++ does. Only libstdc++ can throw, so without
 * memory, its operator is called. */
#define OPERATOR_NEW(name, type, missing, throws, parameters, arguments)                           \
    MEM_PUBLIC void *name parameters;                                                              \
    MEM_PUBLIC void *name parameters                                                               \
    {                                                                                              \
        static struct mem_operator next = {#name, NULL, false};                                    \
        if (!is_known(&next))                                                                      \
            operator_find(&next);                                                                  \
        int64_t allocs = mem_here.allocs;                                                          \
        bool found = next.function != MISSING;                                                     \
        void *block = found ? ((type *)next.function)arguments : (missing);                        \
        block = took(&next, block, allocs);                                                        \
        if (__builtin_expect(block != NULL, 1) || !throws || found)                                \
            return block;                                                                          \
        return ((type *)operator_of(#name, __builtin_return_address(0)))arguments;                 \
    }

#define PLAIN malloc(size ? size : 1)
#define ALIGNED memalign(alignment, size ? size : 1)

#define OPERATORS_NEW(kind)                                                                        \
    OPERATOR_NEW(_Zn##kind##m, new_plain, PLAIN, true, (size_t size), (size))                      \
    OPERATOR_NEW(_Zn##kind##mRKSt9nothrow_t, new_quiet, PLAIN, false,                              \
                 (size_t size, const void *nothrow), (size, nothrow))                              \
    OPERATOR_NEW(_Zn##kind##mSt11align_val_t, new_aligned, ALIGNED, true,                          \
                 (size_t size, size_t alignment), (size, alignment))                               \
    OPERATOR_NEW(_Zn##kind##mSt11align_val_tRKSt9nothrow_t, new_aligned_quiet, ALIGNED, false,     \
                 (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow))

OPERATORS_NEW(w)
OPERATORS_NEW(a)

/* ---- delete ---- */

typedef void delete_plain(void *), delete_sized(void *, size_t), delete_quiet(void *, const void *);
typedef void delete_both(void *, size_t, size_t),
    delete_aligned_quiet(void *, size_t, const void *);

#define OPERATOR_DELETE(name, type, parameters, arguments)                                         \
    MEM_PUBLIC void name parameters;                                                               \
    MEM_PUBLIC void name parameters                                                                \
    {                                                                                              \
        static struct mem_operator next = {#name, NULL, false};                                    \
        if (!is_known(&next))                                                                      \
            operator_find(&next);                                                                  \
        int64_t size = size_of(&next, block), frees = mem_here.frees;                              \
        if (next.function != MISSING)                                                              \
            ((type *)next.function) arguments;                                                     \
        else                                                                                       \
            free(block);                                                                           \
        gave(size, frees);                                                                         \
    }

#define OPERATORS_DELETE(kind)                                                                     \
    OPERATOR_DELETE(_Zd##kind##Pv, delete_plain, (void *block), (block))                           \
    OPERATOR_DELETE(_Zd##kind##Pvm, delete_sized, (void *block, size_t bytes), (block, bytes))     \
    OPERATOR_DELETE(_Zd##kind##PvRKSt9nothrow_t, delete_quiet, (void *block, const void *nothrow), \
                    (block, nothrow))                                                              \
    OPERATOR_DELETE(_Zd##kind##PvSt11align_val_t, delete_sized, (void *block, size_t alignment),   \
                    (block, alignment))                                                            \
    OPERATOR_DELETE(_Zd##kind##PvmSt11align_val_t, delete_both,                                    \
                    (void *block, size_t bytes, size_t alignment), (block, bytes, alignment))      \
    OPERATOR_DELETE(_Zd##kind##PvSt11align_val_tRKSt9nothrow_t, delete_aligned_quiet,              \
                    (void *block, size_t alignment, const void *nothrow),                          \
                    (block, alignment, nothrow))

OPERATORS_DELETE(l)
OPERATORS_DELETE(a)
