/* SPDX-License-Identifier: MIT */
/* folded.h - folded stacks, "main;epoch;forward 12345", for flamegraph.pl and others. */
#ifndef CORE_TEXT_FOLDED_H
#define CORE_TEXT_FOLDED_H

#include "core/text/buffer.h"
#include "core/text/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct swi_folded_line {
    const char *stack; /* the map's */
    int64_t time;
};

/* Initialise it as {0}. */
struct swi_folded {
    struct swi_map stacks;
    struct swi_folded_line *line; /* by the number of the stack */
    bool failed;                  /* out of memory */
};

/* Adds the time of a stack. Different names may give the same frame, so there may be several. */
static inline void swi_folded_add(struct swi_folded *folded, const struct swi_text *stack,
                                  int64_t time)
{
    struct swi_folded_line *line =
        stack->data && !stack->failed
            ? swi_map_item(&folded->stacks, &folded->line, sizeof *line, stack->data, stack->size)
            : NULL;
    folded->failed |= !line;
    if (line)
        line->time += time;
}

static inline int swi_by_stack(const void *a, const void *b)
{
    const struct swi_folded_line *x = a, *y = b;
    return strcmp(x->stack, y->stack);
}

/* Writes a line for each stack, sorted, and frees all. Returns false if out of memory. */
static inline bool swi_folded_end(struct swi_folded *folded, struct swi_text *out)
{
    for (size_t i = 0; i < folded->stacks.count; i++)
        folded->line[i].stack = folded->stacks.name[i].text;
    if (folded->stacks.count)
        qsort(folded->line, folded->stacks.count, sizeof *folded->line, swi_by_stack);
    for (size_t i = 0; i < folded->stacks.count; i++)
        swi_text_format(out, "%s %" PRId64 "\n", folded->line[i].stack, folded->line[i].time);
    free(folded->line);
    swi_map_free(&folded->stacks);
    return !folded->failed && !out->failed;
}

#endif
