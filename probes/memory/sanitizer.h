/* SPDX-License-Identifier: MIT */
/* sanitizer.h - programs that are compiled with a sanitizer, which has an allocator of its own. */
#ifndef PROBES_MEMORY_SANITIZER_H
#define PROBES_MEMORY_SANITIZER_H

#include <stdbool.h>

/* Whether its hooks count: what comes through here as well must not be counted twice. */
__attribute__((visibility("hidden"))) bool mem_sanitizer_counts(void);

#endif
