/* SPDX-License-Identifier: MIT */
#include "net/connection.h"

#include <string.h>

static void first_of(char value[SWI_CONNECTION_VALUE], const char *const *names, swi_env_fn *env,
                     void *arg)
{
    for (*value = '\0'; *names && !*value; names++) {
        const char *found = env(arg, *names);
        if (found && strlen(found) < SWI_CONNECTION_VALUE)
            memcpy(value, found, strlen(found) + 1);
    }
}

/* HTTP_PROXY is not read, because a web server sets it from a request. */
void swi_connection_find(struct swi_connection *connection, swi_env_fn *env, void *arg)
{
    static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const tls[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL};
    static const char *const none[] = {"no_proxy", "NO_PROXY", NULL};
    static const char *const file[] = {"SSL_CERT_FILE", NULL};
    static const char *const folders[] = {"SSL_CERT_DIR", NULL};
    first_of(connection->proxy[0], plain, env, arg);
    first_of(connection->proxy[1], tls, env, arg);
    first_of(connection->no_proxy, none, env, arg);
    first_of(connection->ca_file, file, env, arg);
    first_of(connection->ca_folders, folders, env, arg);
}
