/* SPDX-License-Identifier: MIT */
/* fork.h - handles the child of a fork for the whole library. */
#ifndef CORE_FORK_H
#define CORE_FORK_H

/* Lets this process measure for itself from now on: makes the locks of a child usable, and turns
 * inherited profilers off. Does nothing if it was called before in this process. */
void swi_process_enter(void);

#endif
