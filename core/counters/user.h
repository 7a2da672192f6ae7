/* SPDX-License-Identifier: MIT */
/* user.h - the program's own counters, by name. */
#ifndef CORE_COUNTERS_USER_H
#define CORE_COUNTERS_USER_H

/* Handles are numbers from 0 to SWI_USER_COUNTERS - 1. The last one is "other". */
enum { SWI_USER_COUNTERS = 65 };

/* Call it in the child of a fork: another thread may have held the lock. */
void swi_user_counters_child(void);

/* Returns the name of a handle, as static text. */
const char *swi_user_counter_name(int counter);

/* Returns the unit of the counter with this name, as static text: a bytes counter is shown in
 * bytes. */
const char *swi_user_counter_unit(const char *name);

#endif
