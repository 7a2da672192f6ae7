/* SPDX-License-Identifier: MIT */
/* reading_number.h - lets one system call read several counters: each reading of a thread has a
 * number, and the file that makes the call keeps its result for that number. */
#ifndef CORE_COUNTERS_READING_NUMBER_H
#define CORE_COUNTERS_READING_NUMBER_H

#include <stdint.h>

extern __attribute__((visibility("hidden"))) _Thread_local uint64_t swi_reading_number;

#endif
