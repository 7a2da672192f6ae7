/* SPDX-License-Identifier: MIT */
/* perfetto.h - the protobuf format of Perfetto. */
#ifndef SINKS_COMMON_TRACE_FORMATS_PERFETTO_H
#define SINKS_COMMON_TRACE_FORMATS_PERFETTO_H

#include "sinks/common/trace_formats/timeline.h"

extern const struct swi_timeline_format swi_timeline_perfetto;

#endif
