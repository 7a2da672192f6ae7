/* SPDX-License-Identifier: MIT */
/* region_samples.h - which regions a run log with detail: regions has. At first it has all of them,
 * and from them the steps can be made. Once a point has several steps, it has the steps too, from
 * the end of a step on, and regions only as samples: those of the loop's thread in the first step
 * of each point, as a window (docs/windows.md).
 *
 * A record of a step comes before the regions of its thread up to there, and these come later, in
 * groups. So the lines of all other records wait until the last region of the beginning is there.
 */
#ifndef SINKS_RUNLOG_REGION_SAMPLES_H
#define SINKS_RUNLOG_REGION_SAMPLES_H

#include "core/text/buffer.h"
#include "sinks/common/runlog/counter_lines.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <stdbool.h>

/* A step that is stored as a sample. */
struct swi_region_sample {
    int64_t begin_ns, end_ns; /* INT64_MAX: it has not ended */
    int64_t step, next_step, epoch, train_steps, valid_steps;
    int64_t begun[SW_VALID + 1]; /* as in struct swi_region_samples */
};

/* Samples whose regions have not come yet: of more, the newest are left out. */
enum { SWI_SAMPLES_WAITING = 64 };

/* Initialise it as {0}; on: it is such a log. */
struct swi_region_samples {
    bool on;
    enum { SWI_ALL_REGIONS, SWI_LAST_REGIONS, SWI_SAMPLED_REGIONS } has;
    int64_t last_ns;                  /* the end of the last step whose regions are all there */
    int64_t next_step;                /* after it */
    int thread;                       /* the loop's */
    int64_t train_steps, valid_steps; /* of the epoch, train or valid */
    int64_t place;                    /* number of the newest point */
    bool due;                         /* it has no sample yet */
    size_t count;
    struct swi_region_sample sample[SWI_SAMPLES_WAITING];
    bool reached;   /* the regions before the first of them have come */
    bool inside;    /* its first region has come */
    int64_t depth;  /* of its open regions */
    int64_t number; /* of the window */
    struct swi_text waiting;
};

/* Returns whether lines of other records wait. */
static inline bool swi_region_samples_wait(const struct swi_region_samples *samples)
{
    return samples->has == SWI_LAST_REGIONS;
}

/* Notes a begin or an end of the loop. */
void swi_region_samples_mark(struct swi_region_samples *samples, const struct sw_region *region);

/* Notes a step. stride: how many steps are a point. begun: when fit, epoch, train and valid began;
 * -1 if not open. Returns whether all of its regions are stored, so that it is not. */
bool swi_region_samples_step(struct swi_region_samples *samples, const struct sw_record *record,
                             int64_t stride, const int64_t *begun);

/* Adds the lines of the regions that are stored, once there are others. */
void swi_region_samples_lines(struct swi_region_samples *samples, const struct sw_record *record,
                              struct swi_text *text, struct swi_log_counters *counters);

#endif
