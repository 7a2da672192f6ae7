/* SPDX-License-Identifier: MIT */
/* An option table with entries that are too short. */
#include "tests/plugins/plain.h"

const struct sw_sink_plugin sw_sink_plugin = {
    .magic = SW_SINK_MAGIC,
    .abi = SW_SINK_ABI,
    .plugin_size = sizeof(struct sw_sink_plugin),
    .option_size = 40,
    PLAIN("wrong_option_size"),
};
