/* SPDX-License-Identifier: MIT */
/* The connection to libstepwatch (stepwatch/probe.h), which says which action is innermost. */
#include "probes/functions/thread_state.h"
#include "probes/functions/call_context.h"
#include "probes/functions/cpu_samples.h"
#include "probes/functions/nodes.h"
#include "probes/functions/start.h"
#include "probes/functions/store.h"
#include "probes/functions/threads.h"

#include <stepwatch/probe.h>

/* Returns the state of the calling thread, which may not have called an instrumented function yet;
 * NULL: nothing is counted. */
static struct fn_own *own_here(void)
{
    struct fn_own *own = fn_self;
    if (own == &fn_nobody && fn_own_join())
        own = fn_self;
    return fn_own_counts(own) && !(own->slow & FN_OUT) ? own : NULL;
}

/* The time until `now` belongs to the previous region. */
static void region_switch(struct fn_own *own, int region)
{
    int64_t clock = fn_own_clock(own);
    own->region_total[own->region + 1] += clock - own->region_since;
    own->region_since = clock;
    own->region = region;
    own->calls->node = own->calls->place = fn_tree_root(own, region);
    fn_tree_replace(own);
}

/* tick 0: the profiler has another clock. */
static void until(struct fn_own *own, int64_t tick)
{
    if (own->clock)
        fn_own_slice(own, tick > own->last ? tick : fn_now());
}

static void begin(int action, bool again, int64_t tick)
{
    struct fn_own *own = own_here();
    if (!own || (unsigned)action >= FN_ACTIONS)
        return;
    fn_own_slow(own, FN_BUSY);
    until(own, tick);
    if (!own->roots[action + 1])
        fn_action_name_keep(action);
    if (own->region != action)
        region_switch(own, action);
    own->calls->node->calls++;
    if (!again)
        own->calls->node->caller++;
    fn_own_no_longer(own, FN_BUSY);
    fn_start_look();
    if (own->clock)
        own->last = fn_now();
}

static void end(int innermost, int64_t tick)
{
    struct fn_own *own = own_here();
    if (!own || innermost >= FN_ACTIONS)
        return;
    fn_own_slow(own, FN_BUSY);
    until(own, tick);
    int region = innermost < 0 ? FN_NO_REGION : innermost;
    if (own->region != region)
        region_switch(own, region);
    fn_own_no_longer(own, FN_BUSY);
    if (own->clock)
        own->last = fn_now();
}

static const struct sw_probe probe = {sizeof probe, fn_action_names_from, begin, end, NULL};

/* Each sample finds its region itself, so the calls of the loop do no more than without a probe. */
static const struct sw_probe sampling = {sizeof sampling, fn_action_names_from, NULL, NULL,
                                         fn_sampling_regions};

/* A thread that waits cannot be asked, so it notes its regions. */
static void begin_noted(int action, bool again, int64_t tick)
{
    (void)again;
    (void)tick;
    fn_sampling_innermost(action < FN_ACTIONS ? action : FN_NO_REGION);
}

static void end_noted(int innermost, int64_t tick)
{
    begin_noted(innermost < 0 ? FN_NO_REGION : innermost, false, tick);
}

static const struct sw_probe wall = {sizeof wall, fn_action_names_from, begin_noted, end_noted,
                                     fn_sampling_regions};

__attribute__((visibility("default"))) const struct sw_probe *sw_probe_regions(void)
{
    switch (fn_times()) {
    case FN_OFF:
        return NULL;
    case FN_SAMPLE:
        return fn_is_wall() ? &wall : &sampling;
    default:
        return &probe;
    }
}
