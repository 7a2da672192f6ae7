/* SPDX-License-Identifier: MIT */
/* An option table whose fallback is not within its own range. */
#include "tests/plugins/plain.h"

static const struct sw_option options[] = {
    {.name = "precision",
     .type = SW_OPTION_INT,
     .offset = 0,
     .fallback = "40",
     .min = 1,
     .max = 17,
     .help = "significant digits"},
    {.name = NULL},
};

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    PLAIN("wrong_table"),
    .options = options,
};
