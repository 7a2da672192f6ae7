/* SPDX-License-Identifier: MIT */
/* call_context.h - where a thread is in its trees. */
#ifndef PROBES_FUNCTIONS_CALL_CONTEXT_H
#define PROBES_FUNCTIONS_CALL_CONTEXT_H

#include "probes/functions/thread_state.h"

/* The thread begins and ends: no call is open, no region either. */
void fn_tree_enter(struct fn_own *own);
void fn_tree_leave(struct fn_own *own);

/* The thread is in another region now: finds the place of its innermost call there. */
void fn_tree_replace(struct fn_own *own);

/* Closes the open calls above `depth`: they return nowhere. */
void fn_tree_cut(struct fn_own *own, size_t depth);

/* ---- hooks.c --------------------------------------------------------------------------------- */

/* fn: the function. site: where it was called from. */
void __cyg_profile_func_enter(void *fn, void *site);
void __cyg_profile_func_exit(void *fn, void *site);

#endif
