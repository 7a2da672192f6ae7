/* SPDX-License-Identifier: MIT */
/* counted_memory.h - how much the calling thread has allocated and freed, as counted by
 * libstepwatch-memory. */
#ifndef CORE_COUNTERS_COUNTED_MEMORY_H
#define CORE_COUNTERS_COUNTED_MEMORY_H

#include <stepwatch/memory.h>

#include <stdbool.h>

/* Keeps stepwatch's own memory out of the counts: what a thread allocates and frees between the two
 * calls is not counted. */
struct swi_memory_saved {
    struct sw_memory *here; /* NULL if nothing is counted */
    struct sw_memory words;
    struct swi_memory_saved *around; /* the enclosing block of the same thread, or NULL */
};

/* Returns whether this process has counts that can be restored; false without the library. */
extern __attribute__((visibility("hidden"))) bool swi_memory_counted;

/* The compiler assumes that malloc() does not change the counts. This keeps it from using a value
 * that it read before. */
#define SWI_MEMORY_CHANGES __asm__ volatile("" : : : "memory")

void swi_memory_save_words(struct swi_memory_saved *saved);
void swi_memory_restore_words(const struct swi_memory_saved *saved);

static inline void swi_memory_save(struct swi_memory_saved *saved)
{
    saved->here = (void *)0;
    if (__builtin_expect(swi_memory_counted, 0))
        swi_memory_save_words(saved);
    SWI_MEMORY_CHANGES;
}

static inline void swi_memory_restore(const struct swi_memory_saved *saved)
{
    SWI_MEMORY_CHANGES;
    if (__builtin_expect(saved->here != (void *)0, 0))
        swi_memory_restore_words(saved);
}

/* Sets the peak of the calling thread, and in the counts that will be restored later. */
void swi_memory_set_peak(int64_t *peak, int64_t value);

/* Nothing is counted from here to the end of the block. */
#define SWI_OWN_MEMORY                                                                             \
    __attribute__((cleanup(swi_memory_restore),                                                    \
                   unused)) struct swi_memory_saved swi_memory_saved_;                             \
    swi_memory_save(&swi_memory_saved_)

#endif
