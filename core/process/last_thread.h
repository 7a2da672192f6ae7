/* SPDX-License-Identifier: MIT */
/* last_thread.h - ends a program whose own threads have all ended, although threads of stepwatch
 * still run.
 *
 * If main() ended with pthread_exit(), the C library calls exit(0) on the last thread that returns.
 * The threads of stepwatch would prevent that. */
#ifndef CORE_PROCESS_LAST_THREAD_H
#define CORE_PROCESS_LAST_THREAD_H

/* Calls exit(0) on a new thread once no thread of the program is left. Threads of stepwatch call it
 * a few times a second. It costs one system call while the main thread lives. */
void swi_last_thread_look(void);

/* Starts a thread that calls swi_last_thread_look(). For a sink that was given up, when the last
 * profiler may be closed. */
void swi_last_thread_watch(void);

void swi_last_thread_child(void);

#endif
