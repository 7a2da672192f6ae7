/* SPDX-License-Identifier: MIT */
/* sw_cancel(): the innermost region of an action does not count, what ended inside it does. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/calling_thread.h"
#include "core/loop/action_kinds.h"
#include "core/loop/loop_thread.h"
#include "core/loop/notify_probe.h"
#include "core/loop/sampling.h"
#include "core/loop/near_stack.h"
#include "core/loop/note_event.h"

static void cancel(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    int64_t now = swi_clock_tick(&sw->measured.clock);
    int known = action < 0 || action >= SWI_ACTIONS ? SWI_ACTION_OTHER : action;
    swi_near_end(thread, known);
    bool leaves = thread->claimed && (known == SW_FIT);
    uint64_t fits = leaves ? swi_loop_leave(sw, thread) : 0;
    swi_note_event(sw, thread, now, swi_event_what(SWI_EVENT_CANCEL, known, fits));
    if (leaves)
        swi_loop_left(sw);
    swi_probe_end(sw, thread, now);
    if (known == SW_BATCH && --thread->window_left == 0)
        swi_sampling_batch_ended(sw, thread);
}

/* The timed call uses this name, so that no preloaded library comes between. */
static __typeof__(sw_cancel) cancel_call __attribute__((alias("sw_cancel")));

SWI_NOINLINE void sw_cancel(struct sw_profiler *sw, int action)
{
    struct swi_thread *thread = sw && !swi_busy_refuses(action) ? swi_thread_get(sw) : NULL;
    if (thread && swi_is_timed(thread))
        SWI_TIMED(sw, thread, 0, cancel_call(sw, action), false);
    else if (thread && !swi_is_ignored_slow(sw, action))
        cancel(sw, thread, action);
}
