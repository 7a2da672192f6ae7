/* SPDX-License-Identifier: MIT */
/* cycles, instructions and others that the processor counts: those that each processor may have,
 * and those that a configuration names by a code or by libpfm's name. A named one is kept until the
 * process ends, for all profilers that name it. */
#include "core/counters/counter.h"
#include "core/counters/perf_events.h"

/* The functions of a counter know which one it is by their number alone. */
#define DEFINE_CALLS(id, kind_of)                                                                  \
    static int id##_open(struct sw_error *err)                                                     \
    {                                                                                              \
        return swi_perf_event_open(kind_of, err);                                                  \
    }                                                                                              \
    static bool id##_read(int64_t *value)                                                          \
    {                                                                                              \
        return swi_perf_event_read(kind_of, value);                                                \
    }                                                                                              \
    static bool id##_gap(void)                                                                     \
    {                                                                                              \
        return swi_perf_event_gap(kind_of);                                                        \
    }                                                                                              \
    static bool id##_slow(void)                                                                    \
    {                                                                                              \
        return swi_perf_event_slow(kind_of);                                                       \
    }

#define COUNTER(id, its_name, text, is)                                                            \
    {                                                                                              \
        .name = (its_name), .label = (text), .unit = "", .kind = SW_COUNTER_SUM, .help = (is),     \
        .open = id##_open, .read = id##_read, .gap = id##_gap, .slow = id##_slow                   \
    }

#define DEFINE(id, kind_of, text, is)                                                              \
    DEFINE_CALLS(id, kind_of)                                                                      \
    const struct swi_counter swi_counter_##id = COUNTER(id, #id, text, is)

DEFINE(cycles, SWI_CYCLES, "Cycles", "cycles of the processor");
DEFINE(instructions, SWI_INSTRUCTIONS, "Instructions", "instructions that were completed");
DEFINE(cache_misses, SWI_CACHE_MISSES, "Cache Misses", "accesses that missed the last cache");
DEFINE(branch_misses, SWI_BRANCH_MISSES, "Branch Misses", "branches that were predicted wrongly");
DEFINE(stalled_frontend, SWI_STALLED_FRONTEND, "Stalled Frontend",
       "cycles in which the processor had no instruction ready");
DEFINE(stalled_backend, SWI_STALLED_BACKEND, "Stalled Backend",
       "cycles in which instructions waited for data or units");

/* ---- named events ---------------------------------------------------------------------------- */

/* clang-format off */
#define EACH_NAMED(DO)                                                                             \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) \
    DO(15)
/* clang-format on */
#define NAMED_CALLS(n) DEFINE_CALLS(named_##n, SWI_NAMED + (n))
EACH_NAMED(NAMED_CALLS)
#define NAMED_COUNTER(n)                                                                           \
    COUNTER(named_##n, swi_named_event_name[n], swi_named_event_name[n],                           \
            "an event of the processor"),
static const struct swi_counter named[] = {EACH_NAMED(NAMED_COUNTER)};
_Static_assert(sizeof named / sizeof *named == SWI_NAMED_EVENTS, "each has its functions");

const struct swi_counter *swi_hardware_counter(const char *name, struct sw_error *err)
{
    int number = swi_named_event(name, err);
    return number < 0 ? NULL : &named[number];
}
