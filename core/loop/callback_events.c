/* SPDX-License-Identifier: MIT */
/* The events of callback-style frameworks, by the table of intervals in docs/report.md. */
#include "core/loop/calling_thread.h"
#include "core/loop/near_stack.h"
#include "core/loop/note_event.h"

#include <stdlib.h>

#define EVENTS ((int)SW_AFTER_CANCEL_FIT + 1)

struct listener {
    enum sw_event event;
    sw_event_fn *fn;
    void *arg;
};

struct swi_listeners {
    size_t count;
    struct listener item[];
};

int sw_on_event(struct sw_profiler *sw, enum sw_event event, sw_event_fn *fn, void *arg)
{
    if ((int)event < 0 || (int)event >= EVENTS || !fn)
        return SW_EINVAL;
    if (!sw)
        return 0;
    struct swi_listeners *before = sw->loop.listeners, *listeners;
    size_t count = before ? before->count : 0;
    listeners = realloc(before, sizeof *listeners + (count + 1) * sizeof *listeners->item);
    if (!listeners)
        return SW_ENOMEM;
    listeners->item[count] = (struct listener){event, fn, arg};
    listeners->count = count + 1;
    sw->loop.listeners = listeners;
    return 0;
}

static bool is_loop(struct sw_profiler *sw)
{
    const struct swi_thread *thread = swi_thread_get(sw), *loop = atomic_load(&sw->measured.claim);
    return thread && (!loop || loop == thread);
}

/* Calls the functions of an event in the order of registration, if this is the loop's thread. A
 * function may add others, which are called from the next event on. */
static void listeners_call(struct sw_profiler *sw, enum sw_event event)
{
    size_t count = sw->loop.listeners && is_loop(sw) ? sw->loop.listeners->count : 0;
    for (size_t i = 0; i < count; i++) {
        struct listener listener = sw->loop.listeners->item[i];
        if (listener.event == event)
            listener.fn(listener.arg, event);
    }
}

static bool validating(struct sw_profiler *sw)
{
    const struct swi_thread *thread = swi_thread_get(sw);
    return thread && swi_near_phase(thread) == SW_PHASE_VALID;
}

/* backward ends when the optimizer begins; with gradient accumulation, no optimizer begins. */
static bool is_open(struct sw_profiler *sw, int action)
{
    const struct swi_thread *thread = swi_thread_get(sw);
    return thread && swi_near_innermost(thread) == action;
}

static void end_if_open(struct sw_profiler *sw, int action)
{
    if (is_open(sw, action))
        sw_end(sw, action);
}

/* The program's functions count as part of the batch, but of no action in it. */
void sw_event_batch(struct sw_profiler *sw, int64_t samples)
{
    if (!sw)
        return;
    end_if_open(sw, SW_ZERO_GRAD);
    end_if_open(sw, SW_BACKWARD);
    end_if_open(sw, SW_LOSS);
    listeners_call(sw, SW_AFTER_BATCH);
    sw_end_batch(sw, samples);
}

/* Discards what is open inside an action. The event that follows ends the action itself, as if it
 * had not been cancelled. */
static void inside_discard(struct sw_profiler *sw, int action)
{
    struct swi_thread *thread = swi_thread_get(sw);
    if (!thread || !swi_near_is_open(thread, action))
        return;
    swi_near_inside(thread, action);
    swi_note_event(thread, swi_clock_tick(&sw->measured.clock),
                   swi_event_what(SWI_EVENT_INSIDE, action, 0));
    swi_probe_end(sw, thread, 0);
}

/* The draw ends and the batch and forward begin at the same time: one clock reading for three
 * calls. */
static void before_batch(struct sw_profiler *sw)
{
    sw_next(sw, SW_BATCH);
    sw_begin(sw, validating(sw) ? SW_PREDICT : SW_FORWARD);
}

static const struct {
    enum { BEGIN, NEXT, END, OTHER, INSIDE, NOTHING } call;
    int action;
} plain[] = {
    [SW_BEFORE_FIT] = {BEGIN, SW_FIT},
    [SW_BEFORE_EPOCH] = {BEGIN, SW_EPOCH},
    [SW_BEFORE_TRAIN] = {BEGIN, SW_TRAIN},
    [SW_BEFORE_DRAW] = {BEGIN, SW_DRAW},
    [SW_BEFORE_BATCH] = {OTHER, 0},
    [SW_AFTER_PRED] = {NEXT, SW_LOSS},
    [SW_AFTER_LOSS] = {END, SW_LOSS},
    [SW_BEFORE_BACKWARD] = {BEGIN, SW_BACKWARD},
    [SW_BEFORE_STEP] = {NEXT, SW_OPT_STEP},
    [SW_AFTER_STEP] = {NEXT, SW_ZERO_GRAD},
    [SW_AFTER_BATCH] = {OTHER, 0},
    [SW_AFTER_TRAIN] = {END, SW_TRAIN},
    [SW_BEFORE_VALIDATE] = {BEGIN, SW_VALID},
    [SW_AFTER_VALIDATE] = {END, SW_VALID},
    [SW_AFTER_EPOCH] = {END, SW_EPOCH},
    [SW_AFTER_FIT] = {END, SW_FIT},
    [SW_AFTER_CANCEL_BATCH] = {OTHER, SW_BATCH},
    [SW_AFTER_CREATE] = {NOTHING, 0},
    [SW_AFTER_BACKWARD] = {NOTHING, 0},
    [SW_AFTER_CANCEL_BACKWARD] = {NOTHING, 0},
    [SW_AFTER_CANCEL_STEP] = {NOTHING, 0},
    [SW_AFTER_CANCEL_TRAIN] = {INSIDE, SW_TRAIN},
    [SW_AFTER_CANCEL_VALIDATE] = {INSIDE, SW_VALID},
    [SW_AFTER_CANCEL_EPOCH] = {INSIDE, SW_EPOCH},
    [SW_AFTER_CANCEL_FIT] = {INSIDE, SW_FIT},
};

static void other_event(struct sw_profiler *sw, enum sw_event event)
{
    if (event == SW_BEFORE_BATCH)
        before_batch(sw);
    else
        sw_cancel(sw, SW_BATCH);
}

/* What an event begins, ends or cancels. */
static void event_measure(struct sw_profiler *sw, enum sw_event event)
{
    int action = plain[event].action;
    switch (plain[event].call) {
    case BEGIN:
        sw_begin(sw, action);
        break;
    case NEXT:
        sw_next(sw, action);
        break;
    case END:
        sw_end(sw, action);
        break;
    case OTHER:
        other_event(sw, event);
        break;
    case INSIDE:
        inside_discard(sw, action);
        break;
    case NOTHING:
        break;
    }
}

/* The program's functions run inside the region that begins or ends. */
void sw_event(struct sw_profiler *sw, enum sw_event event)
{
    if (!sw || (int)event < 0 || (int)event >= EVENTS)
        return;
    if (event == SW_AFTER_BATCH) {
        sw_event_batch(sw, 0);
        return;
    }
    bool begins = plain[event].call == BEGIN || event == SW_BEFORE_BATCH || event == SW_BEFORE_STEP;
    if (begins)
        event_measure(sw, event);
    listeners_call(sw, event);
    if (!begins)
        event_measure(sw, event);
}
