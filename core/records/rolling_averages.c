/* SPDX-License-Identifier: MIT */
#include "core/records/metric_record.h"
#include "core/rows/measured.h"

#include <math.h>
#include <stdio.h>

static const int train_order[] = {SW_STEP, SW_DRAW,     SW_BATCH,    SW_FORWARD,
                                  SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
enum { TRAIN_ORDER = sizeof train_order / sizeof *train_order };

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
    swi_metric_add(to->record, to->room, column_name(to->records, column, 0), value,
                   SW_BY_PROFILER);
}

static void time_add(const struct rolling *to, struct swi_rolling_column *column)
{
    if (!column)
        return;
    double mean = (double)column->ticks / (double)column->calls;
    swi_metric_add(to->record, to->room, column_name(to->records, column, 1),
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

static void count_add(const struct rolling *to, int action, int slot, double mean)
{
    char name[2 * SWI_NAME_MAX + 16];
    snprintf(name, sizeof name, "counters/%s/%s", sw_action_name(action),
             swi_counters_info(&to->records->measured->counters, slot)->name);
    const char *kept = swi_names_get(to->records->names, name, true);
    if (!kept)
        swi_no_memory(to->records, "a metric's name");
    swi_metric_add(to->record, to->room, kept, mean, SW_BY_PROFILER);
}

static void counts_add(const struct rolling *to)
{
    const struct swi_counters *counters = &to->records->measured->counters;
    for (size_t i = 0; i < to->window->counted; i++) {
        const struct swi_rolling_column *column =
            &to->window->column[to->window->counted_column[i]];
        for (int slot = 0; slot < swi_counters_count(counters); slot++) {
            double mean = swi_rolling_use_mean(to->window, column->use, slot, counters);
            if (swi_counters_shows(counters, slot) && !isnan(mean))
                count_add(to, column->action, slot, mean);
        }
    }
}

void swi_rolling_averages_add(struct swi_recorder *records, struct swi_rolling_window *window,
                              struct swi_record *record, size_t room)
{
    struct rolling to = {records, window, record, room, swi_clock_rate(&records->measured->clock)};
    columns_each(&to, throughput_add);
    columns_each(&to, time_add);
    counts_add(&to);
}
