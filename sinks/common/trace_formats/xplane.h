/* SPDX-License-Identifier: MIT */
/* xplane.h - the format of the Profile page of TensorBoard. */
#ifndef SINKS_COMMON_TRACE_FORMATS_XPLANE_H
#define SINKS_COMMON_TRACE_FORMATS_XPLANE_H

#include "sinks/common/trace_formats/timeline.h"

extern const struct swi_timeline_format swi_timeline_xplane;

#endif
