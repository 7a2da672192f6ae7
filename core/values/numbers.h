/* SPDX-License-Identifier: MIT */
/* numbers.h - several numbers as one record. */
#ifndef CORE_VALUES_NUMBERS_H
#define CORE_VALUES_NUMBERS_H

#include "core/loop/state.h"

#include <stepwatch/values.h>

/* Logs numbers, which some sink wants, at one time and for one step. */
void swi_numbers_log(struct sw_profiler *sw, const struct swi_thread *thread,
                     const struct sw_named *number, size_t count);

#endif
