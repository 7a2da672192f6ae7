/* SPDX-License-Identifier: MIT */
/* slurm.h - whether the variables of Slurm belong to this process. */
#ifndef CORE_RANKS_SLURM_H
#define CORE_RANKS_SLURM_H

#include "core/ranks/variables.h"

#include <stdbool.h>

/* Returns whether this process is a task of a step, or was started by one. A batch script, the
 * shell of an interactive step, and a batch script that a task submitted have SLURM_PROCID too. */
bool swi_slurm_is_task(const struct swi_variables *variables);

/* Returns how many tasks of the step run on this node, or -1. */
int64_t swi_slurm_local_size(const struct swi_variables *variables);

#endif
