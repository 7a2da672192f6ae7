/* SPDX-License-Identifier: MIT */
/* profile_summary.h - what a reader has to know of a profile beside its figures. */
#ifndef TOOLS_FUNCTIONS_PROFILE_SUMMARY_H
#define TOOLS_FUNCTIONS_PROFILE_SUMMARY_H

#include "tools/functions/profile.h"

#include <stdio.h>

/* Prints how much was counted, what the hooks took, and what is missing: a line each. */
void summary_print(FILE *out, const struct profile *profile);

#endif
