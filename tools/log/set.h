/* SPDX-License-Identifier: MIT */
/* set.h - options of the profiler given on the command line: --set key=value. */
#ifndef TOOLS_LOG_SET_H
#define TOOLS_LOG_SET_H

#include <stepwatch/error.h>

#include <stdbool.h>

/* Puts them into $STEPWATCH_SET, where sw_open() reads them. set: ends with NULL; may be NULL.
 * keep: behind those that are there already, which count less; else instead of them. 0, SW_EINVAL
 * for one that is no key=value, or SW_ENOMEM. */
int set_tell(const char *const *set, bool keep, struct sw_error *err);

#endif
