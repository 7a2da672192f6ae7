/* SPDX-License-Identifier: MIT */
/* gzip.h - compresses a file while it is made. */
#ifndef SINKS_COMMON_TIMELINE_GZIP_H
#define SINKS_COMMON_TIMELINE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct swi_gzip;

/* Whether this build can compress. */
bool swi_gzip_is_known(void);

/* Compressed bytes go to write. NULL if out of memory, or without zlib. */
struct swi_gzip *swi_gzip_new(bool (*write)(void *arg, const char *data, size_t size), void *arg);

/* False once write said so. */
bool swi_gzip_add(struct swi_gzip *gzip, const char *data, size_t size);

/* Writes what is left and frees. False if the file is not whole. */
bool swi_gzip_end(struct swi_gzip *gzip);

#endif
