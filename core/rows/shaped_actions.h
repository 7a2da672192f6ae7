/* SPDX-License-Identifier: MIT */
/* shaped_actions.h - actions with the shape of their input. */
#ifndef CORE_ROWS_SHAPED_ACTIONS_H
#define CORE_ROWS_SHAPED_ACTIONS_H

#include "core/rows/action.h"

#include <stdbool.h>

/* Returns whether any action has a shape. */
bool swi_shaped_any(void);

/* Returns the action of a handle from SWI_SHAPED_FIRST on. */
int swi_shaped_base(int action);

/* Returns the action of a handle: the handle itself, except for one of sw_action_shaped(). */
static inline int swi_action_base(int action)
{
    return action < SWI_SHAPED_FIRST ? action : swi_shaped_base(action);
}

/* Call it in the child of a fork: it frees the lock of the table. */
void swi_shaped_child(void);

#endif
