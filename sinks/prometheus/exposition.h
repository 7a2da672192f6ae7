/* SPDX-License-Identifier: MIT */
/* exposition.h - families in Prometheus' text format 0.0.4. */
#ifndef SINKS_PROMETHEUS_EXPOSITION_H
#define SINKS_PROMETHEUS_EXPOSITION_H

#include "core/text/buffer.h"
#include "core/text/map.h"
#include "sinks/common/file_names.h"

#include <stepwatch/sink.h>

#include <pthread.h>

/* ---- families of metrics --------------------------------------------------------------------- */

/* The names that are shown, up to a number of them, and how many others there are. */

/* Further names are counted up to this many. It bounds the memory that their hashes take. */
enum { SWI_DROPPED_MOST = 1 << 16 };

/* Begins as {.most = N}. */
struct swi_shown_names {
    size_t most;
    struct swi_map shown;
    struct swi_map others; /* hashes of the names that are not shown */
};

enum { SWI_PHASES = 2 /* train, valid */, SWI_BUCKETS_MOST = 64 };

/* Finished steps of a phase. */
struct swi_phase_steps {
    int64_t steps, samples, cancelled;
    int64_t ns; /* draw and batch together; INT64_MAX is the most */
    int64_t bucket[SWI_BUCKETS_MOST + 1];
};

/* Calls of an action, by phase. */
struct swi_action_total {
    int64_t calls[SWI_PHASES], ns[SWI_PHASES];
};

struct swi_actions {
    struct swi_shown_names names;
    struct swi_action_total *total; /* of each name */
};

/* The newest value of each name. */
struct swi_newest_list {
    struct swi_shown_names names;
    double *value;
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
    struct swi_clean_names metric_names, action_names;
    struct swi_actions action;
    struct swi_newest_list metric, throughput;
    int64_t records_dropped;
};

/* Sets the default bounds: 1, 2.5 and 5 times 10^-5 to 10^2 s. name: borrowed. series_most: how
 * many names of metrics, and of actions, are shown. */
void swi_families_init(struct swi_families *families, const struct sw_run *run, const char *name,
                       int64_t series_most);
void swi_families_free(struct swi_families *families);
void swi_families_record(struct swi_families *families, const struct sw_record *record);

/* ---- the page -------------------------------------------------------------------------------- */

/* Adds the text of all families.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
void swi_exposition(struct swi_text *text, const struct swi_families *families);

/* The newest text. The sink replaces it; the threads of the page and of the pushes copy it. */
struct swi_newest {
    pthread_mutex_t lock;
    struct swi_text text; /* never empty */
};

#endif
