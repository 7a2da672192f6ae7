/* SPDX-License-Identifier: MIT */
/* run_info.h - the struct sw_run of a profiler: program, host, rank, and what its configuration
 * says. */
#ifndef CORE_RUN_INFO_H
#define CORE_RUN_INFO_H

#include "core/plugins/settings.h"
#include "core/ranks/rank.h"

#include <stepwatch/sink.h>

/* Returns false if out of memory. Call swi_run_fini() in any case. */
bool swi_run_init(struct sw_run *run, const struct swi_settings *settings,
                  const struct swi_rank *rank);

void swi_run_fini(struct sw_run *run);

#endif
