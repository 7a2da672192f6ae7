/* SPDX-License-Identifier: MIT */
/* Applies the configuration at sw_open(). Functions may have been called before. */
#include "probes/functions/thread_state.h"
#include "probes/functions/mappings.h"
#include "probes/functions/sampler.h"
#include "probes/functions/cpu_samples.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"

#include <stepwatch/probe.h>

#include <stdlib.h>
#include <string.h>

#define FN_PUBLIC __attribute__((visibility("default")))

/* Counts stay; from now on the sampling thread adds the times. */
static void clock_stop(struct fn_own *own, void *unused)
{
    uint8_t is = FN_WAY_CLOCK;
    (void)unused;
    own->clock = false;
    atomic_compare_exchange_strong(&own->way, &is, FN_WAY_COUNT);
}

/* Discards the counts, because samples are something else. */
static void count_drop(struct fn_own *own, void *unused)
{
    (void)unused;
    fn_own_slow(own, FN_OUT | FN_STOPPED);
    own->clock = false;
    own->state = FN_SLOT_NONE;
    atomic_store(&own->part->count, 1);
}

static void times_change(const char *name, uint32_t rate)
{
    enum fn_times times = fn_times_named(name);
    fn_times_set(name);
    fn_owns_each(times == FN_SAMPLE ? count_drop : clock_stop, NULL);
    if (times == FN_SAMPLE)
        fn_self = &fn_nobody;
    fn_sampler_start(times);
    fn_sampling_start(rate);
}

FN_PUBLIC const char *sw_probe_choose(const struct sw_probe_choice *choice)
{
    const char *before = getenv("STEPWATCH_FUNCTIONS");
    enum fn_times is = fn_times();
    if (is == FN_OFF || (before && *before) || !choice->times)
        return NULL;
    enum fn_times times = fn_times_named(choice->times);
    if (times == is)
        return NULL;
    if (is != FN_EXACT)
        return "another profiler of this program has chosen how times are taken";
    times_change(choice->times, choice->rate > 0 ? (uint32_t)choice->rate : 0);
    return times != FN_SAMPLE || fn_sampling_is_on()
               ? NULL
               : "functions cannot be sampled: no signal is free";
}

FN_PUBLIC const char *sw_probe_file(void)
{
    if (fn_times() == FN_OFF || !fn_start_is_on())
        return NULL;
    fn_places_read();
    fn_start_look();
    return fn_store_problem() ? NULL : fn_store_path();
}
