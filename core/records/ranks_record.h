/* SPDX-License-Identifier: MIT */
/* ranks_record.h - records with the results of an engine about all ranks. */
#ifndef CORE_RECORDS_RANKS_RECORD_H
#define CORE_RECORDS_RANKS_RECORD_H

#include "core/records/recorder.h"

/* Sends the results and takes them over. */
void swi_recorder_ranks(struct swi_recorder *records, struct sw_ranks *ranks, int64_t tick);
void swi_recorder_clock(struct swi_recorder *records, int64_t offset_ns, int64_t error_ns,
                        int64_t tick);

#endif
