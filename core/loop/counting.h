/* SPDX-License-Identifier: MIT */
/* counting.h - what the regions of a thread use of its counters, by what the thread read of them
 * (counter_reading.c). All but opening is done under the fold lock. */
#ifndef CORE_LOOP_COUNTING_H
#define CORE_LOOP_COUNTING_H

#include "core/counters/counter.h"
#include "core/loop/state.h"

/* The counters of a configuration: makes them ready, and says which this machine lacks. choice:
 * ends with one without a counter; NULL: none. */
void swi_counting_open(struct sw_profiler *sw, const struct swi_counter_choice *choice);

/* Frees what sw_set_counter() has copied. */
void swi_counting_close(struct sw_profiler *sw);

/* What a reading takes has nothing to do with a clock that the program sets. */
void swi_counting_forget_cost(struct sw_profiler *sw);

/* Before an event of the thread: it counts if the profiler has counters. Returns whether it does.
 */
bool swi_counting_look(struct sw_profiler *sw, struct swi_thread *thread);
/* The first region of a fit begins with what was read now. */
void swi_counting_first(struct swi_thread *thread);

/* Takes what the thread read: a part of an event. */
void swi_counting_take(struct swi_thread *thread, int64_t value, uint64_t what);

/* Adds to a counter: to one that cannot fall, in steps that are seen by swi_counter_use_look(). */
void swi_counting_add(struct sw_profiler *sw, struct swi_thread *thread, int slot, int64_t n);
/* Adds to an own counter of the program. */
void swi_counting_count(struct sw_profiler *sw, struct swi_thread *thread, int counter, int64_t n);

/* Before a fit comes into the stack: below all that is open, as of the thread's first call; or
 * above it, from now on. */
void swi_counting_insert(struct swi_thread *thread, bool below);

/* What is inside of the thread as a whole begins anew. */
static inline void swi_bottom_clear(struct swi_thread *thread)
{
    struct swi_counting *counting = thread->counting;
    thread->stack->inside = 0;
    for (int i = 0; counting && i < counting->active; i++)
        counting->slot[i].frame->inside = 0;
}

/* ---- reading the counters of the calling thread (counter_reading.c) -------------------------- */

/* Reads the counters of the calling thread where a region begins or ends, and notes them behind
 * that event. Counters are read outside of the time: begin reads them first and the clock last,
 * end the clock first. So a region's use of the CPU's time is wider than its duration by one
 * reading, which is taken off. */

/* What a part behind an event says besides the value of a slot. */
enum {
    SWI_READ_NOTHING = 1, /* the slot could not be read */
    SWI_READ_PEAK = 2,    /* the value is the largest since the event before */
    SWI_READ_LOST = 4,    /* the counter stood still for a while */
    SWI_READ_MOVED = 8    /* what is open began on another OS thread */
};

enum { SWI_READINGS_MAX = 2 * SWI_COUNTER_CHOICES + 1 };

struct swi_counter_part {
    int64_t value;
    uint64_t what;
};

/* The counters of a thread, and what was read of them last. */
struct swi_counter_reading {
    const struct swi_counters *counters;
    int owner;  /* the OS thread whose counters these are */
    bool whole; /* all slots are read for the next event */
    int words;  /* each event reads all slots, and each is a word; or 0 */
    const int64_t *word[SWI_COUNTER_CHOICES]; /* address of the value; NULL if it has none */
    int64_t *peak[SWI_COUNTER_CHOICES];
    int count; /* of what was read */
    struct swi_counter_part part[SWI_READINGS_MAX];
};

/* The calling thread was found: it reads counters from now on if the profiler has any. */
void swi_counter_reading_look(struct sw_profiler *sw, struct swi_thread *thread);

/* Read what a region of this action has. The CPU's time, which counts what readings take, is read
 * next to the clock: at a begin after the other counters, at an end before them. */
void swi_counters_read_at_begin(struct swi_thread *thread, int action);
void swi_counters_read_at_end(struct swi_thread *thread, int action);

/* Reads all for what is folded already, with the fold lock. */
void swi_counters_read_now(struct swi_thread *thread);

#endif
