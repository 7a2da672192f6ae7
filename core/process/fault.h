/* SPDX-License-Identifier: MIT */
/* fault.h - when the program crashes, what was measured is written first; where it crashes in a
 * sink's code, its last words name the sink. */
#ifndef CORE_PROCESS_FAULT_H
#define CORE_PROCESS_FAULT_H

/* Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from now on where the program left the
 * default action: a line to stderr where the crash is in a sink, then the signal as it would have
 * been. May be called more than once; each call wants its swi_fault_unwatch(). */
void swi_fault_watch(void);
void swi_fault_unwatch(void);

/* The calling thread runs code of this sink from now on; NULL: no longer. name must stay. */
void swi_fault_blame(const char *name);

/* In the child of a fork: the parent's profilers are not watched there. */
void swi_fault_child(void);

#endif
