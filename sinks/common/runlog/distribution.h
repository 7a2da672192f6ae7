/* SPDX-License-Identifier: MIT */
/* distribution.h - the durations of a row in bins of nanoseconds. They are the same on all hosts,
 * so the bins of several ranks can be added. Core's bins are in ticks, which differ. */
#ifndef SINKS_COMMON_RUNLOG_DISTRIBUTION_H
#define SINKS_COMMON_RUNLOG_DISTRIBUTION_H

#include "core/text/buffer.h"

#include <stepwatch/report.h>

/* Adds [[bin, count], ...] in ascending order. */
void swi_distribution_add(struct swi_text *text, const struct sw_distribution *durations);

#endif
