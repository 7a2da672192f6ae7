/* SPDX-License-Identifier: MIT */
/* secret.h - memory for keys: in no core dump, in no forked child, and wiped when it is freed. */
#ifndef SINKS_WANDB_ACCOUNT_SECRET_H
#define SINKS_WANDB_ACCOUNT_SECRET_H

#include <stddef.h>

/* Pages of their own, zeroed; NULL if out of memory. */
void *swi_secret_new(size_t size);
/* size: as it was asked for. NULL is fine. */
void swi_secret_free(void *memory, size_t size);

#endif
