/* SPDX-License-Identifier: MIT */
/* rank_in_path.h - adds the rank to a path that is the same in all of them. */
#ifndef CORE_PLUGINS_RANK_IN_PATH_H
#define CORE_PLUGINS_RANK_IN_PATH_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Makes r.3.csv of r.csv. pattern: * instead of the rank. */
void swi_rank_in_path(struct swi_text *out, const char *path, const struct sw_run *run,
                      bool pattern);

/* Makes runs/rank_3 of runs. */
void swi_rank_folder(struct swi_text *out, const char *path, const struct sw_run *run);

#endif
