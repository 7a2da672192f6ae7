/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/loop_steps.h"

#include "sinks/common/trace_formats/tracks.h"

/* A span may have made the thread known before its first region. It has another name now. */
static void loop_take(struct swi_timeline *t, struct swi_track *track)
{
    track->is_loop = true;
    if (track->started) {
        swi_track_reset(track);
        swi_track_start(t, track);
    }
}

void swi_timeline_loop_find(struct swi_timeline *t, struct swi_track *track)
{
    struct swi_timeline_process *process = t->process[track->process];
    if (process->loop >= 0)
        return;
    process->loop = track->thread;
    loop_take(t, track);
}

void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread)
{
    if (t->process[process]->loop >= 0)
        return;
    t->process[process]->loop = thread;
    struct swi_track *track = swi_track_get(t, process, thread);
    if (track && !track->is_loop)
        loop_take(t, track);
}

bool swi_track_is_in_batch(const struct swi_track *track)
{
    for (size_t i = track->depth; i-- > 0;)
        if (track->frame[i].kind == SWI_KIND_BATCH)
            return true;
    return false;
}

static void step_begin(struct swi_timeline *t, struct swi_timeline_process *process,
                       int64_t time_ns)
{
    process->group = t->groups++;
    process->step_begin_ns = time_ns;
}

/* An epoch, train or valid that was open when the window began has steps from before. */
static void steps_restart(struct swi_timeline_process *process, int which)
{
    process->epoch_steps[which] = process->steps_before[which];
}

static void epoch_begin(struct swi_timeline_process *process)
{
    process->epoch = process->epochs++;
    for (int i = 0; i < SWI_STEP_KINDS; i++) {
        if (process->epoch != process->first_epoch)
            process->steps_before[i] = 0;
        steps_restart(process, i);
    }
}

static void phase_begin(struct swi_timeline_process *process, enum swi_kind kind)
{
    int which = kind == SWI_KIND_TRAIN ? SWI_TRAIN_STEPS : SWI_VALID_STEPS;
    steps_restart(process, which);
    process->steps_before[which] = 0;
}

void swi_timeline_step_follow(struct swi_timeline *t, struct swi_track *track,
                              struct swi_interval *interval)
{
    struct swi_timeline_process *process = t->process[track->process];
    if (interval->kind == SWI_KIND_TRAIN || interval->kind == SWI_KIND_VALID)
        phase_begin(process, interval->kind);
    if (interval->kind == SWI_KIND_EPOCH) {
        epoch_begin(process);
        interval->epoch = process->epoch;
    }
    if (interval->kind <= SWI_KIND_VALID && interval->kind != SWI_KIND_OTHER)
        process->group = -1;
    bool begins =
        interval->kind == SWI_KIND_DRAW || (interval->kind == SWI_KIND_BATCH && process->group < 0);
    if (begins && !swi_track_is_in_batch(track))
        step_begin(t, process, interval->begin_ns);
    interval->group = process->group;
}

void swi_timeline_step_end(struct swi_timeline *t, struct swi_track *track,
                           struct swi_interval *interval)
{
    struct swi_timeline_process *process = t->process[track->process];
    bool train = interval->phase == SW_PHASE_TRAIN;
    int64_t *in_epoch = &process->epoch_steps[train ? SWI_TRAIN_STEPS : SWI_VALID_STEPS];
    struct swi_timeline_step step = {.begin_ns = process->step_begin_ns,
                                     .end_ns = interval->end_ns,
                                     .phase = interval->phase,
                                     .epoch = process->epoch < 0 ? 0 : process->epoch,
                                     .in_epoch = *in_epoch,
                                     .group = process->group};
    process->group = -1;
    if (interval->cancelled)
        return;
    step.number = train ? process->training_steps++ : *in_epoch;
    ++*in_epoch;
    interval->step = step.number;
    if (t->format->step && !interval->skipped)
        t->format->step(t, track, &step);
}

void swi_timeline_place_set(struct swi_timeline *t, int process,
                            const struct swi_timeline_place *place)
{
    struct swi_timeline_process *set = t->process[process];
    set->training_steps = place->step;
    set->epochs = place->epoch < 0 ? set->epochs : place->epoch;
    set->first_epoch = set->epochs;
    set->epoch_steps[SWI_TRAIN_STEPS] = set->steps_before[SWI_TRAIN_STEPS] = place->train_steps;
    set->epoch_steps[SWI_VALID_STEPS] = set->steps_before[SWI_VALID_STEPS] = place->valid_steps;
}
