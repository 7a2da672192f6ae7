/* SPDX-License-Identifier: MIT */
/* stall.h - sinks of the benchmarks. */
#ifndef BENCH_STALL_H
#define BENCH_STALL_H

#include <stepwatch/sink.h>

/* Blocks for as long as the benchmark runs, like a sink whose disk or server hangs. */
int bench_stall_record(void *state, const struct sw_record *record, struct sw_error *err);

/* Registers sinks, so that configurations can name them. */
void bench_sinks_add(const struct sw_sink_plugin *sink, size_t count);

#endif
