/* SPDX-License-Identifier: MIT */
/* action_kinds.h - which builtin actions the loop treats in a special way. */
#ifndef CORE_LOOP_ACTION_KINDS_H
#define CORE_LOOP_ACTION_KINDS_H

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

#endif
