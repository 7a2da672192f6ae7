/* SPDX-License-Identifier: MIT */
/* ranks_record.h - records of what an engine found out about all ranks. */
#ifndef CORE_RECORDS_RANKS_RECORD_H
#define CORE_RECORDS_RANKS_RECORD_H

#include "core/records/emit.h"

/* Takes over the report. */
void swi_emit_ranks(struct swi_recorder *records, struct sw_ranks *ranks, int64_t tick);
void swi_emit_clock(struct swi_recorder *records, int64_t offset_ns, int64_t error_ns,
                    int64_t tick);

#endif
