/* SPDX-License-Identifier: MIT */
/* marshal.h - reads and writes the files of Python's cProfile: `.prof`. */
#ifndef SINKS_COMMON_FUNCTIONS_MARSHAL_H
#define SINKS_COMMON_FUNCTIONS_MARSHAL_H

#include "sinks/common/functions/stats.h"

#include <stepwatch/error.h>
#include <stdio.h>

/* Writes a profile that Python 2.7 to 3.13 can read. */
void marshal_write(FILE *out, const struct stats *stats);

/* Reads a profile. Returns 0 or a negative code. Call stats_free() in any case. */
int marshal_read(const void *data, size_t size, struct stats *stats, struct sw_error *err);

#endif
