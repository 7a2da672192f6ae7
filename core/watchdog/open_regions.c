/* SPDX-License-Identifier: MIT */
#include "core/watchdog/open_regions.h"

#include <string.h>

/* Threads write their stacks without synchronization, so that readers add no cost to a begin. The
 * stacks are read here as a debugger would, usually of threads that do not move. What changes while
 * it is read is left out. */
#if defined(__SANITIZE_THREAD__) || defined(__clang__)
#define LIKE_A_DEBUGGER __attribute__((no_sanitize("thread"), noinline))
#else
#define LIKE_A_DEBUGGER __attribute__((noinline))
#endif

struct seen {
    int action;
    int64_t start;
};

/* Returns false if no region is open, or if the thread moves. */
LIKE_A_DEBUGGER static bool innermost(const volatile struct swi_thread *thread, struct seen *seen)
{
    const volatile struct swi_frame *frame = thread->frame;
    seen->action = frame->action;
    seen->start = frame->start;
    return frame == thread->frame && seen->action >= 0 && seen->action == frame->action;
}

static void add(struct swi_open_regions *open, struct swi_measured *measured,
                const struct swi_thread *thread, const struct seen *seen)
{
    int64_t since_ns = swi_clock_ns(&measured->clock, seen->start);
    size_t at = open->count;
    while (at > 0 && open->region[at - 1].since_ns > since_ns)
        at--;
    if (at == SWI_OPEN_MAX)
        return;
    open->count += open->count < SWI_OPEN_MAX;
    for (size_t i = open->count - 1; i > at; i--) {
        open->region[i] = open->region[i - 1];
        open->of_loop[i] = open->of_loop[i - 1];
    }
    open->region[at] = (struct sw_open_region){
        .thread = thread->number, .action = sw_action_name(seen->action), .since_ns = since_ns};
    open->of_loop[at] = thread == atomic_load(&measured->loop);
}

void swi_open_regions_find(struct swi_open_regions *open, struct swi_measured *measured)
{
    struct seen seen;
    open->count = 0;
    pthread_mutex_lock(&measured->lock);
    for (const struct swi_thread *thread = measured->threads; thread; thread = thread->next)
        if (innermost(thread, &seen))
            add(open, measured, thread, &seen);
    pthread_mutex_unlock(&measured->lock);
}
