/* SPDX-License-Identifier: MIT */
/* replay.h - play a recorded run again into other sinks.
 *
 * A replay makes the calls of the loop (stepwatch.h) with a clock of its own (sw_set_clock()), and
 * sets here what it cannot measure. `stepwatch replay` is such a program. */
#ifndef STEPWATCH_REPLAY_H
#define STEPWATCH_REPLAY_H

#include <stepwatch/stepwatch.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** Sets the wall clock time at which the run started, in seconds since 1970, and marks the run as
 * replayed. Call it before the first region. */
SW_API void sw_set_start(struct sw_profiler *sw, double started_s);

/** Sets which program made the replayed run, for sinks that show it, and the name that the run had,
 * which counts unless the configuration has a name. Both are copied; "" and NULL are not known.
 * Call it once, before the first region. */
SW_API void sw_set_program(struct sw_profiler *sw, const char *program, const char *name);

/** Says that the replayed run ended without sw_close(), as in sw_end of sink.h. sw_close() then
 * ends as that run did: the report of an open fit is marked as interrupted.
 *
 * signal: 0: none. cause: copied.
 */
SW_API void sw_set_interrupted(struct sw_profiler *sw, int signal, const char *cause);

/**
 * Sets figures of a fit that a replay cannot measure, from the run's own report of
 * that fit. Call it before the first region. If out of memory, the costs stay unknown.
 *
 * fit: its number, from 1. If there are several calls for a fit, the last one counts.
 *
 * own_ns: time that stepwatch's calls took; NAN if the report does not have it.
 *
 * own_threads_ns: CPU time of its own threads; 0 if the report does not have it.
 *
 * joules: energy that was used; 0 if the report does not have it.
 */
SW_API void sw_set_costs(struct sw_profiler *sw, int fit, double own_ns, double own_threads_ns,
                         double joules);

/** Sets the self time of the calling thread's innermost open region, for a log that
 * does not have the regions inside it. End that region before you change the clock. Ignored if no
 * region is open, or if self_ns is negative or more than the region's duration. */
SW_API void sw_set_self(struct sw_profiler *sw, int64_t self_ns);

/**
 * Says that the next step stands for several that are alike, as a log has them that was thinned
 * out: its durations, self times, samples and uses of sums are those of all together, a peak is
 * that of one, and the number that sw_set_step() gives it is that of the last. Call it before the
 * first region of that step, even before its draw.
 *
 * steps: how many; 1: an ordinary step.
 *
 * Returns 0; SW_EINVAL if steps is less than 1, or if a sink wants every region: then make the
 * steps one by one.
 */
SW_API int sw_set_steps(struct sw_profiler *sw, int64_t steps);

struct sw_counter_info;

/**
 * Passes the report of an earlier run on to the sinks, as the report of a fit. The
 * profiler has not measured that fit, so sw_report_new() does not return it.
 *
 * report: copied with everything that it points to; set `size`, `row_size` and the other sizes. The
 * names of its actions and shapes are added to those of the program. It need not have columns:
 * those of the profiler are used. Counters are found by their names among those of the profiler.
 * Others are added to these, as by sw_set_counter(); they are left out if the profiler measures
 * counters itself. Distributions need neither bins nor values. The profiler's option `accounting`
 * decides whether the lines that account for the time are shown.
 *
 * Returns 0; SW_EINVAL if sw or report is NULL or a row has an unknown phase; SW_ENOMEM.
 */
SW_API int sw_log_report(struct sw_profiler *sw, const struct sw_report *report,
                         struct sw_error *err);

/**
 * Adds a counter that the run had, under the name that it has in the log; see
 * stepwatch/sink.h. The profiler then reads no counters of this machine. Names are copied.
 *
 * Returns the counter's number for the functions below; SW_EINVAL if there are too many.
 */
SW_API int sw_set_counter(struct sw_profiler *sw, const struct sw_counter_info *counter);

/** Increases a counter of the calling thread. SW_COUNTER_NONE: it could not be read.
 */
SW_API void sw_set_reading(struct sw_profiler *sw, int counter, int64_t increase);

/** Sets the use of a counter by the region that the calling thread ends next, in total and without
 * the regions inside; by those inside together, if it is cancelled. SW_COUNTER_NONE: not known. */
SW_API void sw_set_use(struct sw_profiler *sw, int counter, int64_t total, int64_t self);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(void, sw_set_start, (struct sw_profiler *sw, double started_s), )
SW_OFF_(void, sw_set_program, (struct sw_profiler *sw, const char *program, const char *name), )
SW_OFF_(void, sw_set_interrupted, (struct sw_profiler *sw, int signal, const char *cause), )
SW_OFF_(void, sw_set_costs,
        (struct sw_profiler *sw, int fit, double own_ns, double own_threads_ns, double joules), )
SW_OFF_(void, sw_set_self, (struct sw_profiler *sw, int64_t self_ns), )
SW_OFF_(int, sw_set_steps, (struct sw_profiler *sw, int64_t steps), SW_EINVAL)
SW_OFF_(int, sw_log_report,
        (struct sw_profiler *sw, const struct sw_report *report, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int, sw_set_counter,
        (struct sw_profiler *sw, const struct sw_counter_info *counter), SW_EINVAL)
SW_OFF_(void, sw_set_reading, (struct sw_profiler *sw, int counter, int64_t increase), )
SW_OFF_(void, sw_set_use, (struct sw_profiler *sw, int counter, int64_t total, int64_t self), )
#pragma GCC diagnostic pop
/* clang-format on */
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
