/* SPDX-License-Identifier: MIT */
/* spans.h - intervals that need not nest, and may begin and end on different threads. */
#ifndef CORE_LOOP_SPANS_H
#define CORE_LOOP_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most spans that may be open, so that a program that never ends its spans does not use up all
 * memory. */
enum { SWI_OPEN_SPANS_MAX = 1 << 20 };

struct swi_open_span {
    int64_t id; /* 0: none */
    int64_t start;
    uint64_t pauses; /* the profiler's, when the span began */
    unsigned gaps;   /* the clock's, when the span began */
    int action;
};

/* The spans that have begun and not ended, by their ids. Zero-initialised, it is empty. */
struct swi_open_spans {
    struct swi_open_span *item; /* its size is a power of two; at most half of it is used */
    size_t room, count;
};

/* Under the fold lock. Zero-initialised, there are none. */
struct swi_spans {
    struct swi_open_spans open;
    int64_t last_id;
    struct swi_thread *thread; /* has their rows; NULL: none has ended yet */
};

void swi_spans_fini(struct swi_spans *spans);

#endif
