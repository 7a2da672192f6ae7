/* SPDX-License-Identifier: MIT */
/* md5.h - the hash of the files in an artifact's manifest. */
#ifndef SINKS_WANDB_VALUES_MD5_H
#define SINKS_WANDB_VALUES_MD5_H

#include <stdbool.h>
#include <stddef.h>

enum { SWI_MD5_SIZE = 16 };

void swi_md5(const void *bytes, size_t size, unsigned char digest[SWI_MD5_SIZE]);

/* Writes the digest in base 64: 24 characters and a NUL. */
void swi_md5_base64(const void *bytes, size_t size, char text[25]);

/* Does the same for a whole file. Returns false if it cannot be read. */
bool swi_md5_file(int fd, char text[25]);

#endif
