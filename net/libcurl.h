/* SPDX-License-Identifier: MIT */
/* libcurl.h - libcurl, which is loaded when something is sent for the first time. Programs that
 * send nothing neither need it nor pay for it. */
#ifndef NET_LIBCURL_H
#define NET_LIBCURL_H

#include "core/text/buffer.h"

#include <stepwatch/error.h>

#include <curl/curl.h>

/* Its functions that are called, without "curl_". */
#define SWI_CURL_FUNCTIONS(X)                                                                      \
    X(easy_cleanup)                                                                                \
    X(easy_getinfo)                                                                                \
    X(easy_init)                                                                                   \
    X(easy_reset)                                                                                  \
    X(easy_setopt)                                                                                 \
    X(easy_strerror)                                                                               \
    X(free)                                                                                        \
    X(getdate)                                                                                     \
    X(global_init_mem)                                                                             \
    X(multi_add_handle)                                                                            \
    X(multi_cleanup)                                                                               \
    X(multi_info_read)                                                                             \
    X(multi_init)                                                                                  \
    X(multi_perform)                                                                               \
    X(multi_poll)                                                                                  \
    X(multi_remove_handle)                                                                         \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(url)                                                                                         \
    X(url_cleanup)                                                                                 \
    X(url_get)                                                                                     \
    X(url_set)                                                                                     \
    X(version_info)

#define SWI_CURL_FUNCTION(name) __typeof__(curl_##name) *name;
struct swi_curl {
    SWI_CURL_FUNCTIONS(SWI_CURL_FUNCTION)
};

/* Valid after swi_curl_load(). */
extern struct swi_curl swi_curl;

/* Loads and starts libcurl, with memory that is erased when it is freed. Later calls do nothing. It
 * stays loaded, because a thread may hang in its resolver, where nothing can end it, and so must
 * the code of this file, to which it keeps pointers. Any thread may call this. Returns 0, or a
 * negative code with the reason in err. */
int swi_curl_load(struct sw_error *err);

/* Adds all certificates of a file ("": the system's own) and of each file in the colon-separated
 * folders, as PEM. The SDK reads each file, but libcurl itself would look only for names made of
 * hashes. Files that cannot be read are skipped. */
void swi_authorities_read(struct swi_text *pem, const char *file, const char *folders);

#endif
