/* SPDX-License-Identifier: MIT */
/* A symbol of the right name that is not a descriptor. */
#include "tests/plugins/plain.h"

const struct sw_sink_plugin sw_sink_plugin = {
    .magic = 0x12345678,
    .abi = SW_SINK_ABI,
    .plugin_size = sizeof(struct sw_sink_plugin),
    .option_size = sizeof(struct sw_option),
    PLAIN("wrong_magic"),
};
