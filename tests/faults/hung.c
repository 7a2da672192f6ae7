/* SPDX-License-Identifier: MIT */
/* hung.c - a sink that wants all but regions and never comes back from its first record. */
#include <stepwatch/sink.h>

#include <unistd.h>

static int hung_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    while (pause() < 0)
        continue;
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "hung",
    .version = "1.0",
    .license = "MIT",
    .summary = "never comes back, for tests",
    .wants = (SW_WANT(SW_RECORD_TYPES) - 1) & ~SW_WANT(SW_RECORD_REGIONS),
    .queue = SW_QUEUE_DROP_NEWEST,
    .record = hung_record,
};
