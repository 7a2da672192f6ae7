/* SPDX-License-Identifier: MIT */
/* all_ranks_line.h - the figures of all ranks as a line of the run log. */
#ifndef SINKS_COMMON_RUNLOG_ALL_RANKS_LINE_H
#define SINKS_COMMON_RUNLOG_ALL_RANKS_LINE_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Adds the line of a record of all ranks. */
void swi_all_ranks_line(struct swi_text *text, const struct sw_record *record);

#endif
