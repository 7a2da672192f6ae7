/* SPDX-License-Identifier: MIT */
/* profile_summary.h - prints what a reader must know about a profile besides its numbers. */
#ifndef TOOLS_FUNCTIONS_PROFILE_SUMMARY_H
#define TOOLS_FUNCTIONS_PROFILE_SUMMARY_H

#include "sinks/common/functions/profile.h"

#include <stdio.h>

/* Prints how much was counted, the time of the hooks, and what is missing, one per line. */
void summary_print(FILE *out, const struct profile *profile);

#endif
