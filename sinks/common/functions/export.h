/* SPDX-License-Identifier: MIT */
/* export.h - what all exported files need to know about a run. */
#ifndef SINKS_COMMON_FUNCTIONS_EXPORT_H
#define SINKS_COMMON_FUNCTIONS_EXPORT_H

#include "sinks/common/functions/merged_tree.h"

#include <stdio.h>

struct export
{
    const char *name; /* name of the profile: whole, or an action */
    const char *program;
    bool samples; /* calls are samples */
};

#endif
