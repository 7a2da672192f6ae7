/* SPDX-License-Identifier: MIT */
/* environment.h - a copy of the environment, made in sw_open(). The threads of the sinks use it,
 * because the program may call setenv() at any time, and reading the environment meanwhile may
 * crash. */
#ifndef CORE_PROCESS_ENVIRONMENT_H
#define CORE_PROCESS_ENVIRONMENT_H

#include <stdint.h>

struct swi_environment;

/* Copies the environment of the process. NULL if out of memory. */
struct swi_environment *swi_environment_take(void);

/* Overwrites the copy and frees it; NULL is fine. */
void swi_environment_free(struct swi_environment *environment);

/* Returns a variable's value, which is valid until the copy is freed; NULL if it was not set. Any
 * thread may call it. */
const char *swi_environment_get(const struct swi_environment *environment, const char *name);

/* Like swi_environment_get(), but returns NULL in a setuid program. */
const char *swi_environment_get_secure(const struct swi_environment *environment, const char *name);

/* Returns how many seconds local time is ahead of UTC at a time (seconds since 1970); 0 if that is
 * not a date. Reads TZ, so call it only on a thread of the program. */
int64_t swi_utc_offset(double seconds);

#endif
