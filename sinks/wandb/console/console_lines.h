/* SPDX-License-Identifier: MIT */
/* console_lines.h - makes lines of the bytes that a program printed. */
#ifndef SINKS_WANDB_CONSOLE_CONSOLE_LINES_H
#define SINKS_WANDB_CONSOLE_CONSOLE_LINES_H

#include "core/text/buffer.h"

/* A longer line becomes several. */
enum { SWI_CONSOLE_LINE_MAX = 64 << 10 };

/* Initialise it as {0}. */
struct swi_console_lines {
    struct swi_text rest; /* a line that has no end yet, as it was printed */
    size_t pending;       /* how many bytes were read since the last line ended */
    bool returned;        /* after a carriage return: the next character replaces the line */
    bool skipping;        /* everything up to the next line feed is left out */
};

/* Takes bytes. Adds each complete line to `lines`, with a line feed. Of a line, only what follows
 * its last carriage return is kept, as on a terminal. Bytes that are not UTF-8 become \xNN, and NUL
 * bytes are left out. Escape sequences, such as those of colours, are kept. */
void swi_console_lines_add(struct swi_console_lines *console, const char *bytes, size_t size,
                           struct swi_text *lines);

/* Adds the line that has no end yet, if there is one. */
void swi_console_lines_end(struct swi_console_lines *console, struct swi_text *lines);

void swi_console_lines_free(struct swi_console_lines *console);

#endif
