/* SPDX-License-Identifier: MIT */
/* screen.h - what `stepwatch watch` shows, as lines: on a whole screen, or as a block of a log. */
#ifndef TOOLS_WATCH_SCREEN_H
#define TOOLS_WATCH_SCREEN_H

#include "core/text/buffer.h"
#include "tools/watch/watched.h"

/* What is shown of a run. */
enum screen_part { SCREEN_ALL, SCREEN_METRICS, SCREEN_ACTIONS, SCREEN_FINDINGS, SCREEN_HELP };

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

/* A run. keys: what the last row says; NULL: nothing. */
void screen_run(struct screen *screen, const struct watched *run, enum screen_part part,
                const char *keys);

/* Several runs, one of them chosen. */
void screen_runs(struct screen *screen, struct watched *const *run, size_t count, size_t chosen,
                 const char *keys);

/* A run as a few plain lines. */
void screen_block(struct swi_text *text, const struct watched *run, bool utf8);

#endif
