/* SPDX-License-Identifier: MIT */
/* probe.h - a sink inside the test program that keeps what it gets, and a clock that the test sets.
 */
#ifndef TESTS_PROBE_H
#define TESTS_PROBE_H

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

enum { PROBE_MAX = 512 };

struct probe_metric {
    int64_t step;
    char name[64];
    double value;
    enum sw_origin by;
};

/* What the sink "probe" got since probe_open(); complete after sw_close(). */
struct probe {
    size_t metric_count;
    struct probe_metric metric[PROBE_MAX];
    size_t report_count;
    struct probe_report {
        int fit;
        int64_t train_calls; /* of train/step */
        bool interrupted;
        double fit_ns;
        double residue_ns;
        int64_t misuses;
    } report[16];
    size_t epoch_count;
    size_t step_count;
    struct probe_step {
        enum sw_phase phase;
        int64_t samples;
        size_t parts;
    } step[PROBE_MAX];
    size_t config_count;
    char config[16][64];
    size_t end_count;
    struct sw_end end;
};
extern struct probe probe;

/* The time on the clock of the profiler, in nanoseconds. */
extern int64_t probe_now;

/* Opens a profiler with the sink probe alone; more is YAML of the mapping `profiler`, like "mode:
 * simple". */
struct sw_profiler *probe_open(const char *more);

/* Sets the clock of a profiler to probe_now, which becomes 0, and counts its messages. */
void probe_attach(struct sw_profiler *sw);

/* Lets time pass. */
void probe_wait(int64_t ns);

/* One step of the loop: a draw of 10 ns and a batch of 90 ns with all standard actions of training.
 */
void probe_step(struct sw_profiler *sw, int64_t samples);

/* The row of a report, or NULL. */
const struct sw_report_row *probe_row(const struct sw_report *report, const char *phase,
                                      const char *action);

/* The last message of the profiler, and how many there were. */
extern char probe_message[1024];
extern int probe_messages;

#endif
