/* SPDX-License-Identifier: MIT */
/* chrome.h - the JSON format of chrome://tracing and Perfetto. */
#ifndef SINKS_COMMON_TRACE_FORMATS_CHROME_H
#define SINKS_COMMON_TRACE_FORMATS_CHROME_H

#include "sinks/common/trace_formats/timeline.h"

extern const struct swi_timeline_format swi_timeline_chrome;

/* The same as a single object, for a file that is made afterwards. */
extern const struct swi_timeline_format swi_timeline_chrome_object;

#endif
