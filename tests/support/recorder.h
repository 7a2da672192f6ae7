/* SPDX-License-Identifier: MIT */
/* recorder.h - a sink inside the test program that writes down what it gets of windows, as text. */
#ifndef TESTS_RECORDER_H
#define TESTS_RECORDER_H

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

/* Opens a profiler with the sink "recorder" alone, and the clock of probe.h at 0. profiler: YAML of
 * the mapping `profiler`. */
struct sw_profiler *recorder_open(const char *profiler);

/* What it got since, one line each; complete after sw_close():
 *
 *   window 0 schedule begins 90 first 2
 *   begin draw 90
 *   1 end own 95          (1: on that thread)
 *   begin forward 95 [[64, 128]]
 *   window 0 ends 190 next 3 [cut]
 *   note 95 text
 *   span 1 begins 90 prefetch
 *   span 1 ends 95 prefetch 90
 *   alert 95 step 3 user 1 title: text */
const char *recorder_text(void);

/* Closes the profiler, and compares. */
void assert_recorded(struct sw_profiler *sw, const char *expected);

#endif
