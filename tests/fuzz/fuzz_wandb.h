/* SPDX-License-Identifier: MIT */
/* fuzz_wandb.h - one input for the reader of .wandb files; aborts where the reader does not end or
 * says what is not so. */
#ifndef FUZZ_WANDB_H
#define FUZZ_WANDB_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many records were read. */
int64_t fuzz_wandb(const uint8_t *data, size_t size);

#endif
