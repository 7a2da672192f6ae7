/* SPDX-License-Identifier: MIT */
/* last_row.h - the last row of a terminal, taken out of what scrolls: a line there is apart from
 * all that the program prints. */
#ifndef SINKS_TABLE_LAST_ROW_H
#define SINKS_TABLE_LAST_ROW_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

struct swi_last_row {
    int rows; /* of the terminal, when the row was taken; 0: it is not taken */
    int columns;
};

/* Returns whether a terminal has one to give: the console of Linux and a few rows have none. */
bool swi_last_row_can(struct sw_sink *sink, int fd);

/* Adds what shows a line there, and what takes the row first, also after the terminal has got
 * another size. */
void swi_last_row_show(struct swi_last_row *row, int fd, struct swi_text *text, const char *line);

/* Adds what gives the row back. */
void swi_last_row_give_back(struct swi_last_row *row, struct swi_text *text);

#endif
