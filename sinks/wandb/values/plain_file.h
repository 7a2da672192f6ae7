/* SPDX-License-Identifier: MIT */
/* plain_file.h - small text files that others wrote: settings, a repository's. */
#ifndef SINKS_WANDB_VALUES_PLAIN_FILE_H
#define SINKS_WANDB_VALUES_PLAIN_FILE_H

#include <stdio.h>

/* Opens a plain file for reading; NULL for anything else: a pipe of that name would never answer.
 */
FILE *swi_plain_file_open(const char *path);

/* The text without blanks around it: its end is cut off, its begin is returned. */
char *swi_plain_file_trim(char *text);

#endif
