/* SPDX-License-Identifier: MIT */
/* sample_record.h - records of samples of monitors. */
#ifndef CORE_RECORDS_SAMPLE_RECORD_H
#define CORE_RECORDS_SAMPLE_RECORD_H

#include "core/records/recorder.h"

/* When a sample was taken, and the last training step that had ended then. */
struct swi_sampled_at {
    int64_t tick;
    int64_t step;
};

struct swi_sampled_at swi_sampled_now(const struct swi_recorder *records);

/* Hands one sample over, if some sink wants samples and there are values. Names are copied. Any
 * thread. */
void swi_recorder_sample(struct swi_recorder *records, const char *const *names,
                         const double *values, size_t count, struct swi_sampled_at at);

#endif
