/* SPDX-License-Identifier: MIT */
/* trace_formats.h - the formats of traces. Those that are made from a tree are in call_tree.h. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TRACE_FORMATS_H
#define SINKS_COMMON_TRACE_FORMATS_TRACE_FORMATS_H

#include "sinks/common/trace_formats/timeline.h"

/* The JSON format of chrome://tracing and Perfetto. */
extern const struct swi_timeline_format swi_timeline_chrome;

/* The same as a single object, for a file that is made afterwards. */
extern const struct swi_timeline_format swi_timeline_chrome_object;

extern const struct swi_timeline_format swi_timeline_torch;      /* of torch.profiler */
extern const struct swi_timeline_format swi_timeline_xplane;     /* TensorBoard's Profile page */
extern const struct swi_timeline_format swi_timeline_perfetto;   /* Perfetto's protobuf format */
extern const struct swi_timeline_format swi_timeline_speedscope; /* of speedscope.app */

#endif
