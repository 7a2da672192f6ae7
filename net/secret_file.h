/* SPDX-License-Identifier: MIT */
/* secret_file.h - who may read and write a file that holds a secret. */
#ifndef NET_SECRET_FILE_H
#define NET_SECRET_FILE_H

#include <sys/stat.h>

/* Returns why the secret in an open file is not used, as a clause that says what to do: "others can
 * read it: chmod 600 it"; NULL if it is. The file must belong to root or to the user, and others
 * must not be able to write it, nor to read it if the user could change that: a file of root or on
 * a read-only file system, as in the volumes of Kubernetes, is as somebody else has set it up. */
const char *swi_secret_file_refusal(int fd, const struct stat *status);

#endif
