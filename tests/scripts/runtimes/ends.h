/* SPDX-License-Identifier: MIT */
/* ends.h - a training of one step, and ends of the process: for programs of runtimes that handle
 * signals. */
#ifndef ENDS_H
#define ENDS_H

void ends_open(void);

/* Ends the process: segv, abort, _exit(3), or term, int, hup, after which it returns: the runtime
 * may have noted the signal for later. close: closes the profiler. Ignores other words. */
void ends_by(const char *how);

#endif
