/* SPDX-License-Identifier: MIT */
/* screen.h - what `stepwatch watch` shows: on a whole screen, by ncurses, or as plain lines. */
#ifndef TOOLS_WATCH_SCREEN_H
#define TOOLS_WATCH_SCREEN_H

#include "core/text/buffer.h"
#include "tools/watch/series.h"
#include "tools/watch/watched.h"

/* ---- lines, bars, and how far a run is ---------------------------------------------------------
 */

enum screen_look { SCREEN_PLAIN, SCREEN_BOLD, SCREEN_DIM, SCREEN_REVERSE };

enum { SCREEN_LINES = 256 };

struct screen_line {
    struct swi_text text;
    enum screen_look look;
};

struct screen {
    size_t rows, columns;
    bool utf8;
    size_t count;
    struct screen_line line[SCREEN_LINES];
};

/* An empty screen; the memory of its lines is used again. */
void screen_clear(struct screen *screen, size_t rows, size_t columns, bool utf8);
void screen_free(struct screen *screen);

/* The next line, to be filled; where the screen is full, one that is not shown. */
struct swi_text *screen_add(struct screen *screen, enum screen_look look);

/* Returns whether there is room for so many more lines. */
bool screen_has_room(const struct screen *screen, size_t lines);

/* Returns how many columns of a line are left. */
size_t screen_left(const struct screen *screen, const struct swi_text *text);

/* Adds blanks and a text, so that it ends at the right edge. */
void screen_right_align(const struct screen *screen, struct swi_text *text, const char *rest);

/* A curve of at most `width` characters, from the least of its values to the largest. */
void bar_curve(struct swi_text *text, const struct series *series, size_t width, bool utf8);

/* A bar of a share of `width` characters, to an eighth of one. */
void bar_share(struct swi_text *text, double share, size_t width, bool utf8);

/* A part of a bar of several: its name, and what fills the rest of its width. */
void bar_part(struct swi_text *text, const char *name, size_t width, bool utf8);

/* A name as it may be shown, of at most `width` characters, with blanks up to that if it is
 * shorter. */
void bar_name(struct swi_text *text, const char *name, size_t width, bool utf8, bool padded);

/* Adds the time, the epoch and the step. */
void watched_progress_text(struct swi_text *text, const struct watched *run);

/* Adds the time that is left, if it is known. */
void watched_eta_text(struct swi_text *text, const struct watched *run);

/* ---- runs -------------------------------------------------------------------------------------
 */

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

/* ---- the terminal, in a build with ncurses --------------------------------------------------- */

/* Keys that are no characters. */
enum { KEY_NOTHING = 0, KEY_TO_LEFT = 256, KEY_TO_RIGHT, KEY_TO_UP, KEY_TO_DOWN, KEY_RESIZED };

/* Takes the terminal. False where it cannot: it is dumb, or unknown. */
bool terminal_open(void);
void terminal_close(void);

void terminal_size(size_t *rows, size_t *columns);

/* Shows lines; what is on the screen already is not written again. */
void terminal_show(const struct screen *screen);

/* Waits for a key, at most so long. */
int terminal_key(int timeout_ms);

#endif
