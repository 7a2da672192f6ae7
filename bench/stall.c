/* SPDX-License-Identifier: MIT */
#include "bench/stall.h"

#include <time.h>

int bench_stall_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    nanosleep(&(struct timespec){.tv_sec = 1000000}, NULL);
    return 0;
}

void bench_sinks_add(const struct sw_sink_plugin *sink, size_t count)
{
    SW_ERROR_SCOPE(err);
    for (size_t i = 0; i < count; i++)
        if (sw_sink_register(&sink[i], NULL, &err) < 0)
            sw_error_print(stderr, &err);
}
