/* SPDX-License-Identifier: MIT */
#include "core/loop/action_kinds.h"

#define SIMPLE_ONLY                                                                                \
    (SWI_BIT(SW_FORWARD) | SWI_BIT(SW_LOSS) | SWI_BIT(SW_BACKWARD) | SWI_BIT(SW_OPT_STEP) |        \
     SWI_BIT(SW_ZERO_GRAD) | SWI_BIT(SW_PREDICT))

uint64_t swi_actions_ignored(enum sw_mode mode)
{
    return SWI_BIT(SW_STEP) | (mode == SW_MODE_THROUGHPUT ? SIMPLE_ONLY : 0);
}

bool swi_is_shaped_ignored(const struct sw_profiler *sw, int action)
{
    return swi_is_ignored(sw, swi_action_base(action));
}
