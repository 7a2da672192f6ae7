/* SPDX-License-Identifier: MIT */
/* expand.h - replaces environment variables in a value. */
#ifndef CONFIG_EXPAND_H
#define CONFIG_EXPAND_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

/* The result of expanding a text. */
struct swi_expansion {
    char *text;            /* freed by the caller; NULL if out of memory */
    bool from_environment; /* it contains a variable's value */
    bool wrong;            /* mistakes were added */
};

/* Replaces ${NAME}, ${NAME:-default} and $$ in text. The default is used if the variable is unset
 * or empty. In a setuid program every variable is unset. */
struct swi_expansion swi_expand(const char *text, const struct swi_where *where,
                                struct swi_mistakes *mistakes);

#endif
