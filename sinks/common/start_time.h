/* SPDX-License-Identifier: MIT */
/* start_time.h - the local time at which a run began, for names of files and folders. */
#ifndef SINKS_COMMON_START_TIME_H
#define SINKS_COMMON_START_TIME_H

#include <stepwatch/sink.h>

/* Writes it with a format of strftime() without %Z. Returns false, with text "", if the start is
 * not a date. Does not read TZ or any other part of the environment. */
bool swi_start_time(const struct sw_run *run, const char *format, char *text, size_t size);

#endif
