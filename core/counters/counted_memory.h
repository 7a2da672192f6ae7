/* SPDX-License-Identifier: MIT */
/* counted_memory.h - what the calling thread has allocated and freed, as libstepwatch-memory counts
 * it. */
#ifndef CORE_COUNTERS_COUNTED_MEMORY_H
#define CORE_COUNTERS_COUNTED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* What sw_memory_here() of that library returns: the calling thread's words. */
struct swi_memory {
    uint64_t size; /* of this struct there */
    int64_t allocated, freed, allocs, frees, net, peak;
};

/* NULL without the library, or where the calling thread has none. */
struct swi_memory *swi_memory_here(void);

/* stepwatch's own memory is no region's: what a thread allocates and frees between the two is taken
 * back. */
struct swi_memory_kept {
    struct swi_memory *here; /* NULL: nothing is counted */
    struct swi_memory words;
};

/* Whether there is anything to be taken back in this process: false without the library. */
extern __attribute__((visibility("hidden"))) bool swi_memory_counted;

static inline void swi_memory_keep(struct swi_memory_kept *kept)
{
    kept->here = __builtin_expect(swi_memory_counted, 0) ? swi_memory_here() : (void *)0;
    if (kept->here)
        kept->words = *kept->here;
}

static inline void swi_memory_take_back(const struct swi_memory_kept *kept)
{
    if (__builtin_expect(kept->here != (void *)0, 0))
        *kept->here = kept->words;
}

/* From here to the end of the block nothing is counted. */
#define SWI_OWN_MEMORY                                                                             \
    __attribute__((cleanup(swi_memory_take_back),                                                  \
                   unused)) struct swi_memory_kept swi_memory_kept_;                               \
    swi_memory_keep(&swi_memory_kept_)

#endif
