/* SPDX-License-Identifier: MIT */
/* environment.h - the environment as it was inside sw_open(). The sinks' threads look here: the
 * program may call setenv() at any time, and whoever reads the environment meanwhile may crash. */
#ifndef CORE_PROCESS_ENVIRONMENT_H
#define CORE_PROCESS_ENVIRONMENT_H

#include <stdint.h>

struct swi_environment;

/* Copies the environment of the process. NULL if out of memory. */
struct swi_environment *swi_environment_take(void);

/* Overwrites the copy and frees it; NULL is fine. */
void swi_environment_free(struct swi_environment *environment);

/* A variable's value, valid until the copy is freed; NULL if it was not set. Any thread. */
const char *swi_environment_get(const struct swi_environment *environment, const char *name);

/* The same, but NULL in a setuid program. */
const char *swi_environment_get_secure(const struct swi_environment *environment, const char *name);

/* How many seconds local time is ahead of UTC at a time (seconds since 1970); 0 if that is not a
 * date. Reads TZ: call it on the program's thread only. */
int64_t swi_utc_offset(double seconds);

#endif
