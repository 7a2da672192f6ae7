/* SPDX-License-Identifier: MIT */
#include "sinks/common/upload/way.h"

#include <string.h>

static void first_of(char value[SWI_WAY_VALUE], const char *const *names, swi_env_fn *env,
                     void *arg)
{
    for (*value = '\0'; *names && !*value; names++) {
        const char *found = env(arg, *names);
        if (found && strlen(found) < SWI_WAY_VALUE)
            memcpy(value, found, strlen(found) + 1);
    }
}

/* HTTP_PROXY is not read, because a web server sets it from a request. */
void swi_way_find(struct swi_way *way, swi_env_fn *env, void *arg)
{
    static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const tls[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL};
    static const char *const none[] = {"no_proxy", "NO_PROXY", NULL};
    static const char *const file[] = {"SSL_CERT_FILE", NULL};
    static const char *const folders[] = {"SSL_CERT_DIR", NULL};
    first_of(way->proxy[0], plain, env, arg);
    first_of(way->proxy[1], tls, env, arg);
    first_of(way->no_proxy, none, env, arg);
    first_of(way->ca_file, file, env, arg);
    first_of(way->ca_folders, folders, env, arg);
}
