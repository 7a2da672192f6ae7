/* SPDX-License-Identifier: MIT */
/* contexts.h - where a thread is in its trees. */
#ifndef PROBES_FUNCTIONS_CONTEXTS_H
#define PROBES_FUNCTIONS_CONTEXTS_H

#include "probes/functions/own.h"

/* The thread begins and ends: no call is open, no region either. */
void fn_tree_enter(struct fn_own *own);
void fn_tree_leave(struct fn_own *own);

/* The thread is in another region now: finds the place of its innermost call there. */
void fn_tree_replace(struct fn_own *own);

/* Closes the open calls above `depth`: they return nowhere. */
void fn_tree_cut(struct fn_own *own, size_t depth);

#endif
