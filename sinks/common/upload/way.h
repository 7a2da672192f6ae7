/* SPDX-License-Identifier: MIT */
/* way.h - how to reach a server: proxies, and the authorities whose certificates count. */
#ifndef SINKS_COMMON_UPLOAD_WAY_H
#define SINKS_COMMON_UPLOAD_WAY_H

enum { SWI_WAY_VALUE = 1024 };

/* "" if there is none. Proxies are for http and https. */
struct swi_way {
    char proxy[2][SWI_WAY_VALUE];
    char no_proxy[SWI_WAY_VALUE];   /* hosts that need no proxy */
    char ca_file[SWI_WAY_VALUE];    /* SSL_CERT_FILE; if "", the system's */
    char ca_folders[SWI_WAY_VALUE]; /* SSL_CERT_DIR, used too; separated by colons */
};

/* A variable of the environment, or NULL. */
typedef const char *swi_env_fn(void *arg, const char *name);

/* Finds proxies and authorities in the variables that curl and others read. */
void swi_way_find(struct swi_way *way, swi_env_fn *env, void *arg);

#endif
