/* SPDX-License-Identifier: MIT */
/* counted_memory.h - what the calling thread has allocated and freed, as libstepwatch-memory counts
 * it. */
#ifndef CORE_COUNTERS_COUNTED_MEMORY_H
#define CORE_COUNTERS_COUNTED_MEMORY_H

#include <stepwatch/memory.h>

#include <stdbool.h>

/* NULL without the library, or where the calling thread has none. */
struct sw_memory *swi_memory_here(void);

/* stepwatch's own memory is no region's: what a thread allocates and frees between the two is taken
 * back. */
struct swi_memory_kept {
    struct sw_memory *here; /* NULL: nothing is counted */
    struct sw_memory words;
    struct swi_memory_kept *around; /* of the same thread; NULL: none */
};

/* Whether there is anything to be taken back in this process: false without the library. */
extern __attribute__((visibility("hidden"))) bool swi_memory_counted;

/* The compiler takes malloc() to change no memory that it knows, so it must not see that what is
 * written back was read before. */
#define SWI_MEMORY_CHANGES __asm__ volatile("" : : : "memory")

void swi_memory_keep_words(struct swi_memory_kept *kept);
void swi_memory_take_back_words(const struct swi_memory_kept *kept);

static inline void swi_memory_keep(struct swi_memory_kept *kept)
{
    kept->here = (void *)0;
    if (__builtin_expect(swi_memory_counted, 0))
        swi_memory_keep_words(kept);
    SWI_MEMORY_CHANGES;
}

static inline void swi_memory_take_back(const struct swi_memory_kept *kept)
{
    SWI_MEMORY_CHANGES;
    if (__builtin_expect(kept->here != (void *)0, 0))
        swi_memory_take_back_words(kept);
}

/* Sets the water mark of the calling thread, for good: also where its words are to be written back.
 */
void swi_memory_set_peak(int64_t *peak, int64_t value);

/* From here to the end of the block nothing is counted. */
#define SWI_OWN_MEMORY                                                                             \
    __attribute__((cleanup(swi_memory_take_back),                                                  \
                   unused)) struct swi_memory_kept swi_memory_kept_;                               \
    swi_memory_keep(&swi_memory_kept_)

#endif
