/* SPDX-License-Identifier: MIT */
/* memory_preload.h - starts a program with libstepwatch-memory. */
#ifndef TOOLS_MEMORY_MEMORY_PRELOAD_H
#define TOOLS_MEMORY_MEMORY_PRELOAD_H

#include <stepwatch/error.h>

/* Sets the environment of a program so that its allocations are counted, and shown even if its
 * configuration names no counter of memory. Returns 0, SW_EINVAL with what to do instead if nothing
 * can be preloaded into the program, or another negative code. */
int memory_preload(const char *program, struct sw_error *err);

#endif
