/* SPDX-License-Identifier: MIT */
/* launch.h - runs a program as if it were this one: signals go to it, its exit status comes back.
 */
#ifndef TOOLS_COMMANDS_LAUNCH_H
#define TOOLS_COMMANDS_LAUNCH_H

enum { CHILD_NOT_STARTED = 126, CHILD_NOT_THERE = 127 };

/* in_child: called in the new process before the program is started; may be NULL.
 *
 * program: its name, searched in $PATH, and its arguments, ends with NULL. Passes SIGINT, SIGTERM,
 * SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 on until it has ended, but for those of the terminal, which
 * gives them to the program itself. Returns its exit status, or 128 + n where signal n ended it;
 * what kept it from starting is said on stderr. */
int launch(char **program, void (*in_child)(void));

#endif
