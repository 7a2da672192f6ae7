/* SPDX-License-Identifier: MIT */
/* action.h - the process-wide table of action names. */
#ifndef CORE_ROWS_ACTION_H
#define CORE_ROWS_ACTION_H

#include "core/text/short_name.h"

#include <stepwatch/stepwatch.h>

enum {
    SWI_ACTION_OTHER = 15, /* the bucket for names beyond the cap */
    SWI_ACTION_FIRST = 16, /* the first handle of a user's own action */
    SWI_ACTIONS_OWN = 10000,
    SWI_SHAPED_FIRST = SWI_ACTION_FIRST + SWI_ACTIONS_OWN, /* an action with a shape */
    SWI_SHAPED_MOST = 1000,
    SWI_ACTIONS = SWI_SHAPED_FIRST + SWI_SHAPED_MOST,
    SWI_SHAPE_MAX = 1023 /* of a shape */
};

/* Makes the table's lock free in the child of a fork. */
void swi_action_child(void);

#endif
