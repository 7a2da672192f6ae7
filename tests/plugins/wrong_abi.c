/* SPDX-License-Identifier: MIT */
/* Built for a stepwatch of another time. */
#include "tests/plugins/plain.h"

const struct sw_sink_plugin sw_sink_plugin = {
    .magic = SW_SINK_MAGIC,
    .abi = 99,
    .plugin_size = sizeof(struct sw_sink_plugin),
    .option_size = sizeof(struct sw_option),
    PLAIN("wrong_abi"),
};
