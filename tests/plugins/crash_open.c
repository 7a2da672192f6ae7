/* SPDX-License-Identifier: MIT */
/* Crashes in open. */
#include "tests/plugins/plain.h"

static int open_it(void *state, struct sw_sink *sink, struct sw_error *err)
{
    int *volatile nowhere = NULL;
    (void)state;
    (void)sink;
    (void)err;
    return *nowhere;
}

const struct sw_sink_plugin sw_sink_plugin = {SW_SINK_HEADER, PLAIN("crash_open"), .open = open_it};
