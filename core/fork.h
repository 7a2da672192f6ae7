/* SPDX-License-Identifier: MIT */
/* fork.h - what becomes of everything here in the child of a fork. */
#ifndef CORE_FORK_H
#define CORE_FORK_H

/* From now on this process measures itself: makes the locks of a child usable, and turns inherited
 * profilers off. Does nothing in the process that did so before. */
void swi_process_enter(void);

#endif
