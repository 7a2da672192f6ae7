/* SPDX-License-Identifier: MIT */
/* output_offset.h - how far the program has printed to a file. */
#ifndef CORE_PROCESS_OUTPUT_OFFSET_H
#define CORE_PROCESS_OUTPUT_OFFSET_H

#include <stdint.h>

/* Returns where the next byte that is written to a descriptor goes, if it is a regular file;
 * else -1. */
int64_t swi_output_offset(int descriptor);

#endif
