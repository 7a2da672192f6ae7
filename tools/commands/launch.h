/* SPDX-License-Identifier: MIT */
/* launch.h - runs a program in place of this one: passes signals to it and returns its exit status.
 */
#ifndef TOOLS_COMMANDS_LAUNCH_H
#define TOOLS_COMMANDS_LAUNCH_H

#include "tools/console/tee.h"

enum { CHILD_NOT_STARTED = 126, CHILD_NOT_THERE = 127 };

/* Runs a program. in_child: called in the new process before the program is started; may be NULL.
 * tee: copies what it prints; NULL: it prints to where this process does.
 *
 * program: its name, searched in $PATH, and its arguments, terminated by NULL. Passes SIGINT,
 * SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 on until it has ended, except for those of the
 * terminal, which sends them to the program itself. Returns its exit status, or 128 + n if signal n
 * ended it. Prints to stderr why it could not be started. */
int launch(char **program, void (*in_child)(void), struct tee *tee);

#endif
