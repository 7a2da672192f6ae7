/* SPDX-License-Identifier: MIT */
/* connection.h - how to reach a server: proxies, and the authorities whose certificates count. */
#ifndef NET_CONNECTION_H
#define NET_CONNECTION_H

enum { SWI_CONNECTION_VALUE = 1024 };

/* "" if there is none. Proxies are for http and https. */
struct swi_connection {
    char proxy[2][SWI_CONNECTION_VALUE];
    char no_proxy[SWI_CONNECTION_VALUE];   /* hosts that need no proxy */
    char ca_file[SWI_CONNECTION_VALUE];    /* SSL_CERT_FILE; if "", the system's */
    char ca_folders[SWI_CONNECTION_VALUE]; /* SSL_CERT_DIR, used too; separated by colons */
};

/* A variable of the environment, or NULL. */
typedef const char *swi_env_fn(void *arg, const char *name);

/* Finds proxies and authorities in the variables that curl and others read. */
void swi_connection_find(struct swi_connection *connection, swi_env_fn *env, void *arg);

#endif
