/* SPDX-License-Identifier: MIT */
/* speedscope.h - profiles for speedscope.app. */
#ifndef SINKS_COMMON_TRACE_FORMATS_SPEEDSCOPE_H
#define SINKS_COMMON_TRACE_FORMATS_SPEEDSCOPE_H

#include "sinks/common/trace_formats/timeline.h"

extern const struct swi_timeline_format swi_timeline_speedscope;

#endif
