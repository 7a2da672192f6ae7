/* SPDX-License-Identifier: MIT */
/* secret.h - memory for keys: not in core dumps, not in forked children, and erased when it is
 * freed; and who may read a file that holds one. */
#ifndef NET_SECRET_H
#define NET_SECRET_H

#include <stddef.h>
#include <sys/stat.h>

/* Returns separate, zeroed pages, or NULL if out of memory. */
void *swi_secret_new(size_t size);
/* size: the size that was requested. memory may be NULL. */
void swi_secret_free(void *memory, size_t size);

/* Returns why the secret in an open file is not used, as a clause that says what to do: "others can
 * read it: chmod 600 it"; NULL if it is. The file must belong to root or to the user, and others
 * must not be able to write it, nor to read it if the user could change that: a file of root or on
 * a read-only file system, as in the volumes of Kubernetes, is as somebody else has set it up. */
const char *swi_secret_file_refusal(int fd, const struct stat *status);

#endif
