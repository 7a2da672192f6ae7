/* SPDX-License-Identifier: MIT */
#include "core/loop/listeners.h"
#include "core/loop/calling_thread.h"
#include "core/text/vec.h"

#include <stdlib.h>

struct listener {
    enum sw_event event;
    sw_event_fn *fn;
    void *arg;
};

struct swi_listeners {
    size_t count;
    struct listener *item;
};

void swi_listeners_free(struct swi_listeners *listeners)
{
    if (listeners)
        free(listeners->item);
    free(listeners);
}

int sw_on_event(struct sw_profiler *sw, enum sw_event event, sw_event_fn *fn, void *arg)
{
    if ((int)event < 0 || (int)event >= SWI_EVENTS || !fn)
        return SW_EINVAL;
    if (!sw)
        return 0;
    if (!sw->loop.listeners)
        sw->loop.listeners = calloc(1, sizeof *sw->loop.listeners);
    struct swi_listeners *listeners = sw->loop.listeners;
    if (!listeners || !swi_vec_room(&listeners->item, listeners->count, sizeof *listeners->item))
        return SW_ENOMEM;
    listeners->item[listeners->count++] = (struct listener){event, fn, arg};
    return 0;
}

static bool is_loop(struct sw_profiler *sw)
{
    const struct swi_thread *thread = swi_thread_get(sw), *loop = atomic_load(&sw->measured.claim);
    return thread && (!loop || loop == thread);
}

/* A function may add others, which are called from the next event on. */
void swi_listeners_call(struct sw_profiler *sw, enum sw_event event)
{
    struct swi_listeners *listeners = sw->loop.listeners;
    size_t count = listeners && is_loop(sw) ? listeners->count : 0;
    for (size_t i = 0; i < count; i++) {
        struct listener listener = listeners->item[i];
        if (listener.event == event)
            listener.fn(listener.arg, event);
    }
}
