/* SPDX-License-Identifier: MIT */
/* sample_names.h - the names that services have for what monitors measure. */
#ifndef SINKS_COMMON_SAMPLE_NAMES_H
#define SINKS_COMMON_SAMPLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a metric's name is a pattern with something in place of its `*`: a part without a
 * slash, or any path in "system/". to: set to the other pattern, with the same text in place of
 * its star. */
bool swi_sample_name(char *to, size_t size, const char *metric, const char *pattern,
                     const char *other);

#endif
