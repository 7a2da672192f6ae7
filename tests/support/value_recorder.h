/* SPDX-License-Identifier: MIT */
/* value_recorder.h - a sink inside the test program that writes down the values it gets, as text.
 */
#ifndef TESTS_VALUE_RECORDER_H
#define TESTS_VALUE_RECORDER_H

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <stdatomic.h>

/* Opens a profiler with the sink "values" alone, and the clock of probe.h at 0. profiler: YAML of
 * the mapping `profiler`. */
struct sw_profiler *values_open(const char *profiler);

/* With these sinks instead: YAML of logger_callback. */
struct sw_profiler *values_open_sinks(const char *profiler, const char *sinks);

/* What it got since, one line each; complete after sw_close():
 *
 *   step 3 text note: **hello**
 *   step 3 histogram w: [0 0.5) 3 [0.5 1) 1 nonfinite 2
 *   step 3 table t: id=1 p=0.5 label=cat | id=2 p=? label=?
 *   step 3 images i: 2x1x3 000102fffefd caption; png 8x8
 *   step 3 file weights: model.bin 12 bytes model best,last: CONTENT
 *   rule valid/... axis epoch keep 3 goal 2 hidden unit s: text
 *   summary best 0.5        summary state done
 *   line 1 text
 *   step 3 numbers a=1 b=2 */
const char *values_text(void);

/* Closes and compares. */
void assert_values(struct sw_profiler *sw, const char *expected);

/* All messages, each with a newline. */
const char *values_messages(void);

/* While it is true, the sink does not return from record(). */
extern atomic_bool values_hang;

#endif
