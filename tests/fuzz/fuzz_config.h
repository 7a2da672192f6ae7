/* SPDX-License-Identifier: MIT */
/* fuzz_config.h - one input as a configuration; aborts where what is said of it contradicts itself.
 */
#ifndef FUZZ_CONFIG_H
#define FUZZ_CONFIG_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many mistakes it has, or a negative code where it cannot be read. */
int fuzz_config(const uint8_t *data, size_t size);

#endif
