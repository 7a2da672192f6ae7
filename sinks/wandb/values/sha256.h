/* SPDX-License-Identifier: MIT */
/* sha256.h - the hash that names a table's file. */
#ifndef SINKS_WANDB_VALUES_SHA256_H
#define SINKS_WANDB_VALUES_SHA256_H

#include <stddef.h>

/* Writes 64 hexadecimal digits and a NUL. */
void swi_sha256_hex(const void *bytes, size_t size, char hex[65]);

#endif
