/* SPDX-License-Identifier: MIT */
/* fuzz_runlog.h - one input as a run log, read and played. */
#ifndef FUZZ_RUNLOG_H
#define FUZZ_RUNLOG_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many lines were played; the last one may have been refused. */
long fuzz_runlog(const uint8_t *data, size_t size);

#endif
