/* SPDX-License-Identifier: MIT */
#include "core/rows/current_profiler.h"

_Thread_local struct swi_current swi_current;
