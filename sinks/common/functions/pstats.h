/* SPDX-License-Identifier: MIT */
/* pstats.h - prints a profile in the format of Python's pstats. */
#ifndef SINKS_COMMON_FUNCTIONS_PSTATS_H
#define SINKS_COMMON_FUNCTIONS_PSTATS_H

#include "sinks/common/functions/pstats_list.h"

#include <stdio.h>

/* Prints the profile. Returns false if out of memory. */
bool pstats_print(FILE *out, const struct stats *stats, const struct pstats *how);

#endif
