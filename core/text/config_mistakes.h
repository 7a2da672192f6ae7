/* SPDX-License-Identifier: MIT */
/* config_mistakes.h - collects all mistakes of a configuration, so that the user sees them at once.
 */
#ifndef CORE_TEXT_CONFIG_MISTAKES_H
#define CORE_TEXT_CONFIG_MISTAKES_H

#include <stepwatch/error.h>

#include <stddef.h>

/* A place in a file. line and column count from 1; 0: none. file is borrowed. */
struct swi_where {
    const char *file;
    int line;
    int column;
};

/* A list of "file:line:column: sentence". Zero-initialised, it is empty. */
struct swi_mistakes {
    size_t count;
    struct swi_mistake *item;
};

/* Adds a mistake, printf-like. If out of memory, it is only counted. */
__attribute__((format(printf, 3, 4))) void swi_mistakes_add(struct swi_mistakes *mistakes,
                                                            const struct swi_where *where,
                                                            const char *format, ...);

/* Returns all mistakes in the order of line and column, one per line. The caller frees it. Returns
 * NULL if there are none. */
char *swi_mistakes_text(struct swi_mistakes *mistakes);

/* Sets err to all mistakes (SW_ECONFIG) and returns its code; 0 if there are none. */
int swi_mistakes_error(struct swi_mistakes *mistakes, struct sw_error *err);

void swi_mistakes_fini(struct swi_mistakes *mistakes);

#endif
