/* SPDX-License-Identifier: MIT */
/* sw_count(): adds to a number of the calling thread. */
#include "core/counters/counted_memory.h"
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/misuse.h"
#include "core/loop/recent_profilers.h"

static bool is_used(const struct swi_counting *counting, int counter)
{
    return counting->used[counter / 64] >> counter % 64 & 1;
}

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

/* Returns the counts of the calling thread, with room for this counter; NULL if out of memory. */
static struct swi_counting *counting_of(struct sw_profiler *sw, struct swi_thread *thread,
                                        int counter)
{
    struct swi_counting *counting = SWI_GET(thread->counting);
    if (!counting && !(counting = swi_counting_turn_on(sw, thread)))
        return NULL;
    int slots = counting->chosen + counter + 1;
    if (counting->active < slots && !swi_counting_grow(counting, thread, slots))
        return NULL;
    counting->used[counter / 64] |= UINT64_C(1) << counter % 64;
    swi_current_look_again(sw, thread);
    return counting;
}

static SWI_APART void count_first(struct sw_profiler *sw, int counter, int64_t n)
{
    struct swi_thread *thread = swi_thread_get(sw);
    if (!thread)
        return;
    if (counter < 0 || counter >= SWI_USER_COUNTERS)
        counter = SWI_USER_COUNTERS - 1;
    if (n < 0) {
        swi_misuse(sw, thread, SWI_COUNTED_BACK, counter, -1);
        return;
    }
    SWI_OWN_MEMORY;
    counted_first(sw, counter);
    struct swi_counting *counting = counting_of(sw, thread, counter);
    if (!counting)
        swi_no_memory(&sw->records, "what a thread counts");
    else
        swi_counting_add(sw, thread, counting->chosen + counter, n);
}

SWI_APART void sw_count(struct sw_profiler *sw, int counter, int64_t n)
{
    if (!sw)
        return;
    struct swi_counting *counting =
        swi_thread_is_known(sw) ? SWI_GET(swi_thread_known(sw)->counting) : NULL;
    bool known = counting && (unsigned)counter < SWI_USER_COUNTERS && n >= 0;
    if (SWI_UNLIKELY(!known || !is_used(counting, counter))) {
        count_first(sw, counter, n);
        return;
    }
    int64_t *value = &counting->value[counting->chosen + counter];
    uint64_t sum = (uint64_t)*value + (uint64_t)n;
    if (SWI_LIKELY((sum ^ (uint64_t)*value) < SWI_MUCH))
        *value = (int64_t)sum;
    else
        swi_counting_add(sw, swi_thread_known(sw), counting->chosen + counter, n);
}
