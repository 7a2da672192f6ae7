/* SPDX-License-Identifier: MIT */
/* stderr.h - what goes to standard error: safe on a terminal, whatever is in the log or path that
 * it speaks of. */
#ifndef TOOLS_OUTPUT_STDERR_H
#define TOOLS_OUTPUT_STDERR_H

#include <stdarg.h>
#include <stdbool.h>

/* Prints "stepwatch COMMAND: TEXT", printf-like, with a newline; command NULL: the text alone.
 * Control characters and the like are shown as text_shown() does; newlines are kept. */
__attribute__((format(printf, 2, 3))) void say(const char *command, const char *format, ...);
__attribute__((format(printf, 2, 0))) void vsay(const char *command, const char *format,
                                                va_list args);

/* Whether somebody may still read what is printed. After `| head` has its lines nobody does, and
 * that it cannot be written is no news. */
bool stdout_is_read(void);

#endif
