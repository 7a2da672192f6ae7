/* SPDX-License-Identifier: MIT */
/* terminal.h - what the environment and a file descriptor say of a terminal. */
#ifndef SINKS_TABLE_TERMINAL_H
#define SINKS_TABLE_TERMINAL_H

#include <stepwatch/sink.h>

bool swi_terminal_is(int fd);
bool swi_terminal_moves(struct sw_sink *sink, int fd);   /* the cursor can be moved on it */
bool swi_terminal_colours(struct sw_sink *sink, int fd); /* and NO_COLOR does not forbid colours */
bool swi_terminal_same(int a, int b);                    /* both are the same terminal */
bool swi_terminal_utf8(struct sw_sink *sink);
/* What COLUMNS says of the width; 0: nothing. */
size_t swi_terminal_columns(struct sw_sink *sink);
/* That, or what the terminal says; 80 where it does not. */
size_t swi_terminal_width(struct sw_sink *sink, int fd);

#endif
