/* SPDX-License-Identifier: MIT */
/* event_code.h - events of the processor that a configuration names: raw:0xCODE, or pfm:NAME, whose
 * code the library libpfm knows. */
#ifndef CORE_COUNTERS_EVENT_CODE_H
#define CORE_COUNTERS_EVENT_CODE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

/* These fields of struct perf_event_attr say what to count. */
struct swi_event_code {
    uint32_t type;
    uint64_t config, config1, config2;
};

/* Returns whether the name begins like that of an event. */
bool swi_event_is_named(const char *name);

/* Sets the code of an event. Returns 0; SW_EINVAL if no event has this name; SW_EIO if the
 * code cannot be found here; err says why and what to do. */
int swi_event_code_find(const char *name, struct swi_event_code *code, struct sw_error *err);

#endif
