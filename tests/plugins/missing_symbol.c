/* SPDX-License-Identifier: MIT */
/* A sink that calls what nobody defines. */
#include "tests/plugins/plain.h"

int nobody_defines_this(void);

static int open_it(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)state;
    (void)sink;
    (void)err;
    return nobody_defines_this();
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    PLAIN("missing_symbol"),
    .open = open_it,
};
