/* SPDX-License-Identifier: MIT */
/* open_spans.h - the spans that have begun and not ended, by their ids. */
#ifndef CORE_ROWS_OPEN_SPANS_H
#define CORE_ROWS_OPEN_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many may be open; a program that never ends its spans must not take all memory. */
enum { SWI_OPEN_SPANS_MAX = 1 << 20 };

struct swi_open_span {
    int64_t id; /* 0: none */
    int64_t start;
    uint64_t pauses; /* of the profiler when it began */
    unsigned gaps;   /* of the clock */
    int action;
};

/* Zero-initialised is empty. */
struct swi_open_spans {
    struct swi_open_span *item; /* of a power of two; at most half of them are in use */
    size_t room, count;
};

/* False without memory, or where too many are open. No other open span has the id. */
bool swi_open_spans_put(struct swi_open_spans *spans, const struct swi_open_span *span);
/* Takes the span out; false where none has the id. */
bool swi_open_spans_take(struct swi_open_spans *spans, int64_t id, struct swi_open_span *span);
void swi_open_spans_free(struct swi_open_spans *spans);

#endif
