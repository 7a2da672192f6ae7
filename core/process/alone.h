/* SPDX-License-Identifier: MIT */
/* alone.h - a program whose threads have all ended ends, although threads of ours are left.
 *
 * Where main() ended by pthread_exit(), the C library calls exit(0) on the last thread that
 * returns. Our own threads would keep it from that. */
#ifndef CORE_PROCESS_ALONE_H
#define CORE_PROCESS_ALONE_H

/* Calls exit(0), on a thread of its own, once no thread of the program is left. Any thread of ours,
 * some times a second: one system call while the main thread lives. */
void swi_alone_look(void);

/* A sink was left alone, and the last profiler may be closed: a thread of its own looks from now
 * on. */
void swi_alone_watch(void);

void swi_alone_child(void);

#endif
