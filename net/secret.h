/* SPDX-License-Identifier: MIT */
/* secret.h - memory for keys: not in core dumps, not in forked children, and erased when it is
 * freed. */
#ifndef NET_SECRET_H
#define NET_SECRET_H

#include <stddef.h>

/* Returns separate, zeroed pages, or NULL if out of memory. */
void *swi_secret_new(size_t size);
/* size: the size that was requested. memory may be NULL. */
void swi_secret_free(void *memory, size_t size);

#endif
