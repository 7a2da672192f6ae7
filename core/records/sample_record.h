/* SPDX-License-Identifier: MIT */
/* sample_record.h - records of samples of monitors. */
#ifndef CORE_RECORDS_SAMPLE_RECORD_H
#define CORE_RECORDS_SAMPLE_RECORD_H

#include "core/records/emit.h"

/* Hands one sample over, if some sink wants samples and there are values; as of a tick. Names are
 * copied. Any thread. */
void swi_emit_sample(struct swi_recorder *records, const char *const *names, const double *values,
                     size_t count, int64_t tick);

#endif
