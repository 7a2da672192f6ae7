/* SPDX-License-Identifier: MIT */
/* listeners.h - the functions of a program that are called at events: sw_on_event(). */
#ifndef CORE_LOOP_LISTENERS_H
#define CORE_LOOP_LISTENERS_H

#include "core/loop/state.h"

#define SWI_EVENTS ((int)SW_AFTER_CANCEL_FIT + 1)

/* Calls the functions of an event in the order of registration, if this is the loop's thread. */
void swi_listeners_call(struct sw_profiler *sw, enum sw_event event);

void swi_listeners_free(struct swi_listeners *listeners);

#endif
