/* SPDX-License-Identifier: MIT */
#include "config/yaml_limits.h"

bool swi_enough_mistakes(struct swi_mistakes *mistakes, const struct swi_where *where)
{
    if (mistakes->count == SWI_CONFIG_MISTAKES)
        swi_mistakes_add(mistakes, where,
                         "too many mistakes: the rest of the file was not checked");
    return mistakes->count > SWI_CONFIG_MISTAKES;
}
