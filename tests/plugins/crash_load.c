/* SPDX-License-Identifier: MIT */
/* Crashes as soon as it is loaded. */
#include "tests/plugins/plain.h"

#include <stdlib.h>

__attribute__((constructor)) static void loaded(void)
{
    abort();
}

const struct sw_sink_plugin sw_sink_plugin = {SW_SINK_HEADER, PLAIN("crash_load")};
