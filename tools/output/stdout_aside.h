/* SPDX-License-Identifier: MIT */
/* stdout_aside.h - keeps standard output for the command's JSON while sinks or a program print. */
#ifndef TOOLS_OUTPUT_STDOUT_ASIDE_H
#define TOOLS_OUTPUT_STDOUT_ASIDE_H

#include <stdbool.h>

/* Sends what is printed to standard output to standard error, until stdout_back(). on: false does
 * nothing. Returns false, and prints why, if that is not possible. */
bool stdout_aside(const char *command, bool on);

/* Does nothing if it was not set aside. */
void stdout_back(void);

#endif
