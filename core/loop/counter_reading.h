/* SPDX-License-Identifier: MIT */
/* counter_reading.h - reads the counters of the calling thread where a region begins or ends, and
 * notes them behind that event. Counters are read outside of the time: begin reads them first and
 * the clock last, end the clock first. So a region's use of the CPU's time is wider than its
 * duration by one reading, which is taken off. */
#ifndef CORE_LOOP_COUNTER_READING_H
#define CORE_LOOP_COUNTER_READING_H

#include "core/loop/state.h"

/* What a part behind an event says besides the value of a slot. */
enum {
    SWI_READ_NOTHING = 1, /* the slot could not be read */
    SWI_READ_PEAK = 2,    /* the value is the largest since the event before */
    SWI_READ_LOST = 4,    /* the counter stood still for a while */
    SWI_READ_MOVED = 8    /* what is open began on another OS thread */
};

enum { SWI_READINGS_MAX = 2 * SWI_COUNTER_CHOICES + 1 };

/* The counters of a thread, and what was read of them last. */
struct swi_counter_reading {
    const struct swi_counters *counters;
    int owner;                                /* the OS thread whose counters these are */
    bool whole;                               /* all slots are read for the next event */
    const int64_t *word[SWI_COUNTER_CHOICES]; /* address of the value; NULL if it has none */
    int64_t *peak[SWI_COUNTER_CHOICES];
    int count; /* of what was read */
    struct {
        int64_t value;
        uint64_t what;
    } part[SWI_READINGS_MAX];
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
