/* SPDX-License-Identifier: MIT */
/* A sink without a fault. It calls the C library, so that it depends on one. */
#include "tests/plugins/plain.h"

static int open_it(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)err;
    snprintf(state, 16, "%d %s", (int)strlen(sink->name), sink->name);
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {SW_SINK_HEADER, PLAIN("plain"), .open = open_it};
