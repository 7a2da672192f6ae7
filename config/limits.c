/* SPDX-License-Identifier: MIT */
#include "config/limits.h"

bool swi_enough_mistakes(struct swi_mistakes *mistakes, const struct swi_where *where)
{
    if (mistakes->count == SWI_CONFIG_MISTAKES)
        swi_mistakes_add(mistakes, where,
                         "more mistakes than anyone wants to read: the rest is not looked at");
    return mistakes->count > SWI_CONFIG_MISTAKES;
}
