/* SPDX-License-Identifier: MIT */
/* hooks.h - what compilers call at the entry and the exit of every function. */
#ifndef PROBES_FUNCTIONS_HOOKS_H
#define PROBES_FUNCTIONS_HOOKS_H

/* fn: the function. site: where it was called from. */
void __cyg_profile_func_enter(void *fn, void *site);
void __cyg_profile_func_exit(void *fn, void *site);

#endif
