/* SPDX-License-Identifier: MIT */
/* Keeps the name by which the loader knew it while it was being loaded, which is when a debugger
 * opens it. */
#include "tests/plugins/plain.h"

#include <dlfcn.h>

extern const struct sw_sink_plugin sw_sink_plugin;
__attribute__((visibility("default"))) char name_at_load[4096];

__attribute__((constructor)) static void loaded(void)
{
    Dl_info info;
    if (dladdr(&sw_sink_plugin, &info))
        snprintf(name_at_load, sizeof name_at_load, "%s", info.dli_fname);
}

const struct sw_sink_plugin sw_sink_plugin = {SW_SINK_HEADER, PLAIN("named")};
