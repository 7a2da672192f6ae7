/* SPDX-License-Identifier: MIT */
/* action.h - the process-wide table of action names. */
#ifndef CORE_ROWS_ACTION_H
#define CORE_ROWS_ACTION_H

#include "core/text/names.h"

#include <stepwatch/stepwatch.h>

#include <stdbool.h>

enum {
    SWI_ACTION_OTHER = 15, /* the bucket for names beyond the cap */
    SWI_ACTION_FIRST = 16, /* the first handle of a user's own action */
    SWI_ACTIONS_OWN = 10000,
    SWI_SHAPED_FIRST = SWI_ACTION_FIRST + SWI_ACTIONS_OWN, /* an action with a shape */
    SWI_SHAPED_MOST = 1000,
    SWI_ACTIONS = SWI_SHAPED_FIRST + SWI_SHAPED_MOST,
    SWI_SHAPE_MAX = 1023 /* of a shape */
};

/* Makes the tables' lock free in the child of a fork. */
void swi_action_child(void);

/* ---- actions with the shape of their input --------------------------------------------------- */

/* Returns whether any action has a shape. */
bool swi_shaped_any(void);

/* Returns the action of a handle from SWI_SHAPED_FIRST on. */
int swi_shaped_base(int action);

/* Returns the action of a handle: the handle itself, except for one of sw_action_shaped(). */
static inline int swi_action_base(int action)
{
    return action < SWI_SHAPED_FIRST ? action : swi_shaped_base(action);
}

#endif
