/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/region_samples.h"

#include "sinks/common/runlog/line_fields.h"
#include "sinks/common/runlog/lines.h"

#include <string.h>

/* ---- steps ----------------------------------------------------------------------------------- */

static struct swi_region_sample *not_ended(struct swi_region_samples *samples)
{
    struct swi_region_sample *newest = samples->count ? &samples->sample[samples->count - 1] : NULL;
    return newest && newest->end_ns == INT64_MAX ? newest : NULL;
}

/* A sample is of one epoch, train or valid. */
void swi_region_samples_mark(struct swi_region_samples *samples, const struct sw_region *region)
{
    struct swi_region_sample *sample = not_ended(samples);
    if (sample && samples->count == 1 && samples->inside) {
        sample->end_ns = region->time_ns;
    } else if (sample) {
        samples->count--;
        samples->reached = samples->reached && samples->count;
    }
    samples->thread = region->thread;
    if (region->action_id == SW_TRAIN || region->action_id == SW_EPOCH)
        samples->train_steps = 0;
    if (region->action_id == SW_VALID || region->action_id == SW_EPOCH)
        samples->valid_steps = 0;
}

static void sample_begin(struct swi_region_samples *samples, const struct sw_record *record,
                         const int64_t *begun)
{
    struct swi_region_sample *sample = &samples->sample[samples->count++];
    *sample = (struct swi_region_sample){.begin_ns = record->time_ns,
                                         .end_ns = INT64_MAX,
                                         .step = record->step + 1,
                                         .epoch = record->epoch,
                                         .train_steps = samples->train_steps,
                                         .valid_steps = samples->valid_steps};
    memcpy(sample->begun, begun, sizeof sample->begun);
}

bool swi_region_samples_step(struct swi_region_samples *samples, const struct sw_record *record,
                             int64_t stride, const int64_t *begun)
{
    bool train = record->step_done->phase == SW_PHASE_TRAIN, all = samples->has == SWI_ALL_REGIONS;
    bool done = record->step_done->samples >= 0;
    int64_t next = record->step + train, place = next / stride;
    struct swi_region_sample *sample = not_ended(samples);
    samples->train_steps += train && done;
    samples->valid_steps += !train && done;
    if (all && stride > 1) {
        samples->has = SWI_LAST_REGIONS;
        samples->last_ns = record->time_ns;
        samples->next_step = next;
        samples->place = place;
    }
    if (all)
        return true;
    if (sample) {
        sample->end_ns = record->time_ns;
        sample->next_step = next;
        samples->due = false;
    }
    samples->due = samples->due || place != samples->place;
    samples->place = place;
    if (train && samples->due && samples->count < SWI_SAMPLES_WAITING)
        sample_begin(samples, record, begun);
    return false;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void window_end(struct swi_region_samples *samples, struct swi_text *text, int64_t time_ns,
                       int64_t next_step)
{
    swi_line_begin_at(text, "window_end", time_ns);
    swi_field_integer(text, "window", samples->number++);
    swi_field_integer(text, "step", next_step);
    swi_field_bool(text, "cut", false);
    swi_line_end(text);
}

/* What is open begins with the window. */
static void window_begin(struct swi_region_samples *samples, struct swi_text *text)
{
    static const char *const names[] = {"fit", "epoch", "train", "valid"};
    const struct swi_region_sample *sample = samples->sample;
    swi_line_begin_at(text, "window_begin", sample->begin_ns);
    swi_field_integer(text, "window", samples->number);
    swi_field_string(text, "reason", "sample");
    swi_field_integer(text, "step", sample->step);
    swi_field_integer(text, "epoch", sample->epoch);
    swi_field_integer(text, "train_steps", sample->train_steps);
    swi_field_integer(text, "valid_steps", sample->valid_steps);
    swi_line_end(text);
    for (int action = SW_FIT; action <= SW_VALID; action++) {
        const struct sw_region open = {.time_ns = sample->begin_ns,
                                       .event = SW_REGION_BEGIN,
                                       .action = names[action],
                                       .thread = samples->thread,
                                       .samples = -1,
                                       .shape = "",
                                       .step = -1};
        if (sample->begun[action] >= 0)
            swi_lines_region(text, &open, sizeof open, samples->number, NULL);
    }
    samples->inside = true;
}

static void sample_end(struct swi_region_samples *samples, struct swi_text *text)
{
    if (samples->inside)
        window_end(samples, text, samples->sample->end_ns, samples->sample->next_step);
    samples->reached = samples->inside = false;
    memmove(samples->sample, samples->sample + 1, --samples->count * sizeof *samples->sample);
}

/* An end whose begin was before the window has no line, and a window without regions has none. */
static void sampled_line(struct swi_region_samples *samples, const struct sw_region *region,
                         size_t stride, struct swi_text *text, struct swi_log_counters *counters)
{
    bool begins = region->event == SW_REGION_BEGIN;
    if (!samples->reached || (!begins && samples->depth == 0))
        return;
    if (!samples->inside)
        window_begin(samples, text);
    samples->depth += begins ? 1 : -1;
    swi_lines_region(text, region, stride, samples->number, counters);
}

static bool is_step_end(const struct sw_region *region, int64_t time_ns)
{
    return region->action_id == SW_BATCH && region->event != SW_REGION_BEGIN &&
           region->time_ns == time_ns;
}

/* A region of the loop's thread, in their order. */
static void sampled_take(struct swi_region_samples *samples, const struct sw_region *region,
                         size_t stride, struct swi_text *text, struct swi_log_counters *counters)
{
    while (samples->count && region->time_ns > samples->sample->end_ns)
        sample_end(samples, text);
    sampled_line(samples, region, stride, text, counters);
    if (samples->reached && is_step_end(region, samples->sample->end_ns))
        sample_end(samples, text);
    if (samples->count && !samples->reached && is_step_end(region, samples->sample->begin_ns)) {
        samples->reached = true;
        samples->depth = 0;
    }
}

/* Ends the part with all regions, as a window that the log began with. */
static void last_end(struct swi_region_samples *samples, struct swi_text *text)
{
    window_end(samples, text, samples->last_ns, samples->next_step);
    samples->has = SWI_SAMPLED_REGIONS;
    swi_text_add(text, samples->waiting.data ? samples->waiting.data : "", samples->waiting.size);
    swi_text_free(&samples->waiting);
}

void swi_region_samples_lines(struct swi_region_samples *samples, const struct sw_record *record,
                              struct swi_text *text, struct swi_log_counters *counters)
{
    size_t stride = record->regions.stride;
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        bool loop = region->thread == samples->thread;
        bool last = region->time_ns <= samples->last_ns;
        if (loop && swi_region_samples_wait(samples) && !last)
            last_end(samples, text);
        if (swi_region_samples_wait(samples) && (loop || last)) {
            swi_lines_region(text, region, stride, -1, counters);
            if (loop && is_step_end(region, samples->last_ns))
                last_end(samples, text);
        } else if (loop) {
            sampled_take(samples, region, stride, text, counters);
        }
    }
}
