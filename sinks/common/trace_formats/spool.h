/* SPDX-License-Identifier: MIT */
/* spool.h - bytes that a format can only write at the end. Few of them are kept in memory, the rest
 * in a temporary file without a name. */
#ifndef SINKS_COMMON_TRACE_FORMATS_SPOOL_H
#define SINKS_COMMON_TRACE_FORMATS_SPOOL_H

#include "core/files/identity.h"
#include "core/text/buffer.h"

#include <stdint.h>

/* Initialise it as {0}. Add to `text`, and call swi_spool_spill() from time to time. */
struct swi_spool {
    struct swi_text text;
    int fd; /* of the file; 0: none yet */
    struct swi_identity identity;
    int64_t spilled; /* bytes in the file */
    bool failed;
    int error; /* errno if the file failed; 0: out of memory */
};

/* Moves the text to the file if it is long. */
void swi_spool_spill(struct swi_spool *spool);

/* Returns how many bytes were added in total. */
int64_t swi_spool_size(const struct swi_spool *spool);

/* Passes everything, in order, to `take` in pieces. Returns false if it cannot be read again or
 * take returned false. */
bool swi_spool_read(struct swi_spool *spool, bool (*take)(void *arg, const char *data, size_t size),
                    void *arg);

void swi_spool_free(struct swi_spool *spool);

#endif
