/* SPDX-License-Identifier: MIT */
/* run_progress.h - how far the loop is, from the records that the sink gets. */
#ifndef SINKS_TABLE_RUN_PROGRESS_H
#define SINKS_TABLE_RUN_PROGRESS_H

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stdint.h>

/* Metrics that are shown, at most. */
enum { SWI_SHOWN_METRICS = 3, SWI_METRIC_NAME = 64 };

struct swi_shown_metric {
    char name[SWI_METRIC_NAME];
    uint64_t order; /* the smaller, the sooner it is shown */
    double value;   /* the newest */
};

/* What monitors said last of the process and its GPUs. 0: nothing. */
struct swi_shown_machine {
    double cpu_percent;
    int64_t rss_bytes;
    double gpu_percent; /* the mean of all GPUs */
};

struct swi_run_progress {
    const char *const *chosen; /* names of the metrics to show; NULL: the ones that matter most */
    int64_t time_ns;           /* of the newest record, since the run's start */
    int64_t epoch;             /* from 0 */
    int64_t done;              /* training steps */
    int64_t expected;          /* 0: unknown */
    bool validating;
    int64_t first_ns; /* time and number of the first step that was seen */
    int64_t first_done;
    bool begun;
    double rate; /* samples per second of the phase so far; 0: unknown */

    /* While steps come: those of training, and their samples. */
    int64_t steps, samples;
    int64_t valid_begun_ns; /* -1: no validation is open */
    int64_t valid_ns;       /* that validations took which have ended */

    struct swi_shown_machine machine;
    size_t metric_count;
    uint64_t metrics_seen;
    struct swi_shown_metric metric[SWI_SHOWN_METRICS];
};

/* chosen: the option `metrics`. */
void swi_progress_init(struct swi_run_progress *progress, const char *const *chosen);

/* Takes a record. Returns whether an epoch has ended. */
bool swi_progress_take(struct swi_run_progress *progress, const struct sw_record *record);

/* Time in validation so far. */
int64_t swi_progress_valid_ns(const struct swi_run_progress *progress);

/* In place of an interval: after 10 s, 30 s, 1, 2, 5 and 10 minutes, then every 10 minutes, and at
 * the ends of epochs in between. */
#define SWI_PROGRESS_AUTO INT64_C(-1)

struct swi_progress_times {
    int64_t interval_ns; /* 0: only the end of each epoch */
    int64_t due_ns;      /* the next line */
    int64_t last_ns;     /* of the last line; 0 before the first */
    bool epochs_only;
};

void swi_progress_times_init(struct swi_progress_times *times, int64_t interval_ns);

/* Returns whether a line is due at a time, which does not go back, or at an epoch's end then. It
 * counts as written if it is. */
bool swi_progress_due(struct swi_progress_times *times, int64_t now_ns, bool epoch_ended);

#endif
