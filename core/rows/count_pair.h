/* SPDX-License-Identifier: MIT */
/* count_pair.h - two neighbouring counts at once. What counters add to a region are mostly stores,
 * of which a processor finishes about one in a cycle, whether they have 8 bytes or 16. */
#ifndef CORE_ROWS_COUNT_PAIR_H
#define CORE_ROWS_COUNT_PAIR_H

#include "core/rows/row.h"

typedef uint64_t swi_count_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* The two elements from here on. They are macros because a function that takes or returns a vector
 * would depend on the compiler's options. */
#define SWI_TWO(element) (*(swi_count_pair *)&(element))
#define SWI_TWO_OF(element) (*(const swi_count_pair *)&(element)) /* of what is not changed */

/* What the words at two addresses are now: the allocator changes those of memory. */
#define SWI_TWO_READ(first, second)                                                                \
    ((swi_count_pair){(uint64_t) * (const volatile int64_t *)(first),                              \
                      (uint64_t) * (const volatile int64_t *)(second)})

/* Set and add to elements that other threads may read at the same time, each as a whole. */
#if SWI_ONE_ADD
#define SWI_TWO_GET(element) (*(const volatile swi_count_pair *)&(element))
#define SWI_TWO_SET(element, two) (*(volatile swi_count_pair *)&(element) = (two))
#define SWI_TWO_ADD(element, two) (SWI_TWO(element) += (two))
#else
#define SWI_TWO_GET(element)                                                                       \
    ((swi_count_pair){(uint64_t)SWI_GET(element), (uint64_t)SWI_GET((&(element))[1])})
#define SWI_TWO_SET(element, two)                                                                  \
    do {                                                                                           \
        SWI_SET((element), (int64_t)(two)[0]);                                                     \
        SWI_SET((&(element))[1], (int64_t)(two)[1]);                                               \
    } while (0)
#define SWI_TWO_ADD(element, two)                                                                  \
    do {                                                                                           \
        SWI_ADD((element), (int64_t)(two)[0]);                                                     \
        SWI_ADD((&(element))[1], (int64_t)(two)[1]);                                               \
    } while (0)
#endif

#endif
