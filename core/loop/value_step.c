/* SPDX-License-Identifier: MIT */
#include "core/loop/value_step.h"

/* Raises the newest step, unless another thread raised it further. */
static void newest_raise(atomic_llong *newest, long long step)
{
    long long was = atomic_load(newest);
    while (was < step && !atomic_compare_exchange_weak(newest, &was, step))
        continue;
}

int64_t swi_own_step(struct sw_profiler *sw, const char *const *kept, size_t count)
{
    atomic_llong *newest = &sw->measured.progress.own_step;
    long long step = atomic_load(newest);
    bool repeats = false;
    for (size_t i = 0; i < count; i++)
        repeats |= kept[i] && atomic_load(swi_name_own_step(kept[i])) > step;
    if (repeats)
        newest_raise(newest, ++step);
    for (size_t i = 0; i < count; i++)
        if (kept[i])
            atomic_store(swi_name_own_step(kept[i]), step + 1);
    return step;
}

void swi_value_step(struct sw_profiler *sw, const struct swi_thread *thread, const char *kept,
                    struct sw_record *record)
{
    bool own = swi_steps_are_own(sw, thread);
    record->step_source = own ? SW_STEP_COUNTED : SW_STEP_OF_LOOP;
    record->step = own ? swi_own_step(sw, &kept, 1) : swi_step_current(sw, thread);
}

void swi_value_step_is(struct sw_profiler *sw, const char *kept, int64_t step,
                       struct sw_record *record)
{
    record->step_source = SW_STEP_GIVEN;
    record->step = step;
    newest_raise(&sw->measured.progress.own_step, step);
    if (kept)
        atomic_store(swi_name_own_step(kept), step + 1);
}
