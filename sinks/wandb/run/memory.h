/* SPDX-License-Identifier: MIT */
/* memory.h - finds how much memory this process may use, and how much is in use. */
#ifndef SINKS_WANDB_RUN_MEMORY_H
#define SINKS_WANDB_RUN_MEMORY_H

#include <stdbool.h>

struct swi_wandb_memory {
    double total_mib, available_mib;
};

/* Finds the memory of the machine, or the tightest limit of the process's control groups (version 1
 * or 2): a container is out of memory when that is used up. root: "", or a folder instead of / for
 * tests. Returns false if it is not known. */
bool swi_wandb_memory_find(struct swi_wandb_memory *memory, const char *root);

#endif
