/* SPDX-License-Identifier: MIT */
/* A descriptor that is shorter than this one. */
#include "tests/plugins/plain.h"

const struct sw_sink_plugin sw_sink_plugin = {
    .magic = SW_SINK_MAGIC,
    .abi = SW_SINK_ABI,
    .plugin_size = 100,
    .option_size = sizeof(struct sw_option),
    PLAIN("wrong_size"),
};
