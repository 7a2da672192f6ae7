/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/lines.h"

#include "sinks/common/runlog/line_fields.h"

#include <string.h>

void swi_region_line(struct swi_text *text, const struct sw_region *region, size_t size,
                     int64_t window, struct swi_log_counters *counters)
{
    static const char *const type[] = {"begin", "end", "cancel", "cancel"};
    if (region->use_count && counters)
        swi_log_counters_name_region(text, counters, region);
    swi_line_begin_at(text, type[region->event], region->time_ns);
    swi_field_string(text, "action", region->action);
    if (SW_HAS(size, region, shape) && *region->shape)
        swi_field_string(text, "shape", region->shape);
    if (region->event == SW_REGION_DISCARD)
        swi_field_bool(text, "left_open", true);
    if (region->thread)
        swi_field_integer(text, "thread", region->thread);
    if (region->samples >= 0)
        swi_field_integer(text, "samples", region->samples);
    if (SW_HAS(size, region, step) && region->step >= 0)
        swi_field_integer(text, "step", region->step);
    if (window >= 0)
        swi_field_integer(text, "window", window);
    if (counters && counters->count && region->event <= SW_REGION_END)
        swi_log_counters_of_region(text, counters, region);
    swi_line_end(text);
}

/* Where the window begins, so that its steps get their numbers within the epoch. */
static void place_add(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_window *window = record->window;
    swi_field_integer(text, "epoch", record->epoch);
    if (!SW_HAS(window->size, window, valid_steps))
        return;
    swi_field_integer(text, "train_steps", window->train_steps);
    swi_field_integer(text, "valid_steps", window->valid_steps);
}

void swi_window_line(struct swi_text *text, const struct sw_record *record)
{
    static const char *const reasons[] = {"run", "schedule", "capture"};
    const struct sw_window *window = record->window;
    swi_line_begin_at(text, window->open ? "window_begin" : "window_end",
                      window->open ? window->begin_ns : window->end_ns);
    swi_field_integer(text, "window", window->number);
    if (window->open) {
        swi_field_string(text, "reason", reasons[window->reason]);
        swi_field_integer(text, "step", window->first_step);
        place_add(text, record);
    } else {
        swi_field_integer(text, "step", window->next_step);
        swi_field_bool(text, "cut", window->cut);
    }
    swi_line_end(text);
}

void swi_note_line(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "note", record->time_ns);
    swi_field_integer(text, "step", record->step);
    swi_field_string(text, "text", record->note->text);
    if (record->note->thread)
        swi_field_integer(text, "thread", record->note->thread);
    swi_line_end(text);
}

void swi_span_line(struct swi_text *text, const struct sw_span *span)
{
    swi_line_begin_at(text, span->open ? "span_begin" : "span_end",
                      span->open ? span->begin_ns : span->end_ns);
    swi_field_integer(text, "id", span->id);
    swi_field_string(text, "action", span->action);
    if (span->thread)
        swi_field_integer(text, "thread", span->thread);
    swi_line_end(text);
}

void swi_pause_line(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, record->pause->paused ? "pause" : "resume", record->time_ns);
    if (record->pause->thread)
        swi_field_integer(text, "thread", record->pause->thread);
    swi_line_end(text);
}

void swi_lost_line(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "lost", record->time_ns);
    swi_field_integer(text, "metrics", record->lost->metrics);
    swi_field_integer(text, "steps", record->lost->steps);
    swi_field_integer(text, "regions", record->lost->regions);
    if (SW_HAS(record->lost->size, record->lost, spans) && record->lost->spans)
        swi_field_integer(text, "spans", record->lost->spans);
    swi_line_end(text);
}

/* Adds what the text has between two places once more. */
static void repeat(struct swi_text *text, size_t from, size_t to)
{
    size_t size = to - from;
    if (!swi_text_reserve(text, size))
        return;
    memcpy(text->data + text->size, text->data + from, size);
    text->size += size;
    text->data[text->size] = '\0';
}

/* What the value is the mean of. */
static void thinned_add(struct swi_text *text, const struct swi_thinned *thinned)
{
    swi_field_integer(text, "count", thinned->count);
    if (thinned->count) {
        swi_field_number(text, "min", thinned->min);
        swi_field_number(text, "max", thinned->max);
    }
    if (thinned->nonfinite)
        swi_field_integer(text, "nonfinite", thinned->nonfinite);
}

static void metric_end(struct swi_text *text, const struct sw_record *record, size_t i,
                       const struct swi_thinning *thinning)
{
    const struct sw_metric *metric = sw_record_metric(record, i);
    const struct swi_thinned *thinned = swi_thinned_of(thinning, record, i);
    swi_field_string(text, "name", metric->name);
    swi_field_number(text, "value", metric->value);
    if (thinned)
        thinned_add(text, thinned);
    if (metric->by == SW_BY_PROFILER)
        swi_field_by_profiler(text);
    else if (metric->by == SW_BY_MONITOR)
        swi_field_string(text, "by", "monitor");
    if (record->step_source != SW_STEP_OF_LOOP)
        swi_field_bool(text, "own_step", true);
    swi_line_end(text);
}

/* All lines begin alike. */
void swi_metric_lines(struct swi_text *text, const struct sw_record *record, bool own,
                      const struct swi_thinning *thinning)
{
    size_t from = text->size, to = from;
    for (size_t i = 0; i < record->metrics.count; i++) {
        if (sw_record_metric(record, i)->by == SW_BY_PROFILER && !own)
            continue;
        if (to > from) {
            repeat(text, from, to);
        } else {
            swi_line_begin_at(text, "metric", record->time_ns);
            swi_field_integer(text, "step", record->step);
            to = text->size;
        }
        metric_end(text, record, i, thinning);
    }
}
