/* SPDX-License-Identifier: MIT */
/* action_kinds.h - which builtin actions the loop treats in a special way or ignores. */
#ifndef CORE_LOOP_ACTION_KINDS_H
#define CORE_LOOP_ACTION_KINDS_H

#include "core/loop/state.h"
#include "core/rows/shaped_actions.h"

#include <stepwatch/stepwatch.h>

#define SWI_BIT(action) (UINT64_C(1) << (action))

/* Regions that sw_next() does not end, and whose end is more than a duration. */
#define SWI_CONTAINERS (SWI_BIT(SW_FIT) | SWI_BIT(SW_EPOCH) | SWI_BIT(SW_TRAIN) | SWI_BIT(SW_VALID))
#define SWI_SPECIAL (SWI_CONTAINERS | SWI_BIT(SW_STEP) | SWI_BIT(SW_BATCH))

static inline uint64_t swi_action_bit(int action)
{
    return (unsigned)action < 63 ? SWI_BIT(action) : SWI_BIT(63);
}

static inline bool swi_is_container(int action)
{
    return action >= SW_FIT && action <= SW_VALID;
}

static inline bool swi_is_special(int action)
{
    return swi_action_bit(action) & SWI_SPECIAL;
}

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
