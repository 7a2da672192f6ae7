/* SPDX-License-Identifier: MIT */
/* user.h - the counters that the program itself adds to, by their names. */
#ifndef CORE_COUNTERS_USER_H
#define CORE_COUNTERS_USER_H

/* Handles are from 0 to SWI_USER_COUNTERS - 1, of which the last is "other". */
enum { SWI_USER_COUNTERS = 65 };

/* In a child of a fork: the lock may be another thread's. */
void swi_user_counters_child(void);

/* The name of a handle, as static text. */
const char *swi_user_counter_name(int counter);

/* What is known of a name: a bytes counter is shown in bytes. Static text. */
const char *swi_user_counter_unit(const char *name);

#endif
