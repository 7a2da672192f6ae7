/* SPDX-License-Identifier: MIT */
/* vfork.h - whether calls are those of the measured process. */
#ifndef PROBES_FUNCTIONS_VFORK_H
#define PROBES_FUNCTIONS_VFORK_H

#include "probes/functions/thread_state.h"

/* Returns whether the caller is still a child of vfork(). Only for a thread that has called it
 * (FN_VFORKED); in the parent, it clears FN_VFORKED. */
bool fn_vfork_is_child(struct fn_own *own);

/* Returns whether the calls of this thread are counted: it has joined, and this is neither a copy
 * of the process nor a child of vfork(). */
static inline bool fn_own_counts(struct fn_own *own)
{
    if (own == &fn_nobody || fn_own_is_copy(own))
        return false;
    return !(own->slow & FN_VFORKED) || !fn_vfork_is_child(own);
}

#endif
