/* SPDX-License-Identifier: MIT */
#include <stepwatch/stepwatch.h>

#include "config.h"

const char *sw_version(void)
{
    return PACKAGE_VERSION;
}
