/* SPDX-License-Identifier: MIT */
/* zlib_library.h - zlib, if the machine has it. It is loaded when the first image is encoded, so
 * that the library needs nothing but libc, libm and libyaml. */
#ifndef CORE_MEDIA_ZLIB_LIBRARY_H
#define CORE_MEDIA_ZLIB_LIBRARY_H

#include "config.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

struct swi_zlib {
    int (*init)(z_streamp stream, int level, const char *version, int size); /* deflateInit_() */
    int (*deflate)(z_streamp stream, int flush);
    int (*end)(z_streamp stream);
};

/* Returns NULL if there is none. */
const struct swi_zlib *swi_zlib_get(void);
#endif

#endif
