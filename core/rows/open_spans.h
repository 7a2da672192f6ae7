/* SPDX-License-Identifier: MIT */
/* open_spans.h - the spans that have begun and not ended, by their ids. */
#ifndef CORE_ROWS_OPEN_SPANS_H
#define CORE_ROWS_OPEN_SPANS_H

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

/* Zero-initialised, it is empty. */
struct swi_open_spans {
    struct swi_open_span *item; /* its size is a power of two; at most half of it is used */
    size_t room, count;
};

/* Adds a span. Its id must differ from those of all open spans. Returns false if out of memory, or
 * if too many are open. */
bool swi_open_spans_put(struct swi_open_spans *spans, const struct swi_open_span *span);
/* Removes the span with this id. Returns false if there is none. */
bool swi_open_spans_take(struct swi_open_spans *spans, int64_t id, struct swi_open_span *span);
void swi_open_spans_free(struct swi_open_spans *spans);

#endif
