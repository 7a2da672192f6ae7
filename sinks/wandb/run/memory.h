/* SPDX-License-Identifier: MIT */
/* memory.h - how much memory there is for this process, and how much of it is in use. */
#ifndef SINKS_WANDB_RUN_MEMORY_H
#define SINKS_WANDB_RUN_MEMORY_H

#include <stdbool.h>

struct swi_wandb_memory {
    double total_mib, available_mib;
};

/* The number behind `field` in a file of lines "FIELD NUMBER"; -1 if there is none. */
double swi_wandb_number_of(const char *path, const char *field);

/* The machine's, or the tightest limit of the control groups, of version 1 or 2, that the process
 * is in: a container is out of memory when that is used up. root: "", or a folder instead of / for
 * tests. False where nothing says it. */
bool swi_wandb_memory_find(struct swi_wandb_memory *memory, const char *root);

#endif
