/* SPDX-License-Identifier: MIT */
/* full_tree.h - a thread with more contexts than its tree has room for. From then on a context that
 * has no node goes to one by caller and callee, and by whether the function and this pair are open
 * already, in the thread and in the region: what all counts and times are made of stays exact, and
 * only whole stacks are lost. */
#ifndef PROBES_FUNCTIONS_FULL_TREE_H
#define PROBES_FUNCTIONS_FULL_TREE_H

#include "probes/functions/thread_state.h"

/* The tree is full: how often each function is open is counted from now on. */
void fn_full_tree_begin(struct fn_own *own);

/* Enters a call that may have no node in the tree, and ends one. own->last is now. */
void fn_full_tree_enter(struct fn_own *own, uintptr_t fn, uintptr_t stack);
void fn_full_tree_exit(struct fn_own *own, struct fn_call *call);

/* The process ends: the times of calls that are still open are added. */
void fn_full_tree_end(struct fn_own *own);

/* The place of an open call in a region that it was not entered in. */
struct fn_node *fn_full_tree_carried(struct fn_own *own, const struct fn_call *call);

#endif
