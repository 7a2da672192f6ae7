/* SPDX-License-Identifier: MIT */
/* expand.h - puts environment variables into a value. */
#ifndef CONFIG_EXPAND_H
#define CONFIG_EXPAND_H

#include "core/text/mistakes.h"

#include <stdbool.h>

/* What expanding a text led to. */
struct swi_expansion {
    char *text;            /* the caller's to free(); NULL if out of memory */
    bool from_environment; /* a variable's value is in it */
    bool wrong;            /* mistakes were added */
};

/* Replaces ${NAME}, ${NAME:-default} and $$ in text. The default stands for a variable that is
 * unset or empty. In a setuid program every variable is unset. */
struct swi_expansion swi_expand(const char *text, const struct swi_where *where,
                                struct swi_mistakes *mistakes);

#endif
