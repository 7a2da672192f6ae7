/* SPDX-License-Identifier: MIT */
#include "net/libcurl.h"
#include "core/files/own_symbols.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct swi_curl swi_curl;

/* ---- memory ---------------------------------------------------------------------------------- */

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

/* ---- loading --------------------------------------------------------------------------------- */

static int functions_find(void *library, struct sw_error *err)
{
#define NAME(name) "curl_" #name,
    static const char *const names[] = {SWI_CURL_FUNCTIONS(NAME)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = dlsym(library, names[i]);
        if (!function)
            return sw_error_set(err, SW_ESINK, "libcurl has no %s()", names[i]);
        memcpy((char *)&swi_curl + i * sizeof function, &function, sizeof function);
    }
    return 0;
}

/* Keeps OpenSSL, if libcurl uses it, from ending itself at exit(): it would do so before the
 * function of stepwatch, which is registered earlier, while rows are still sent. It is looked for
 * among the libraries of libcurl, because the program may have an OpenSSL of its own.
 * https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/ */
static void openssl_keep(void *library)
{
    enum { NO_ATEXIT = 0x00080000 }; /* OPENSSL_INIT_NO_ATEXIT */
    int (*begin)(uint64_t options, const void *settings);
    *(void **)&begin = dlsym(library, "OPENSSL_init_crypto");
    if (begin)
        begin(NO_ATEXIT, NULL);
}

/* Older releases do not know the option that keeps a request to http and https. */
static int load(struct sw_error *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
    enum { OLDEST = CURL_VERSION_BITS(7, 85, 0) };
    void *library = swi_library_open(names, err);
    if (!library)
        return sw_error_prefix(err, "libcurl cannot be loaded");
    int rc = functions_find(library, err);
    if (rc == 0 && swi_curl.version_info(CURLVERSION_NOW)->version_num < OLDEST)
        rc = sw_error_set(err, SW_ESINK, "libcurl %s is too old: 7.85 or a later one is needed",
                          swi_curl.version_info(CURLVERSION_NOW)->version);
    if (rc < 0)
        return rc;
    openssl_keep(library);
    if (swi_curl.global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wiping_free, wiping_realloc, strdup,
                                 calloc) != CURLE_OK)
        return sw_error_set(err, SW_ENOMEM, "libcurl cannot be started");
    return 0;
}

int swi_curl_load(struct sw_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    pthread_mutex_lock(&lock);
    int rc = loaded ? 0 : load(err);
    loaded = rc == 0;
    pthread_mutex_unlock(&lock);
    return rc;
}
