/* SPDX-License-Identifier: MIT */
/* allocated, freed, allocs, frees, net and peak - counted by libstepwatch-memory. That library must
 * be in the process before its first malloc(), so dlopen() would be too late. Without it, jemalloc
 * can tell how much a thread allocated and freed. */
#include "core/counters/counted_memory.h"
#include "core/counters/counter.h"

#include <stepwatch/memory.h>

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The library may be preloaded, linked, or in a static program, where dlsym() finds nothing. */
#pragma weak sw_memory_here

bool swi_memory_counted;

typedef struct sw_memory *here_fn(void);
typedef int mallctl_fn(const char *name, void *old, size_t *old_size, void *new, size_t new_size);

/* Set by the thread that opens the profiler. */
static here_fn *here;
static mallctl_fn *mallctl_of;

static void find(void)
{
    here = sw_memory_here;
    if (!here)
        *(void **)&mallctl_of = dlsym(RTLD_DEFAULT, "mallctl");
    swi_memory_counted = here != NULL;
}

/* Returns the counts of the calling thread. Returns NULL if there are none, or without the library.
 */
static struct sw_memory *memory_here(void)
{
    struct sw_memory *memory = here ? here() : NULL;
    return memory && memory->size >= sizeof *memory ? memory : NULL;
}

/* The innermost block of the calling thread that is not counted. */
static _Thread_local struct swi_memory_saved *innermost __attribute__((tls_model("initial-exec")));

void swi_memory_save_words(struct swi_memory_saved *saved)
{
    saved->here = memory_here();
    if (!saved->here)
        return;
    saved->words = *saved->here;
    saved->around = innermost;
    innermost = saved;
}

void swi_memory_restore_words(const struct swi_memory_saved *saved)
{
    *saved->here = saved->words;
    innermost = saved->around;
}

void swi_memory_set_peak(int64_t *peak, int64_t value)
{
    *peak = value;
    for (struct swi_memory_saved *saved = innermost; saved; saved = saved->around)
        saved->words.peak = value;
}

/* Returns where jemalloc counts for the calling thread, or NULL. */
static const int64_t *jemalloc_word(const char *name)
{
    int64_t *word = NULL;
    size_t size = sizeof(word);
    if (!mallctl_of || mallctl_of(name, (void *)&word, &size, NULL, 0) != 0)
        return NULL;
    return word;
}

#define NEEDED                                                                                     \
    "memory counters need libstepwatch-memory: run the program by \"stepwatch run --memory\""

static int shim_open(struct sw_error *err)
{
    find();
    return memory_here() ? 0 : sw_error_set(err, SW_EIO, NEEDED);
}

static const int64_t *allocated_word(void)
{
    struct sw_memory *memory = memory_here();
    return memory ? &memory->allocated : jemalloc_word("thread.allocatedp");
}

static const int64_t *freed_word(void)
{
    struct sw_memory *memory = memory_here();
    return memory ? &memory->freed : jemalloc_word("thread.deallocatedp");
}

/* Opens a counter that jemalloc has, too. */
static int totals_open(struct sw_error *err)
{
    find();
    return allocated_word() && freed_word() ? 0 : sw_error_set(err, SW_EIO, NEEDED);
}

#define WORD(field)                                                                                \
    static const int64_t *field##_word(void)                                                       \
    {                                                                                              \
        struct sw_memory *memory = memory_here();                                                  \
        return memory ? &memory->field : NULL;                                                     \
    }
WORD(allocs)
WORD(frees)
WORD(net)

static int64_t *peak_of_thread(void)
{
    struct sw_memory *memory = memory_here();
    return memory ? &memory->peak : NULL;
}

#define DEFINE(id, text, in, opens, is)                                                            \
    const struct swi_counter swi_counter_##id = {.name = #id,                                      \
                                                 .label = (text),                                  \
                                                 .unit = (in),                                     \
                                                 .kind = SW_COUNTER_SUM,                           \
                                                 .help = (is),                                     \
                                                 .open = (opens),                                  \
                                                 .word = id##_word}

DEFINE(allocated, "Allocated", "B", totals_open, "bytes that were allocated");
DEFINE(freed, "Freed", "B", totals_open, "bytes that were freed");
DEFINE(allocs, "Allocations", "", shim_open, "calls that allocated");
DEFINE(frees, "Frees", "", shim_open, "calls that freed");
DEFINE(net, "Net Memory", "B", shim_open, "bytes allocated less bytes freed");

const struct swi_counter swi_counter_peak = {
    .name = "peak",
    .label = "Peak Memory",
    .unit = "B",
    .kind = SW_COUNTER_PEAK,
    .help = "the most bytes that were allocated and not yet freed at the same time, in any call",
    .open = shim_open,
    .word = net_word,
    .peak = peak_of_thread,
};
