/* SPDX-License-Identifier: MIT */
/* surroundings.h - files of other programs, secrets in them, and how to reach a server. */
#ifndef NET_SURROUNDINGS_H
#define NET_SURROUNDINGS_H

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

/* Opens a regular file for reading. Returns NULL for anything else: a pipe of that name would
 * block. */
FILE *swi_plain_file_open(const char *path);

/* Opens a regular file in a folder, or in the folder `below` there, for reading. The path may come
 * from anywhere: no link in it is followed, and it does not leave the folder. below: "" for none.
 * Returns the descriptor and fills status, or returns -1. */
int swi_plain_file_below(const char *folder, const char *below, const char *path,
                         struct stat *status);

/* Returns the text without blanks around it. Changes the text. */
char *swi_plain_file_trim(char *text);

/* Finds a setting in a section of an INI file, or in its section DEFAULT, as Python's configparser
 * does. Returns false and leaves the value if it is not there. A longer value is cut. The setting
 * may be a secret: of the file, only the buffer of the caller's FILE keeps anything. */
bool swi_settings_value(FILE *file, const char *section, const char *name, char *value,
                        size_t size);

/* ---- secrets --------------------------------------------------------------------------------- */

/* Memory for keys: not in core dumps, not in forked children, and erased when it is
 * freed; and who may read a file that holds one. */

/* Returns separate, zeroed pages, or NULL if out of memory. */
void *swi_secret_new(size_t size);
/* size: the size that was requested. memory may be NULL. */
void swi_secret_free(void *memory, size_t size);

/* Returns why the secret in an open file is not used, as a clause that says what to do: "others can
 * read it: chmod 600 it"; NULL if it is. The file must belong to root or to the user, and others
 * must not be able to write it, nor to read it if the user could change that: a file of root or on
 * a read-only file system, as in the volumes of Kubernetes, is as somebody else has set it up. */
const char *swi_secret_file_refusal(int fd, const struct stat *status);

/* ---- addresses ------------------------------------------------------------------------------- */

/* Removes slashes at the end of an address. */
void swi_address_trim(char *url);

/* Returns whether others on the way can read what is sent to an address: it begins with http://,
 * and its host is not this machine. */
bool swi_address_is_open(const char *url);

/* ---- connections ----------------------------------------------------------------------------- */

/* How to reach a server: proxies, and the authorities whose certificates count. */

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

/* Those of a struct sw_sink. */
static inline const char *swi_env_of_sink(void *sink, const char *name)
{
    return sw_sink_getenv(sink, name);
}

/* Finds proxies and authorities in the variables that curl and others read. */
void swi_connection_find(struct swi_connection *connection, swi_env_fn *env, void *arg);

/* Makes those of a file the only authorities. Returns false if its path is too long. */
bool swi_connection_trust(struct swi_connection *connection, const char *ca_file);

#endif
