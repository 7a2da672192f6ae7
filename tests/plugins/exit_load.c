/* SPDX-License-Identifier: MIT */
/* Ends the program as soon as it is loaded, as if all were well. */
#include "tests/plugins/plain.h"

#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    _exit(0);
}

const struct sw_sink_plugin sw_sink_plugin = {SW_SINK_HEADER, PLAIN("exit_load")};
