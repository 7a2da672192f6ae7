/* SPDX-License-Identifier: MIT */
#include "core/records/rolling_average.h"
#include "core/rows/action.h"
#include "core/rows/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool swi_rolling_window_init(struct swi_rolling_window *window, int64_t length, int64_t lead)
{
    *window = (struct swi_rolling_window){.length = length, .lead = lead, .left = lead};
    window->column = calloc(SWI_ROLLING_COLUMNS, sizeof *window->column);
    window->index = calloc(SWI_ACTIONS, sizeof *window->index);
    return window->column && window->index;
}

void swi_rolling_window_fini(struct swi_rolling_window *window)
{
    for (size_t i = 0; i < window->count; i++)
        free(window->column[i].use);
    free(window->column);
    free(window->index);
}

/* Begins the next window. */
static void window_next(struct swi_rolling_window *window)
{
    window->left = window->length;
    window->samples = 0;
    for (size_t i = 0; i < window->count; i++) {
        struct swi_rolling_column *column = &window->column[i];
        column->ticks = column->calls = column->steps = 0;
        if (column->use)
            *column->use = (struct swi_rolling_use){.has = {0}};
    }
}

void swi_rolling_window_reset(struct swi_rolling_window *window)
{
    window_next(window);
    window->pushed = 0;
    window->left = window->lead;
    for (size_t i = 0; i < window->count; i++)
        window->column[i].step = -1;
}

/* Columns beyond those that exist are not touched, so they take no memory. */
static int16_t column_new(struct swi_rolling_window *window, int action)
{
    if (window->count == SWI_ROLLING_COLUMNS)
        return 0;
    window->column[window->count++] = (struct swi_rolling_column){.action = action, .step = -1};
    return (int16_t)window->count;
}

/* Returns the column of an action, which all its shapes share; NULL if there are too many. */
static struct swi_rolling_column *column_of(struct swi_rolling_window *window, int action)
{
    int16_t *index = &window->index[action], *base = &window->index[swi_action_base(action)];
    if (!*index && !*base)
        *base = column_new(window, swi_action_base(action));
    *index = *base;
    return *index ? &window->column[*index - 1] : NULL;
}

/* ---- the steps are added up ------------------------------------------------------------------ */

__extension__ typedef __int128 wide;

/* Returns the share that some of the steps have in a sum. */
static int64_t share_of(const struct swi_step *step, int64_t sum, int64_t some)
{
    return some == step->times ? sum : (int64_t)((wide)sum * some / step->times);
}

/* Adds a call of each of some steps. It is dropped if there are too many actions. ticks: of all. */
static void call_add(struct swi_rolling_window *window, int action, int64_t ticks, int64_t some)
{
    struct swi_rolling_column *column = column_of(window, action);
    if (!column)
        return;
    column->steps += column->step != window->pushed ? some : 0;
    column->step = window->pushed;
    column->ticks += ticks;
    column->calls += some;
}

/* The window contains only outermost calls, because the others lie within them. some: how many of
 * the steps that the step stands for. */
static void calls_add(struct swi_rolling_window *window, const struct swi_step *step, int64_t some)
{
    const struct swi_ended *const end = step->ended + step->count;
    for (const struct swi_ended *region = step->ended + step->first; region < end; region++)
        if (!region->row->is_inner)
            call_add(window, region->row->action,
                     share_of(step, region->ticks > 0 ? region->ticks : 0, some), some);
    int64_t draw = share_of(step, step->draw, some);
    call_add(window, SW_STEP, swi_ticks_sum(draw, share_of(step, step->batch, some)), some);
    call_add(window, SW_DRAW, draw, some);
}

/* Returns NULL if out of memory, or if there are too many actions. */
static struct swi_rolling_use *use_of(struct swi_rolling_window *window, int action)
{
    SWI_OWN_MEMORY;
    struct swi_rolling_column *column = column_of(window, action);
    if (column && !column->use && (column->use = calloc(1, sizeof *column->use)))
        window->counted_column[window->counted++] = (int16_t)(column - window->column);
    return column ? column->use : NULL;
}

/* Adds what region number i used of the counters, under an action. */
static void uses_add(struct swi_rolling_window *window, const struct swi_counting *counting,
                     const struct swi_step *step, uint32_t i, int action, int64_t some)
{
    struct swi_rolling_use *use = use_of(window, action);
    for (int slot = 0; use && slot < counting->active; slot++) {
        int64_t total, self;
        if (!swi_counter_use_of_ended(counting, i, slot, &total, &self) || total == SW_COUNTER_NONE)
            continue;
        if (swi_counters_kind(counting->counters, slot) == SW_COUNTER_SUM)
            use->sum[slot] = swi_ticks_sum(use->sum[slot], share_of(step, total, some));
        else if (total > use->sum[slot])
            use->sum[slot] = total;
        use->has[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

static void counters_add(struct swi_rolling_window *window, const struct swi_counting *counting,
                         const struct swi_step *step, int64_t some)
{
    for (uint32_t i = step->from; i < step->count; i++) {
        const struct swi_row *row = step->ended[i].row;
        bool drawn = swi_step_is_drawn(step, i);
        bool part = i + 1 == step->count || (i < step->first && !drawn);
        if (!drawn && !row->is_inner)
            uses_add(window, counting, step, i, row->action, some);
        if (part)
            uses_add(window, counting, step, i, SW_STEP, some);
    }
}

void swi_rolling_use_look(struct swi_rolling_window *window, int slot)
{
    for (size_t i = 0; i < window->counted; i++) {
        struct swi_rolling_use *use = window->column[window->counted_column[i]].use;
        if (use->sum[slot] < 0)
            use->full[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

/* Adds some of the steps, at most as many as are left. Returns whether the window is full with
 * them. */
static bool window_take(struct swi_rolling_window *window, const struct swi_thread *thread,
                        const struct swi_step *step, int64_t some)
{
    /* Limits values so that the sum over a window stays finite. */
    const int64_t most = INT64_C(1) << 40;
    int64_t samples = share_of(step, step->samples > 0 ? step->samples : 0, some);
    calls_add(window, step, some);
    if (thread->counting)
        counters_add(window, thread->counting, step, some);
    window->pushed += some;
    window->samples += samples < most ? samples : most;
    window->left -= some;
    return window->left == 0;
}

/* Of steps that are alike, only the last window that they fill is logged. full: set to whether
 * there is one. Returns how many steps are left for the window after it. */
static int64_t windows_take(struct swi_rolling_window *window, const struct swi_thread *thread,
                            const struct swi_step *step, bool *full)
{
    int64_t some = step->times < window->left ? step->times : window->left;
    *full = window_take(window, thread, step, some);
    int64_t rest = step->times - some, length = window->length;
    if (__builtin_expect(rest < length, 1))
        return rest;
    window_next(window);
    window->pushed += rest / length * length - length;
    *full = window_take(window, thread, step, length);
    return rest % length;
}

/* ---- the averages ---------------------------------------------------------------------------- */

/* The record that is made. */
struct rolling {
    struct swi_recorder *records;
    struct swi_rolling_window *window;
    struct swi_record *record;
    size_t room;
    double ns_per_tick;
};

/* name: NULL adds nothing. */
static void metric_add(const struct rolling *to, const char *name, double value, enum sw_origin by)
{
    size_t i = to->record->record.metrics.count;
    if (!name || i == to->room)
        return;
    to->record->metric[i] = (struct sw_metric){.name = name, .value = value, .by = by};
    to->record->record.metrics.count = i + 1;
}

static const int train_order[] = {SW_STEP, SW_DRAW,     SW_BATCH,    SW_FORWARD,
                                  SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
enum { TRAIN_ORDER = sizeof train_order / sizeof *train_order };

/* Returns the column of an action that has calls in the window, or NULL. */
static struct swi_rolling_column *column_get(const struct swi_rolling_window *window, int action)
{
    int16_t index = window->index[action];
    struct swi_rolling_column *column = index ? &window->column[index - 1] : NULL;
    return column && column->calls ? column : NULL;
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
    const struct swi_rolling_column *batch = column_get(window, SW_BATCH);
    const struct swi_rolling_column *step = column_get(window, SW_STEP);
    double samples = (double)window->samples;
    if (column->action == SW_DRAW)
        return -(samples / (double)batch->ticks - samples / (double)step->ticks);
    /* All calls of one step share its samples. */
    double mean_samples = samples / (double)window->length;
    return mean_samples * (double)column->steps / (double)column->ticks;
}

static void throughput_add(const struct rolling *to, struct swi_rolling_column *column)
{
    if (!column || !column->ticks || to->window->samples <= 0)
        return;
    if (column->action == SW_DRAW && !column_get(to->window, SW_BATCH)->ticks)
        return;
    double value = column_rate(to->window, column) / (to->ns_per_tick * 1e-9);
    metric_add(to, column_name(to->records, column, 0), value, SW_BY_PROFILER);
}

static void time_add(const struct rolling *to, struct swi_rolling_column *column)
{
    if (!column)
        return;
    double mean = (double)column->ticks / (double)column->calls;
    metric_add(to, column_name(to->records, column, 1), mean * to->ns_per_tick * 1e-6,
               SW_BY_PROFILER);
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
        add(to, column_get(to->window, train_order[i]));
    for (size_t i = 0; i < to->window->count; i++)
        if (!is_standard(to->window->column[i].action))
            add(to, column_get(to->window, to->window->column[i].action));
}

/* How many means of counters there are. */
static size_t means_count(const struct swi_rolling_window *window)
{
    size_t count = 0;
    for (size_t i = 0; i < window->counted; i++) {
        const struct swi_rolling_use *use = window->column[window->counted_column[i]].use;
        count += (size_t)(__builtin_popcountll(use->has[0]) + __builtin_popcountll(use->has[1]));
    }
    return count;
}

/* Returns the mean of a slot per step, or of a peak the largest; NAN: not known. */
static double mean_of(const struct swi_rolling_window *window, const struct swi_rolling_use *use,
                      int slot, const struct swi_counters *counters)
{
    uint64_t known = use->has[slot / 64] & ~use->full[slot / 64];
    if (!(known >> slot % 64 & 1))
        return NAN;
    bool peak = swi_counters_kind(counters, slot) != SW_COUNTER_SUM;
    double sum = swi_counters_may_fall(counters, slot) ? (double)use->sum[slot]
                                                       : (double)(uint64_t)use->sum[slot];
    return peak ? sum : sum / (double)window->length;
}

static void count_add(const struct rolling *to, int action, int slot, double mean)
{
    char name[2 * SWI_NAME_MAX + 16];
    snprintf(name, sizeof name, "counters/%s/%s", sw_action_name(action),
             swi_counters_info(&to->records->measured->counters, slot)->name);
    const char *interned = swi_names_get(to->records->names, name, true);
    if (!interned)
        swi_no_memory(to->records, "a metric's name");
    metric_add(to, interned, mean, SW_BY_PROFILER);
}

static void counts_add(const struct rolling *to)
{
    const struct swi_counters *counters = &to->records->measured->counters;
    for (size_t i = 0; i < to->window->counted; i++) {
        const struct swi_rolling_column *column =
            &to->window->column[to->window->counted_column[i]];
        for (int slot = 0; slot < swi_counters_count(counters); slot++) {
            double mean = mean_of(to->window, column->use, slot, counters);
            if (swi_counters_shows(counters, slot) && !isnan(mean))
                count_add(to, column->action, slot, mean);
        }
    }
}

static void averages_add(const struct rolling *to)
{
    columns_each(to, throughput_add);
    columns_each(to, time_add);
    counts_add(to);
}

/* ---- records --------------------------------------------------------------------------------- */

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

/* Sends the values, and the averages of a window if there is one. */
static void metrics_send(struct swi_recorder *records, struct swi_values *values,
                         struct swi_rolling_window *window, int64_t step, int64_t tick)
{
    SWI_RARE_WORK(records->measured);
    const struct swi_thread *loop = atomic_load(&records->measured->loop);
    size_t room = values->count + (window ? 2 * window->count + means_count(window) : 0);
    struct swi_record *record = swi_wants(records, SW_RECORD_METRICS)
                                    ? swi_recorder_make(records, SW_RECORD_METRICS, room, tick)
                                    : NULL;
    const struct rolling to = {records, window, record, room,
                               swi_clock_rate(&records->measured->clock)};
    for (size_t i = 0; record && i < values->count; i++)
        metric_add(&to, values->item[i].name, values->item[i].value, SW_BY_USER);
    values_reset(values, record);
    if (record && window) {
        averages_add(&to);
        record->record.samples_per_s = swi_samples_per_s(records->measured, loop, -1, 0, tick);
    }
    if (record) {
        record->record.step = step;
        swi_recorder_push(records, record);
    }
    values->sent_tick = tick;
}

void swi_recorder_values(struct swi_recorder *records, struct swi_values *values, int64_t step,
                         int64_t tick)
{
    if (values->count)
        metrics_send(records, values, NULL, step, tick);
}

/* A window is logged after training batch k when k - drop is a positive multiple of its length. */
void swi_rolling_average_step(struct swi_recorder *records, struct swi_rolling_window *window,
                              struct swi_values *values, const struct swi_thread *thread,
                              const struct swi_step *step)
{
    bool full;
    int64_t rest = windows_take(window, thread, step, &full);
    bool due = full && window->pushed > window->lead;
    if (due || values->count)
        metrics_send(records, values, due ? window : NULL, step->number, step->end);
    if (full)
        window_next(window);
    if (__builtin_expect(rest > 0, 0))
        window_take(window, thread, step, rest);
}
