/* SPDX-License-Identifier: MIT */
/* folded.h - stacks for flame graphs. */
#ifndef SINKS_COMMON_TRACE_FORMATS_FOLDED_H
#define SINKS_COMMON_TRACE_FORMATS_FOLDED_H

#include "sinks/common/trace_formats/timeline.h"

extern const struct swi_timeline_format swi_timeline_folded;

#endif
