/* SPDX-License-Identifier: MIT */
/* torch.h - the trace format of torch.profiler. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TORCH_H
#define SINKS_COMMON_TRACE_FORMATS_TORCH_H

#include "sinks/common/trace_formats/timeline.h"

extern const struct swi_timeline_format swi_timeline_torch;

#endif
