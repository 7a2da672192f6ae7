/* SPDX-License-Identifier: MIT */
/* shaped.h - actions under the shape of their input. */
#ifndef CORE_ROWS_SHAPED_H
#define CORE_ROWS_SHAPED_H

#include "core/rows/action.h"

#include <stdbool.h>

/* Whether any action has a shape. */
bool swi_shaped_any(void);

/* The action of a handle from SWI_SHAPED_FIRST on. */
int swi_shaped_base(int action);

/* The action that a handle is of: the handle itself, but for one of sw_action_shaped(). */
static inline int swi_action_base(int action)
{
    return action < SWI_SHAPED_FIRST ? action : swi_shaped_base(action);
}

/* In the child of a fork: the table's lock is free. */
void swi_shaped_child(void);

#endif
