/* SPDX-License-Identifier: MIT */
/* speedscope.h - profiles for speedscope.app. */
#ifndef SINKS_COMMON_TIMELINE_SPEEDSCOPE_H
#define SINKS_COMMON_TIMELINE_SPEEDSCOPE_H

#include "sinks/common/timeline/timeline.h"

extern const struct swi_timeline_format swi_timeline_speedscope;

#endif
