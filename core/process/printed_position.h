/* SPDX-License-Identifier: MIT */
/* printed_position.h - how far the program has printed to a file. */
#ifndef CORE_PROCESS_PRINTED_POSITION_H
#define CORE_PROCESS_PRINTED_POSITION_H

#include <stdint.h>

/* Returns where the next byte that is written to a descriptor goes, if it is a regular file;
 * else -1. */
int64_t swi_printed_position(int descriptor);

#endif
