/* SPDX-License-Identifier: MIT */
/* linkage.h - how the program was linked. */
#ifndef CORE_PROCESS_LINKAGE_H
#define CORE_PROCESS_LINKAGE_H

#include <stdbool.h>

/* Returns whether the whole program is one file without a loader (cc -static). A plugin that it
 * loads would bring a second C library, and crash. */
bool swi_linked_statically(void);

#endif
