/* SPDX-License-Identifier: MIT */
/* spool.h - bytes that a format can only write at the end: little of them is kept in memory, the
 * rest in a temporary file without a name. */
#ifndef SINKS_COMMON_TIMELINE_SPOOL_H
#define SINKS_COMMON_TIMELINE_SPOOL_H

#include "core/text/buffer.h"

#include <stdint.h>
#include <stdio.h>

/* Begins as {0}. Add to `text`, then call swi_spool_spill() now and then. */
struct swi_spool {
    struct swi_text text;
    FILE *file;
    int64_t spilled; /* bytes in the file */
    bool failed;
};

/* Moves the text to the file if it is long. */
void swi_spool_spill(struct swi_spool *spool);

/* All that was added, in order. */
int64_t swi_spool_size(const struct swi_spool *spool);

/* Gives everything to `take`, in pieces; false if it cannot be read again or take said false. */
bool swi_spool_read(struct swi_spool *spool, bool (*take)(void *arg, const char *data, size_t size),
                    void *arg);

void swi_spool_free(struct swi_spool *spool);

#endif
