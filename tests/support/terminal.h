/* SPDX-License-Identifier: MIT */
/* terminal.h - a terminal of the test's own, for what is drawn on one or typed at one. */
#ifndef TESTS_TERMINAL_H
#define TESTS_TERMINAL_H

#include <stdbool.h>

struct terminal {
    int user;    /* reads what is shown, writes what is typed */
    int program; /* what a program has as its standard error, for one */
};

/* 24 lines of so many columns; neither descriptor outlives an exec. False where this system has no
 * terminals to give; a line that begins with SKIP was printed then. */
bool terminal_new(struct terminal *terminal, int columns);

#endif
