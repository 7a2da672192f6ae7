/* SPDX-License-Identifier: MIT */
/* stderr.h - prints messages to standard error, safely for a terminal, whatever the log or path in
 * them contains, and keeps standard output for the command's JSON while sinks or a program print.
 */
#ifndef TOOLS_OUTPUT_STDERR_H
#define TOOLS_OUTPUT_STDERR_H

#include <stepwatch/error.h>

#include <stdarg.h>
#include <stdbool.h>

/* Prints "stepwatch COMMAND: TEXT", printf-like, with a newline. command NULL: only the text.
 * Control characters of the arguments, newlines as well, are shown as in text_shown(). */
__attribute__((format(printf, 2, 3))) void say(const char *command, const char *format, ...);
__attribute__((format(printf, 2, 0))) void vsay(const char *command, const char *format,
                                                va_list args);

/* Prints the text of an error. Those of configurations and sinks may have several lines. */
void say_error(const char *command, const struct sw_error *err);

/* Returns whether stdout still has a reader. `| head` closes it when it has its lines, and then a
 * failed write is not an error. */
bool stdout_is_read(void);

/* Sends what is printed to standard output to standard error, until stdout_back(). on: false does
 * nothing. Returns false, and prints why, if that is not possible. */
bool stdout_aside(const char *command, bool on);

/* Does nothing if it was not set aside. */
void stdout_back(void);

#endif
