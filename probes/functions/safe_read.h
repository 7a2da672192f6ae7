/* SPDX-License-Identifier: MIT */
/* safe_read.h - reads memory that may be unmapped at any moment: the stack of another thread, which
 * may end, and tables of a library, which may be closed. */
#ifndef PROBES_FUNCTIONS_SAFE_READ_H
#define PROBES_FUNCTIONS_SAFE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies memory of this process; false if it cannot be read. */
bool fn_safe_read(void *to, uintptr_t from, size_t size);

#endif
