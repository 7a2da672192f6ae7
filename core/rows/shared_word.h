/* SPDX-License-Identifier: MIT */
/* shared_word.h - words that one thread writes at a time and any thread may read. */
#ifndef CORE_ROWS_SHARED_WORD_H
#define CORE_ROWS_SHARED_WORD_H

#include <stdatomic.h>

#define SWI_SET(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)
#define SWI_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

#endif
