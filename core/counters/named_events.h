/* SPDX-License-Identifier: MIT */
/* named_events.h - the events of the processor that configurations of this process name:
 * raw:0xCODE and pfm:NAME. Each has a number, which it keeps until the process ends. */
#ifndef CORE_COUNTERS_NAMED_EVENTS_H
#define CORE_COUNTERS_NAMED_EVENTS_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

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

#endif
