/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/style.h"
#include "sinks/common/forms/lightning_table.h"
#include "sinks/common/forms/torch_table.h"

#include <string.h>

const struct swi_style *swi_style_find(const char *name)
{
    static const struct swi_style *const styles[] = {&swi_style_torch, &swi_style_lightning,
                                                     &swi_style_hannah};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i]->name, name) == 0)
            return styles[i];
    return NULL;
}
