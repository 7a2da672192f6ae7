/* SPDX-License-Identifier: MIT */
#include "tools/export/step_range.h"

#include "sinks/common/trace_formats/loop_steps.h"
#include "tools/export/log_timeline.h"

struct range {
    int64_t first, last;
    int64_t from_ns, upto_ns;
    bool found;
};

static void range_step(struct swi_timeline *t, struct swi_track *track,
                       const struct swi_timeline_step *step)
{
    struct range *range = t->arg;
    (void)track;
    if (step->phase != SW_PHASE_TRAIN || step->number < range->first || step->number > range->last)
        return;
    if (!range->found)
        range->from_ns = step->begin_ns;
    range->found = true;
    range->upto_ns = step->end_ns;
}

static void range_end(struct swi_timeline *t, struct swi_track *track,
                      struct swi_interval *interval)
{
    (void)t;
    (void)track;
    (void)interval;
}

static const struct swi_timeline_format range_format = {
    .name = "range", .end = range_end, .step = range_step};

int log_timeline_range(const char *path, struct log_timeline_head *head, int64_t first,
                       int64_t last, struct sw_error *err)
{
    struct swi_timeline_process *process = &head->process;
    struct range range = {.first = first, .last = last};
    struct swi_timeline t = {.format = &range_format, .arg = &range};
    struct log_timeline read;
    swi_timeline_start(&t);
    int rc = log_timeline_play(&t, path, head, &read, err);
    sw_error_free(&read.first_damage);
    int64_t steps = t.process_count ? t.process[0]->training_steps : 0;
    swi_timeline_free(&t);
    if (rc < 0)
        return rc;
    if (!range.found)
        return sw_error_set(err, SW_EINVAL,
                            "%s: has no training step %" PRId64 " to %" PRId64 ": it has %" PRId64
                            " steps, from 0",
                            path, first, last, steps);
    process->begin_ns = process->from_ns = range.from_ns;
    process->upto_ns = range.upto_ns > range.from_ns ? range.upto_ns : range.from_ns + 1;
    return 0;
}
