/* SPDX-License-Identifier: MIT */
/* families.h - what Prometheus gets of a run: counters that only grow, and the newest values. */
#ifndef SINKS_PROMETHEUS_FAMILIES_H
#define SINKS_PROMETHEUS_FAMILIES_H

#include <stepwatch/sink.h>

enum { SWI_PHASES = 2 /* train, valid */, SWI_BUCKETS_MOST = 64 };

/* Finished steps of a phase. */
struct swi_phase_steps {
    int64_t steps, samples, cancelled;
    int64_t ns; /* draw and batch together */
    int64_t bucket[SWI_BUCKETS_MOST + 1];
};

/* Calls of an action in a phase. */
struct swi_action_total {
    char *action;
    int phase; /* 0 train, 1 valid */
    int64_t calls, ns;
};

/* The newest value of a name. */
struct swi_newest {
    char *name;
    double value;
};

struct swi_newest_list {
    struct swi_newest *item;
    size_t count, room;
};

struct swi_families {
    const struct sw_run *run;
    const char *name; /* label `run` */
    double ended_s;   /* 0 while the run lasts */
    int exit_status;  /* -1 while the run lasts */
    int64_t step, steps_expected, epoch;
    double last_step_s;
    double bound[SWI_BUCKETS_MOST]; /* upper bounds in seconds, ascending */
    size_t bounds;
    struct swi_phase_steps phase[SWI_PHASES];
    struct swi_action_total *action;
    size_t actions, action_room;
    struct swi_newest_list metric, throughput;
    size_t series_most; /* names of metrics, and of actions */
    int64_t series_dropped, records_dropped;
};

/* Sets the default bounds: 1, 2.5 and 5 times 10^-5 to 10^2 s. name: borrowed. */
void swi_families_init(struct swi_families *families, const struct sw_run *run, const char *name,
                       int64_t series_most);
void swi_families_free(struct swi_families *families);

void swi_families_record(struct swi_families *families, const struct sw_record *record);

#endif
