/* SPDX-License-Identifier: MIT */
/* fold_memory.h - memory for what is folded. A thread whose chunk is full may fold it in a signal
 * handler, which may have interrupted malloc(). */
#ifndef CORE_ROWS_FOLD_MEMORY_H
#define CORE_ROWS_FOLD_MEMORY_H

#include "core/rows/thread.h"

/* Returns whether the calling thread, whose state this is, is in a handler: it blocks more signals
 * than usually. One that does so for good is soon believed. Takes a system call. */
bool swi_in_handler(struct swi_thread *thread);

/* Returns whether the calling thread may wait and allocate where it folds. Takes that system call
 * only if it folds because its chunk is full. */
bool swi_fold_may_wait(void);

/* Zeroed memory; NULL if there is none. */
void *swi_fold_alloc(size_t size);
/* Moves `had` bytes to a larger block, the rest of which is zeroed; old: NULL if there are none
 * yet. Returns NULL, and leaves the old one alone, if out of memory. */
void *swi_fold_grow(void *old, size_t had, size_t size);
void swi_fold_free(void *memory);

#endif
