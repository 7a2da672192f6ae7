/* SPDX-License-Identifier: MIT */
/* ignored_actions.h - the builtin actions that a mode does not measure. */
#ifndef CORE_LOOP_IGNORED_ACTIONS_H
#define CORE_LOOP_IGNORED_ACTIONS_H

#include "core/loop/action_kinds.h"
#include "core/loop/state.h"
#include "core/rows/shaped_actions.h"

/* Returns the builtin actions that are not measured in a mode, a bit for each. */
uint64_t swi_actions_ignored(enum sw_mode mode);

static inline bool swi_is_ignored(const struct sw_profiler *sw, int action)
{
    return (unsigned)action < SW_BUILTIN_ACTIONS && (sw->measured.ignored & SWI_BIT(action));
}

/* The same for an action with a shape. */
bool swi_is_shaped_ignored(const struct sw_profiler *sw, int action);

static inline bool swi_is_ignored_slow(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored(sw, action) ||
           (SWI_UNLIKELY(action >= SWI_SHAPED_FIRST) && swi_is_shaped_ignored(sw, action));
}

#endif
