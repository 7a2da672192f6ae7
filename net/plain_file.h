/* SPDX-License-Identifier: MIT */
/* plain_file.h - reads small text files of other programs, such as settings. */
#ifndef NET_PLAIN_FILE_H
#define NET_PLAIN_FILE_H

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

#endif
