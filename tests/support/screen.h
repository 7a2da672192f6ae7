/* SPDX-License-Identifier: MIT */
/* screen.h - what somebody sees on a terminal: the sequences that stepwatch writes, played on rows
 * of characters, with all that has scrolled away. */
#ifndef TESTS_SCREEN_H
#define TESTS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen;

struct screen *screen_new(int columns, int rows);
void screen_free(struct screen *screen);

/* Plays what was written to the terminal, after its driver has made \r\n of each \n. */
void screen_play(struct screen *screen, const char *bytes, size_t size);

/* Another size: rows at the bottom go or come, as on a terminal that is not scrolled. */
void screen_resize(struct screen *screen, int columns, int rows);

/* All rows, those that have scrolled away first, without blanks at their ends. */
size_t screen_rows(const struct screen *screen);
const char *screen_row(const struct screen *screen, size_t i);

/* Whether a row is exactly this text. */
bool screen_has(const struct screen *screen, const char *text);

#endif
