/* SPDX-License-Identifier: MIT */
/* spans.h - intervals that need not nest, and may begin and end on different threads. */
#ifndef CORE_LOOP_SPANS_H
#define CORE_LOOP_SPANS_H

#include "core/text/ids.h"

/* The most spans that may be open, so that a program that never ends its spans does not use up all
 * memory. */
enum { SWI_OPEN_SPANS_MAX = 1 << 20 };

struct swi_open_span {
    struct swi_id id;
    int64_t start;
    uint64_t pauses; /* the profiler's, when the span began */
    unsigned gaps;   /* the clock's, when the span began */
    int action;
};

/* Under the fold lock. Zero-initialised, there are none. */
struct swi_spans {
    struct swi_ids open; /* that have begun and not ended */
    int64_t last_id;
    struct swi_thread *thread; /* has their rows; NULL: none has ended yet */
};

void swi_spans_fini(struct swi_spans *spans);

#endif
