/* SPDX-License-Identifier: MIT */
/* sw_count(): adds to a number of the calling thread. */
#include "core/counters/counted_memory.h"
#include "core/loop/calling_thread.h"
#include "core/loop/misuse.h"
#include "core/loop/note_event.h"

static void counted_first(struct sw_profiler *sw, int counter)
{
    struct swi_counters *counters = &sw->measured.counters;
    if (atomic_load(&counters->counted[counter]))
        return;
    pthread_mutex_lock(&sw->measured.lock);
    swi_counters_tell(counters, counters->chosen + counter);
    atomic_store(&counters->counted[counter], true);
    if (SWI_GET(counters->own) <= counter)
        atomic_store(&counters->own, counter + 1);
    pthread_mutex_unlock(&sw->measured.lock);
}

static SWI_NOINLINE void count_first(struct sw_profiler *sw, int counter, int64_t n)
{
    struct swi_thread *thread = swi_thread_get(sw);
    if (!thread)
        return;
    if (counter < 0 || counter >= SWI_USER_COUNTERS)
        counter = SWI_USER_COUNTERS - 1;
    if (n < 0) {
        SWI_FOLDED(&sw->measured);
        swi_misuse(sw, thread, SWI_COUNTED_BACK, counter, -1);
        return;
    }
    counted_first(sw, counter);
    swi_note_number(sw, thread, 0, swi_event_what(SWI_EVENT_COUNT, counter, 0), n);
}

SWI_NOINLINE void sw_count(struct sw_profiler *sw, int counter, int64_t n)
{
    if (!sw)
        return;
    bool known =
        swi_thread_is_known(sw) && (unsigned)counter < SWI_USER_COUNTERS && n >= 0 &&
        atomic_load_explicit(&sw->measured.counters.counted[counter], memory_order_relaxed);
    if (SWI_LIKELY(known))
        swi_note_number(sw, swi_thread_known(sw), 0, swi_event_what(SWI_EVENT_COUNT, counter, 0),
                        n);
    else
        count_first(sw, counter, n);
}
