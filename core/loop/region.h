/* SPDX-License-Identifier: MIT */
/* region.h - begin, next and end. */
#ifndef CORE_LOOP_REGION_H
#define CORE_LOOP_REGION_H

#include "core/loop/state.h"

/* Returns the builtin actions that are not measured in a mode, a bit for each. */
uint64_t swi_actions_ignored(enum sw_mode mode);

#endif
