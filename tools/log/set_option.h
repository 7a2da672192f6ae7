/* SPDX-License-Identifier: MIT */
/* set_option.h - passes options of the profiler from the command line: --set key=value. */
#ifndef TOOLS_LOG_SET_OPTION_H
#define TOOLS_LOG_SET_OPTION_H

#include <stepwatch/error.h>

#include <stdbool.h>

/* Puts the options into $STEPWATCH_SET, where sw_open() reads them. set: terminated by NULL; may be
 * NULL. keep: append to the options that are there, which have lower priority; otherwise replace
 * them. Returns 0, SW_EINVAL if one is not key=value, or SW_ENOMEM. */
int set_options_export(const char *const *set, bool keep, struct sw_error *err);

#endif
