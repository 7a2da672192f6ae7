/* SPDX-License-Identifier: MIT */
/* screen.h - what `stepwatch watch` shows: on a whole screen, by ncurses, or as plain lines. */
#ifndef TOOLS_WATCH_SCREEN_H
#define TOOLS_WATCH_SCREEN_H

#include "core/text/buffer.h"
#include "tools/watch/screen_lines.h"
#include "tools/watch/watched.h"

/* What is shown of a run. */
enum screen_part { SCREEN_ALL, SCREEN_METRICS, SCREEN_ACTIONS, SCREEN_FINDINGS, SCREEN_HELP };

/* A run. keys: what the last row says; NULL: nothing. */
void screen_run(struct screen *screen, const struct watched *run, enum screen_part part,
                const char *keys);

/* A run as a few plain lines. */
void screen_block(struct swi_text *text, const struct watched *run, bool utf8);

/* Several runs, one of them chosen. */
void screen_runs(struct screen *screen, struct watched *const *run, size_t count, size_t chosen,
                 const char *keys);

/* ---- the terminal ---------------------------------------------------------------------------- */

/* Keys that are no characters. */
enum { KEY_NOTHING = 0, KEY_TO_LEFT = 256, KEY_TO_RIGHT, KEY_TO_UP, KEY_TO_DOWN, KEY_RESIZED };

/* Returns whether this build has ncurses. */
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
