/* SPDX-License-Identifier: MIT */
#include "core/media/zlib_library.h"

#ifdef HAVE_ZLIB
#include "core/files/own_symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static struct swi_zlib zlib;
static bool found;

/* Returns a pointer to a function. ISO C has no conversion from a pointer to an object. */
static bool symbol_find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* It stays loaded. */
static void load(void)
{
    static const char *const names[] = {"libz.so.1", NULL};
    SW_ERROR_SCOPE(ignored);
    void *library = swi_library_open(names, &ignored);
    found = library && symbol_find(library, "deflateInit_", &zlib.init, sizeof zlib.init) &&
            symbol_find(library, "deflate", &zlib.deflate, sizeof zlib.deflate) &&
            symbol_find(library, "deflateEnd", &zlib.end, sizeof zlib.end);
}

const struct swi_zlib *swi_zlib_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return found ? &zlib : NULL;
}
#else
typedef int swi_no_zlib; /* a file must declare something */
#endif
