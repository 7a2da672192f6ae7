/* SPDX-License-Identifier: MIT */
/* unruly.h - sinks inside the test program that misbehave, and one that only listens. */
#ifndef TESTS_UNRULY_H
#define TESTS_UNRULY_H

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <stdatomic.h>

enum { UNRULY_MAX = 20000 };

/* What a sink got. */
struct unruly_log {
    atomic_int opened;
    atomic_int closed;
    atomic_int flushed;
    atomic_int records;
    enum sw_record_type type[UNRULY_MAX];
    double value[UNRULY_MAX]; /* of the first metric, or the hyper-parameter */
    char thread[16];          /* name of the thread of the instance "unruly" */
};

/* The sink "unruly" with its options: fail (open, record, close, flush), at (the number of the
 * record, from 0; -1: all), error (what it says), block (open, record, close), at the same record;
 * say (so many messages at open), narrow (wants configuration and end only), stop. */
extern struct unruly_log unruly;

/* The sink "listener", which takes everything and does nothing else. */
extern struct unruly_log listener;

/* Lets what blocks go on. */
void unruly_release(void);

/* Opens a profiler with these sinks, as they stand in the YAML list; close_timeout is 200 ms. The
 * test fails where it cannot be opened. */
struct sw_profiler *unruly_open(const char *sinks);

/* Waits until a counter is reached; the test fails where that takes 20 s. */
void unruly_wait(const atomic_int *counter, int count);

/* All messages so far, each with a newline, and how many. */
const char *unruly_messages(void);
extern atomic_int unruly_message_count;

#endif
