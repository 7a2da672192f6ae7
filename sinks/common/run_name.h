/* SPDX-License-Identifier: MIT */
/* run_name.h - what the names of a run's files and folders are made of: an id, the time it began.
 */
#ifndef SINKS_COMMON_START_TIME_H
#define SINKS_COMMON_START_TIME_H

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

/* Sets id to 32 hexadecimal digits that no other run has. Returns 0, or SW_EIO if the kernel has no
 * random bytes. */
int swi_random_id(char id[33], struct sw_error *err);

/* Writes the local time at which the run began, with a format of strftime() without %Z. Returns
 * false, with text "", if the start is not a date. Does not read TZ or any other part of the
 * environment. */
bool swi_start_time(const struct sw_run *run, const char *format, char *text, size_t size);

#endif
