/* SPDX-License-Identifier: MIT */
/* gzip.h - compresses a file while it is being made. */
#ifndef SINKS_COMMON_TRACE_FORMATS_GZIP_H
#define SINKS_COMMON_TRACE_FORMATS_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct swi_gzip;

/* Returns whether this build can compress. */
bool swi_gzip_is_known(void);

/* Begins to compress. Compressed bytes are passed to write. Returns NULL if out of memory, or
 * without zlib. */
struct swi_gzip *swi_gzip_new(bool (*write)(void *arg, const char *data, size_t size), void *arg);

/* Compresses data. Returns false once write has failed. */
bool swi_gzip_add(struct swi_gzip *gzip, const char *data, size_t size);

/* Writes the rest and frees gzip. Returns false if the file is incomplete. */
bool swi_gzip_end(struct swi_gzip *gzip);

#endif
