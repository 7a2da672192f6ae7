/* SPDX-License-Identifier: MIT */
/* thinned_steps.h - makes steps of a line `steps`, which has several of them added up. Their number
 * and the sums, smallest and largest values of each duration are those of the line: two steps have
 * the smallest and the largest, and the others have their shares of the rest. So whatever reads
 * lines `step` needs to know nothing of it. */
#ifndef TOOLS_LOG_THINNED_STEPS_H
#define TOOLS_LOG_THINNED_STEPS_H

#include "core/text/buffer.h"
#include "tools/log/parse_line.h"

/* Initialise it as {0}. */
struct thinned_steps {
    int64_t next, count; /* no step is left if they are equal */
    struct log_value *line;
    struct swi_text text;
    struct log_line parsed;
};

/* Returns why a line is damaged; NULL: it is not. */
const char *thinned_steps_wrong(const struct log_value *line);

/* Begins with a line. Returns false if it is damaged or memory is out. */
bool thinned_steps_begin(struct thinned_steps *steps, const struct log_value *line);

/* Returns the next step as a line `step`, until the next call; NULL: none is left, or out of
 * memory. The first one has the field `of`, with the number of steps; `batch_self` is the self time
 * of the batch. */
const struct log_value *thinned_steps_next(struct thinned_steps *steps);

static inline bool thinned_steps_left(const struct thinned_steps *steps)
{
    return steps->next < steps->count;
}

void thinned_steps_free(struct thinned_steps *steps);

#endif
