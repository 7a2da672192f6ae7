/* SPDX-License-Identifier: MIT */
/* profiler.h - opens a profiler by finished settings: what sw_open() ends with. */
#ifndef CORE_PROFILER_H
#define CORE_PROFILER_H

#include "core/plugins/settings.h"

#include <stepwatch/stepwatch.h>

/* Opens a profiler. Mistakes found while filling the sinks' options are added to mistakes, and then
 * NULL is returned with err->code SW_ECONFIG. settings is borrowed for the call. */
struct sw_profiler *swi_profiler_open(const struct swi_settings *settings,
                                      struct swi_mistakes *mistakes, struct sw_error *err);

#endif
