/* SPDX-License-Identifier: MIT */
/* mistakes.h - collects every mistake of a configuration, so that a user reads them all at once. */
#ifndef CORE_TEXT_MISTAKES_H
#define CORE_TEXT_MISTAKES_H

#include <stepwatch/error.h>

#include <stddef.h>

/* A place in a file; line and column count from 1, 0 is none. file is borrowed. */
struct swi_where {
    const char *file;
    int line;
    int column;
};

/* A list of "file:line:column: sentence". Zero-initialised is empty. */
struct swi_mistakes {
    size_t count;
    struct swi_mistake *item;
};

/* Adds one, printf-like. Without memory it still counts. */
__attribute__((format(printf, 3, 4))) void swi_mistakes_add(struct swi_mistakes *mistakes,
                                                            const struct swi_where *where,
                                                            const char *format, ...);

/* All of them in order of line and column, one a line; the caller's to free(). NULL if there are
 * none. */
char *swi_mistakes_text(struct swi_mistakes *mistakes);

/* Fills err with all of them (SW_ECONFIG) and returns its code; 0 if there are none. */
int swi_mistakes_error(struct swi_mistakes *mistakes, struct sw_error *err);

void swi_mistakes_fini(struct swi_mistakes *mistakes);

#endif
