/* SPDX-License-Identifier: MIT */
/* crash.h - writes what was measured before a crash ends the program. If the crash is in a plugin's
 * code, prints the name of the plugin. */
#ifndef CORE_PROCESS_CRASH_H
#define CORE_PROCESS_CRASH_H

/* Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from now on if they have their default action
 * or a handler that may follow (core/process/handlers.h). Ours prints a line to stderr if the crash
 * is in a sink, and then the signal has the effect that it had before. May be called more than
 * once. Each call needs a swi_fault_unwatch(). */
void swi_fault_watch(void);
void swi_fault_unwatch(void);

/* Whose code a thread runs, such as "sink" and its name; NULL: nobody's. */
struct swi_blamed {
    const char *kind, *name;
};

/* Notes whose code the calling thread runs from now on. Both texts must stay valid. Returns what
 * was noted before. */
struct swi_blamed swi_fault_blame(const char *kind, const char *name);

/* Resets everything in the child of a fork: the parent's profilers are not watched there. */
void swi_fault_child(void);

#endif
