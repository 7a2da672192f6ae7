/* SPDX-License-Identifier: MIT */
/* budget.h - memory of the values that wait for the sinks: one limit for all of it, and large
 * blocks that are used again. Memory that was used before is ready at once; the kernel takes
 * fifteen times as long to clear new pages as it takes to fill them. */
#ifndef CORE_MEDIA_BUDGET_H
#define CORE_MEDIA_BUDGET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* From this size on, blocks are kept for the next value, so many bytes of them at most. */
#define SWI_BLOCK_CACHED_MIN ((size_t)256 << 10)
#define SWI_CACHE_MAX ((size_t)16 << 20)

/* Files of sw_log_file() that may be open at a time. */
enum { SWI_FILES_OPEN = 16 };

struct swi_block;

struct swi_budget {
    size_t limit;
    atomic_size_t used;
    atomic_bool full;         /* something was refused since the flag was cleared */
    atomic_int files;         /* that are open */
    pthread_mutex_t lock;     /* for what follows */
    struct swi_block *cached; /* free */
    size_t cached_bytes;
};

void swi_budget_init(struct swi_budget *budget, size_t limit);
/* All blocks must have come back. */
void swi_budget_fini(struct swi_budget *budget);

/* Takes bytes from the budget for memory that is not a block; false if it is full. */
bool swi_budget_take(struct swi_budget *budget, size_t size);
void swi_budget_give(struct swi_budget *budget, size_t size);

/* Memory for anything, of so many bytes; NULL if the budget is full (*full is true) or there is
 * none. Any thread. */
void *swi_block_new(struct swi_budget *budget, size_t size, bool *full);
void swi_block_free(void *block);

/* Another open file; false if there are too many. */
bool swi_budget_take_file(struct swi_budget *budget);
void swi_budget_give_file(struct swi_budget *budget);

#endif
