/* SPDX-License-Identifier: MIT */
/* finding_line.h - a finding as a line of the run log. */
#ifndef SINKS_COMMON_RUNLOG_FINDING_LINE_H
#define SINKS_COMMON_RUNLOG_FINDING_LINE_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Adds a finding of the fit with this number. */
void swi_finding_line(struct swi_text *text, const struct sw_record *record, int fit,
                      const struct sw_finding *finding);

#endif
