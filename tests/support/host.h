/* SPDX-License-Identifier: MIT */
/* host.h - runs one real plugin of the tree for a test: real option parsing, a clock that the test
 * sets, a scratch folder as the working directory, standard output caught. One at a time. */
#ifndef TESTS_HOST_H
#define TESTS_HOST_H

#include <stepwatch/stepwatch.h>

struct host;

/* Opens a profiler with this sink alone. options: YAML, one a line, or "". The test fails where it
 * cannot be opened. */
struct host *host_open(const char *sink, const char *options);

/* As above, with options of the profiler as well: "mode: simple\naccounting: false\n". */
struct host *host_open_with(const char *sink, const char *options, const char *profiler);

/* Opens the sink runlog with the file run.jsonl and this detail. */
struct host *host_open_log(const char *detail, const char *profiler);

/* Names the run, from the next open on. */
void host_name(const char *name);

/* Gives the run a monitor that the test has registered, from the next open on. */
void host_monitor(const char *name);

/* The profiler, for all that the loop has to say. */
struct sw_profiler *host_profiler(struct host *host);

/* Lets time pass. */
void host_wait(struct host *host, int64_t ns);

/* Logs a value at a training step: a batch of no samples ends there. */
void host_metric(struct host *host, int64_t step, const char *name, double value);

/* Logs names m0, m1, … once each, at the current step: `first`, `first` + 1, … */
void host_metrics(struct host *host, int names, double first);

/* One fit of one epoch: so many training steps of 64 samples, 10 ms of draw and 90 ms of batch
 * each, then one of validation. */
void host_fit(struct host *host, int steps);

/* Like that, with times that are so many times shorter. */
void host_fit_of(struct host *host, int steps, int shorter);

/* Closes; the test fails where sw_close() does. */
void host_close(struct host *host);

/* Closes and returns what sw_close() did. */
int host_close_rc(struct host *host, struct sw_error *err);

/* The whole text of a file in the scratch folder; the test fails if it does not exist. */
const char *host_file(const char *path);

/* Whether there is such a file. */
bool host_has(const char *path);

/* What the program printed between open and close. */
const char *host_stdout(void);

/* All messages so far, each with a newline; also after a close, until the next one. */
const char *host_messages(struct host *host);

#endif
