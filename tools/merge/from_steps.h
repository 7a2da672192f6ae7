/* SPDX-License-Identifier: MIT */
/* from_steps.h - merges logs with steps: makes rows of the steps that all of them have. */
#ifndef TOOLS_MERGE_FROM_STEPS_H
#define TOOLS_MERGE_FROM_STEPS_H

#include "tools/merge/merged.h"

/* Returns 0, SW_EIO or SW_ENOMEM. */
int merge_steps(struct merged *merged, struct sw_error *err);

#endif
