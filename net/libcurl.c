/* SPDX-License-Identifier: MIT */
#include "net/libcurl.h"
#include "core/files/own_symbols.h"
#include "net/surroundings.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static void openssl_prevent_unload(void *library)
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
    openssl_prevent_unload(library);
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

/* ---- the certificates of SSL_CERT_DIR -------------------------------------------------------- */

/* A larger file is not a list of authorities. */
enum { FILE_MAX = 4 << 20, ALL_MAX = 16 << 20 };

static const char *system_file(void)
{
    const curl_version_info_data *about = swi_curl.version_info(CURLVERSION_NOW);
    return about->age >= CURLVERSION_SEVENTH && about->cainfo ? about->cainfo : "";
}

static void file_add(struct swi_text *pem, const char *path)
{
    char bytes[16384];
    struct swi_text text = {0};
    FILE *file = swi_plain_file_open(path);
    for (size_t size = 1; file && size && text.size < FILE_MAX; swi_text_add(&text, bytes, size))
        size = fread(bytes, 1, sizeof bytes, file);
    if (file)
        fclose(file);
    if (text.data && strstr(text.data, "-----BEGIN CERTIFICATE-----") &&
        pem->size + text.size < ALL_MAX) {
        swi_text_add(pem, text.data, text.size);
        swi_text_put(pem, "\n");
    }
    swi_text_free(&text);
}

/* c_rehash gives each file in its folder a second name: a link beside it. */
static bool is_second_name(const char *path)
{
    char target[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target);
    return size > 0 && !memchr(target, '/', (size_t)size);
}

static void folder_add(struct swi_text *pem, const char *folder)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *listed = opendir(folder);
    while (listed && (entry = readdir(listed))) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name != '.' && size < PATH_MAX && !is_second_name(path))
            file_add(pem, path);
    }
    if (listed)
        closedir(listed);
}

void swi_authorities_read(struct swi_text *pem, const char *file, const char *folders)
{
    char *copied = strdup(folders), *rest = copied;
    file_add(pem, *file ? file : system_file());
    for (const char *folder; copied && (folder = strsep(&rest, ":"));)
        if (*folder)
            folder_add(pem, folder);
    pem->failed |= !copied;
    free(copied);
}
