/* SPDX-License-Identifier: MIT */
/* profiler.h - opens a profiler from complete settings: the last part of sw_open(). */
#ifndef CORE_PROFILER_H
#define CORE_PROFILER_H

#include "core/plugins/settings.h"
#include "core/ranks/rank.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

/* Opens a profiler. Mistakes in the sinks' options are added to mistakes; then it returns NULL with
 * err->code SW_ECONFIG. settings is borrowed during the call. */
struct sw_profiler *swi_profiler_open(const struct swi_settings *settings,
                                      struct swi_mistakes *mistakes, struct sw_error *err);

/* Sends a warning to where the profiler's messages go; NULL: to stderr. */
void swi_profiler_warn(struct sw_profiler *sw, const char *text);

/* ---- the struct sw_run of a profiler: program, host, rank, and what its configuration says --- */

/* Returns false if out of memory. Call swi_run_fini() in any case. */
bool swi_run_init(struct sw_run *run, const struct swi_settings *settings,
                  const struct swi_rank *rank);

void swi_run_fini(struct sw_run *run);

#endif
