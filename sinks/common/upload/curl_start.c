/* SPDX-License-Identifier: MIT */
#include "sinks/common/upload/curl_start.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An address in this file. */
static const char uploader = 'u';

/* Allocation functions that erase memory. libcurl stores the head of a request, with the key in it,
 * in its own memory. free() may be called with this memory as well. */
static void wiping_free(void *memory)
{
    if (memory)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void *wiping_realloc(void *memory, size_t size)
{
    size_t had = memory ? malloc_usable_size(memory) : 0;
    void *longer = malloc(size);
    if (longer && memory) {
        memcpy(longer, memory, had < size ? had : size);
        wiping_free(memory);
    }
    return longer;
}

/* Keeps OpenSSL, if libcurl uses it, from ending itself at exit(): it would do so before the
 * function of stepwatch, which is registered earlier, while rows are still sent.
 * https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/
 *
 * It is looked for among the libraries of this file, because the program may have an OpenSSL of its
 * own. Code of the command is no library. */
static void openssl_keep(void)
{
    enum { NO_ATEXIT = 0x00080000 }; /* OPENSSL_INIT_NO_ATEXIT */
    int (*begin)(uint64_t options, const void *settings);
    Dl_info here;
    void *own = dladdr(&uploader, &here) ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    *(void **)&begin = dlsym(own ? own : RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (begin)
        begin(NO_ATEXIT, NULL);
    if (own)
        dlclose(own);
}

CURLcode swi_curl_start(void)
{
    openssl_keep();
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wiping_free, wiping_realloc, strdup,
                                calloc);
}
