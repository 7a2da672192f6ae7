/* SPDX-License-Identifier: MIT */
/* distribution.h - the durations of a row as bins of nanoseconds, which are the same on all hosts,
 * so that those of several ranks can be added up. Core's own are of ticks, which differ. */
#ifndef SINKS_RUNLOG_DISTRIBUTION_H
#define SINKS_RUNLOG_DISTRIBUTION_H

#include "core/text/buffer.h"

#include <stepwatch/report.h>

/* Adds [[bin, count], ...], ascending. */
void swi_distribution_add(struct swi_text *text, const struct sw_distribution *durations);

#endif
