/* SPDX-License-Identifier: MIT */
/* plain_file.h - reads small text files of other programs, such as settings. */
#ifndef NET_PLAIN_FILE_H
#define NET_PLAIN_FILE_H

#include <stdio.h>

/* Opens a regular file for reading. Returns NULL for anything else: a pipe of that name would
 * block. */
FILE *swi_plain_file_open(const char *path);

/* Returns the text without blanks around it. Changes the text. */
char *swi_plain_file_trim(char *text);

#endif
