/* SPDX-License-Identifier: MIT */
/* event.h - a call of the loop as its thread notes it: what was called, and when. What follows from
 * the calls is worked out later, by whoever folds the events (core/loop/fold.h). */
#ifndef CORE_STREAM_EVENT_H
#define CORE_STREAM_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

/* The other numbers of an event lie in the slots behind it: their `what` says SWI_EVENT_PART, and a
 * number is in the place of the tick. */
enum swi_event_kind {
    SWI_EVENT_NONE, /* not published yet */
    SWI_EVENT_BEGIN,
    SWI_EVENT_END,  /* payload: the samples of a batch; of a fit, how many have ended */
    SWI_EVENT_NEXT, /* the end of a sibling, if one is open, and a begin */
    SWI_EVENT_CANCEL,
    SWI_EVENT_INSIDE,    /* what is open inside an action is discarded */
    SWI_EVENT_LOG,       /* instead of an action: the number of the name; a part: the value */
    SWI_EVENT_COUNT,     /* an own counter goes up; a part: by how much */
    SWI_EVENT_CLAIM,     /* from here on, this is the loop's thread */
    SWI_EVENT_FITS,      /* payload: how many fits had ended when the thread looked */
    SWI_EVENT_INHERITED, /* from here on, these are the events of another thread of the system */
    SWI_EVENT_PART
};

/* The parts of `what`, from its lowest bit on: kind, action, payload. */
enum { SWI_EVENT_ACTION = 4, SWI_EVENT_PAYLOAD = 20 };
#define SWI_EVENT_KINDS ((UINT64_C(1) << SWI_EVENT_ACTION) - 1)
#define SWI_PAYLOAD_MAX (UINT64_MAX >> SWI_EVENT_PAYLOAD)

/* The slot is published when `what` is not 0. */
struct swi_event {
    int64_t tick;
    _Atomic uint64_t what;
};

static inline uint64_t swi_event_what(enum swi_event_kind kind, int action, uint64_t payload)
{
    return (uint64_t)kind | (uint64_t)(uint16_t)action << SWI_EVENT_ACTION |
           payload << SWI_EVENT_PAYLOAD;
}

static inline enum swi_event_kind swi_event_kind(uint64_t what)
{
    return (enum swi_event_kind)(what & SWI_EVENT_KINDS);
}

static inline int swi_event_action(uint64_t what)
{
    return (int)(what >> SWI_EVENT_ACTION & UINT16_MAX);
}

static inline uint64_t swi_event_payload(uint64_t what)
{
    return what >> SWI_EVENT_PAYLOAD;
}

#endif
