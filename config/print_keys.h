/* SPDX-License-Identifier: MIT */
/* print_keys.h - prints the keys of `profiler:`. */
#ifndef CONFIG_PRINT_KEYS_H
#define CONFIG_PRINT_KEYS_H

#include <stdbool.h>
#include <stdio.h>

struct swi_profiler_keys;

/* Prints " key: value" lines. Returns false if out of memory. */
bool swi_profiler_keys_print(const struct swi_profiler_keys *keys, FILE *out);

#endif
