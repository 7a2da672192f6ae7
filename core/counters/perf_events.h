/* SPDX-License-Identifier: MIT */
/* perf_events.h - events that the processor counts, of the calling thread. */
#ifndef CORE_COUNTERS_PERF_EVENTS_H
#define CORE_COUNTERS_PERF_EVENTS_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

/* ---- events that a configuration names ------------------------------------------------------- */

/* The events of the processor that configurations of this process name:
 * raw:0xCODE and pfm:NAME. Each has a number, which it keeps until the process ends. */

/* How many a process can have, and the size of a name with its NUL. */
enum { SWI_NAMED_EVENTS = 16, SWI_EVENT_NAME_SIZE = 128 };

/* The name of each event with a number. It does not change any more. */
extern char swi_named_event_name[SWI_NAMED_EVENTS][SWI_EVENT_NAME_SIZE];

/* Returns the number of an event, which is new or not; SW_EINVAL, and err says why, if there is no
 * such event. An event that only this machine lacks has a number. */
int swi_named_event(const char *name, struct sw_error *err);

/* Looks for the code of an event if it is not known yet. Returns 0, or SW_EIO and err says why it
 * is not known and what to do. */
int swi_named_event_find(int number, struct sw_error *err);

/* Returns the code of an event, after swi_named_event_find() has found it. */
struct swi_event_code swi_named_event_code(int number);

/* Call it in the child of a fork: another thread may have held the lock. */
void swi_named_events_child(void);

/* ---- names: raw:0xCODE, or pfm:NAME, whose code the library libpfm knows --------------------- */

/* These fields of struct perf_event_attr say what to count. */
struct swi_event_code {
    uint32_t type;
    uint64_t config, config1, config2;
};

/* Returns whether the name begins like that of an event. */
bool swi_event_is_named(const char *name);

/* ---- events of the processor ----------------------------------------------------------------- */

/* The kinds of events. The last are those that a configuration names, in the order of their
 * numbers. */
enum {
    SWI_CYCLES,
    SWI_INSTRUCTIONS,
    SWI_CACHE_MISSES,
    SWI_BRANCH_MISSES,
    SWI_STALLED_FRONTEND,
    SWI_STALLED_BACKEND,
    SWI_NAMED,
    SWI_PERF_EVENTS = SWI_NAMED + SWI_NAMED_EVENTS
};

/* As the functions of the same names of struct swi_counter. */
int swi_perf_event_open(int kind, struct sw_error *err);
bool swi_perf_event_read(int kind, int64_t *value);
bool swi_perf_event_gap(int kind);
bool swi_perf_event_slow(int kind);

/* Returns the share of a thread's time on a CPU in which its counters had registers of the
 * processor, in percent: of the thread that had none of them last; 100 if all had them always. */
int swi_perf_events_ran_percent(void);

/* ---- the page of a perf event ---------------------------------------------------------------- */

/* What the page of a perf event says: the kernel describes there how a program reads the counter
 * without a system call. Only arithmetic: the caller reads the registers. */

/* A consistent copy of the fields of struct perf_event_mmap_page. */
struct swi_perf_mmap {
    uint32_t index; /* of the register, from 1; 0: the event has no register now */
    int64_t offset;
    uint64_t time_enabled, time_running;
    bool cap_user_rdpmc;
    uint16_t pmc_width;
};

/* Returns whether the program may read the register now, and sets its number. */
bool swi_perf_mmap_register(const struct swi_perf_mmap *page, uint32_t *number);

/* Returns the count, given what the register has. */
int64_t swi_perf_mmap_count(const struct swi_perf_mmap *page, uint64_t pmc);

#endif
