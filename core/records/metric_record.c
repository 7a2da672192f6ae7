/* SPDX-License-Identifier: MIT */
#include "core/records/metric_record.h"
#include "core/rows/current_profiler.h"
#include "core/rows/measured.h"

#include <stdio.h>
#include <string.h>

static const int train_order[] = {SW_STEP, SW_DRAW,     SW_BATCH,    SW_FORWARD,
                                  SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
enum { TRAIN_ORDER = sizeof train_order / sizeof *train_order };

static void metric_add(struct swi_record *record, size_t room, const char *name, double value,
                       enum sw_origin by)
{
    size_t i = record->record.metrics.count;
    if (!name || i == room)
        return;
    record->metric[i] = (struct sw_metric){.name = name, .value = value, .by = by};
    record->record.metrics.count = i + 1;
}

static const char *column_name(struct swi_recorder *records, struct swi_rolling_column *column,
                               int which)
{
    static const char *const prefix[2] = {"throughput", "time_ms"};
    char name[SWI_NAME_MAX + 16];
    if (!column->name[which]) {
        snprintf(name, sizeof name, "%s/%s", prefix[which], sw_action_name(column->action));
        column->name[which] = swi_names_get(records->names, name, true);
        if (!column->name[which])
            swi_no_memory(records, "a metric's name");
    }
    return column->name[which];
}

/* Samples per tick of one action over the window: a ratio of means, as in fastxtend's Throughput.
 */
static double column_rate(const struct swi_rolling_window *window,
                          const struct swi_rolling_column *column)
{
    const struct swi_rolling_column *batch = swi_rolling_window_get(window, SW_BATCH);
    const struct swi_rolling_column *step = swi_rolling_window_get(window, SW_STEP);
    double samples = (double)window->samples;
    if (column->action == SW_DRAW)
        return -(samples / (double)batch->ticks - samples / (double)step->ticks);
    /* All calls of one step share its samples. */
    double mean_samples = samples / (double)window->length;
    return mean_samples * (double)column->steps / (double)column->ticks;
}

struct rolling {
    struct swi_recorder *records;
    struct swi_rolling_window *window;
    struct swi_record *record;
    size_t room;
    double ns_per_tick;
};

static void throughput_add(const struct rolling *to, struct swi_rolling_column *column)
{
    if (!column || !column->ticks || to->window->samples <= 0)
        return;
    double value = column_rate(to->window, column) / (to->ns_per_tick * 1e-9);
    metric_add(to->record, to->room, column_name(to->records, column, 0), value, SW_BY_PROFILER);
}

static void time_add(const struct rolling *to, struct swi_rolling_column *column)
{
    if (!column)
        return;
    double mean = (double)column->ticks / (double)column->calls;
    metric_add(to->record, to->room, column_name(to->records, column, 1),
               mean * to->ns_per_tick * 1e-6, SW_BY_PROFILER);
}

static bool is_standard(int action)
{
    for (int i = 0; i < TRAIN_ORDER; i++)
        if (train_order[i] == action)
            return true;
    return false;
}

static void columns_each(const struct rolling *to,
                         void (*add)(const struct rolling *, struct swi_rolling_column *))
{
    for (int i = 0; i < TRAIN_ORDER; i++)
        add(to, swi_rolling_window_get(to->window, train_order[i]));
    for (size_t i = 0; i < to->window->count; i++)
        if (!is_standard(to->window->column[i].action))
            add(to, swi_rolling_window_get(to->window, to->window->column[i].action));
}

static void rolling_add(struct swi_recorder *records, struct swi_rolling_window *window,
                        struct swi_record *record, size_t room)
{
    struct rolling to = {records, window, record, room, swi_clock_rate(&records->measured->clock)};
    columns_each(&to, throughput_add);
    columns_each(&to, time_add);
}

static void count_add(struct swi_recorder *records, struct swi_record *record, size_t room,
                      int action, int slot, double mean)
{
    char name[2 * SWI_NAME_MAX + 16];
    snprintf(name, sizeof name, "counters/%s/%s", sw_action_name(action),
             swi_counters_info(&records->measured->counters, slot)->name);
    const char *kept = swi_names_get(records->names, name, true);
    if (!kept)
        swi_no_memory(records, "a metric's name");
    metric_add(record, room, kept, mean, SW_BY_PROFILER);
}

/* Means per step of what each action used. */
static void counts_add(struct swi_recorder *records, const struct swi_rolling_counter_use *counts,
                       struct swi_record *record, size_t room)
{
    const struct swi_counters *counters = &records->measured->counters;
    double mean;
    for (size_t i = 0; i < counts->count; i++)
        for (int slot = 0; slot < swi_counters_count(counters); slot++)
            if (swi_counters_shows(counters, slot) &&
                swi_rolling_counter_use_get(counts, i, slot, counters, &mean))
                count_add(records, record, room, counts->item[i].action, slot, mean);
}

static void own_names_release(struct swi_record *record)
{
    swi_own_names_free(record->owned);
}

void swi_own_names_give(struct swi_record *record, struct swi_own_name *names)
{
    record->owned = names;
    record->release = own_names_release;
    for (; names; names = names->next)
        record->bytes += sizeof *names + strlen(names->text);
}

/* The logged values have been sent, or nobody wants them. */
static void values_reset(struct swi_values *values, struct swi_record *record)
{
    if (values->own_names && record)
        swi_own_names_give(record, values->own_names);
    else if (values->own_names)
        swi_own_names_free(values->own_names);
    values->own_names = NULL;
    values->count = 0;
}

void swi_recorder_metrics(struct swi_recorder *records, struct swi_values *values,
                          struct swi_rolling_window *rolling,
                          struct swi_rolling_counter_use *counts, int64_t step, int64_t tick)
{
    SWI_RARE_WORK(records->measured);
    const struct swi_thread *loop = atomic_load(&records->measured->loop);
    size_t room = values->count + (rolling ? 2 * rolling->count : 0) +
                  (counts ? swi_rolling_counter_use_size(counts) : 0);
    struct swi_record *record = swi_wants(records, SW_RECORD_METRICS)
                                    ? swi_recorder_make(records, SW_RECORD_METRICS, room, tick)
                                    : NULL;
    for (size_t i = 0; record && i < values->count; i++)
        metric_add(record, room, values->item[i].name, values->item[i].value, SW_BY_USER);
    values_reset(values, record);
    if (record) {
        if (rolling) {
            rolling_add(records, rolling, record, room);
            if (counts) {
                counts->steps = rolling->length; /* a thread may begin to count within a window */
                counts_add(records, counts, record, room);
            }
            record->record.samples_per_s = swi_samples_per_s(records->measured, loop, -1, 0, tick);
        }
        record->record.step = step;
        swi_recorder_push(records, record);
    }
    if (counts)
        swi_rolling_counter_use_reset(counts);
    values->sent_tick = tick;
}

/* Returns the kept copy of a name, or one that the record frees; NULL if out of memory. */
static const char *name_keep(struct swi_recorder *records, const char *name,
                             struct swi_own_name **own)
{
    const char *kept = swi_names_get(records->names, name, false);
    struct swi_own_name *copy = kept ? NULL : swi_own_name_new(name);
    if (copy) {
        copy->next = *own;
        *own = copy;
    } else if (!kept) {
        swi_no_memory(records, "a metric's name");
    }
    return copy ? copy->text : kept;
}

/* Tells the findings how much memory a fit uses. */
static void memory_note(struct swi_recorder *records, const struct sw_metric *values, size_t count,
                        int64_t tick)
{
    struct swi_measured *measured = records->measured;
    if (!atomic_load(&measured->progress.fit_open))
        return;
    double t_ns = (double)swi_clock_ns(&measured->clock, tick);
    for (size_t i = 0; i < count; i++)
        if (swi_memory_is_name(values[i].name))
            swi_memory_use_add(&measured->memory, SWI_GET(measured->progress.fit_number),
                               values[i].name, t_ns, values[i].value);
}

/* Whoever holds the fold lock may wait for this sample (core/monitors/monitors.c), and is folding.
 */
struct swi_sampled_at swi_sampled_now(const struct swi_recorder *records)
{
    struct swi_measured *measured = records->measured;
    struct swi_fold_lock *lock = swi_fold_try(measured);
    if (lock)
        lock->fold(lock->arg);
    swi_fold_give(lock);
    int64_t next = SWI_GET(measured->progress.step);
    return (struct swi_sampled_at){swi_clock_tick(&measured->clock), next > 0 ? next - 1 : 0};
}

void swi_recorder_sample(struct swi_recorder *records, const struct sw_metric *values, size_t count,
                         struct swi_sampled_at at)
{
    struct swi_own_name *own = NULL;
    size_t used = 0;
    if (swi_wants(records, SW_RECORD_FINDINGS))
        memory_note(records, values, count, at.tick);
    struct swi_record *record = count && swi_wants(records, SW_RECORD_MONITOR)
                                    ? swi_recorder_make(records, SW_RECORD_METRICS, count, at.tick)
                                    : NULL;
    if (!record)
        return;
    record->record.step = at.step;
    for (size_t i = 0; i < count; i++) {
        const char *name = name_keep(records, values[i].name, &own);
        if (name)
            record->metric[used++] = (struct sw_metric){name, values[i].value, SW_BY_MONITOR};
    }
    record->record.metrics.count = used;
    if (own)
        swi_own_names_give(record, own);
    if (used)
        swi_recorder_push(records, record);
    else
        swi_record_unref(record);
}
