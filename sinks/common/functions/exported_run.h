/* SPDX-License-Identifier: MIT */
/* exported_run.h - what all exported files need to know about a run. */
#ifndef SINKS_COMMON_FUNCTIONS_EXPORTED_RUN_H
#define SINKS_COMMON_FUNCTIONS_EXPORTED_RUN_H

#include "sinks/common/functions/merged_tree.h"

#include <stdio.h>

struct exported_run {
    const char *name; /* name of the profile: whole, or an action */
    const char *program;
    bool samples; /* calls are samples */
};

#endif
