/* SPDX-License-Identifier: MIT */
/* operators.h - which operator new or delete of C++ comes after this library's. */
#ifndef PROBES_MEMORY_OPERATORS_H
#define PROBES_MEMORY_OPERATORS_H

#include <stdbool.h>

struct mem_operator {
    const char *name;
    void (*function)(void); /* what to call, written last */
    bool counts;            /* it is the allocator's own, which need not call malloc() */
};

/* fallback: for a program whose C++ library was loaded later, which cannot be found. */
__attribute__((visibility("hidden"))) void mem_operator_find(struct mem_operator *next,
                                                             void (*fallback)(void));

/* What the code at an address would call without this library; ends the program if there is none.
 */
__attribute__((visibility("hidden"))) void (*mem_operator_of(const char *name, void *caller))(void);

#endif
