/* SPDX-License-Identifier: MIT */
#include "probes/functions/thread_state.h"

struct fn_own fn_nobody;
struct fn_own *_Atomic fn_owns[FN_THREADS];
_Thread_local struct fn_own *fn_self = &fn_nobody;
double fn_hooks_inside, fn_hooks_outside;
