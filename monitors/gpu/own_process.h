/* SPDX-License-Identifier: MIT */
/* own_process.h - which processes are this one or its children. */
#ifndef MONITORS_GPU_OWN_PROCESS_H
#define MONITORS_GPU_OWN_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether pid is own, or a child of it, or of one of those. */
bool swi_is_own_process(pid_t pid, pid_t own);

#endif
