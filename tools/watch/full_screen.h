/* SPDX-License-Identifier: MIT */
/* full_screen.h - the screen of `stepwatch watch`, by ncurses. */
#ifndef TOOLS_WATCH_FULL_SCREEN_H
#define TOOLS_WATCH_FULL_SCREEN_H

#include "tools/watch/screen.h"

/* Keys that are no characters. */
enum { KEY_NOTHING = 0, KEY_TO_LEFT = 256, KEY_TO_RIGHT, KEY_TO_UP, KEY_TO_DOWN, KEY_RESIZED };

/* Returns whether this build has it. */
bool terminal_is_built(void);

/* Takes the terminal. False where it cannot: it is dumb, or unknown. */
bool terminal_open(void);
void terminal_close(void);

void terminal_size(size_t *rows, size_t *columns);

/* Shows lines; what is on the screen already is not written again. */
void terminal_show(const struct screen *screen);

/* Waits for a key, at most so long. */
int terminal_key(int timeout_ms);

#endif
