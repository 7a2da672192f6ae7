/* SPDX-License-Identifier: MIT */
/* Makes records of what was measured and hands them to the pipeline. */
#include "core/rows/action.h"
#include "core/loop/state.h"

#include <stdlib.h>
#include <string.h>

bool swi_wants(const struct sw_profiler *sw, enum sw_record_type type)
{
    return sw->pipeline && (swi_pipeline_wants(sw->pipeline) & SW_WANT(type));
}

void swi_no_memory(struct sw_profiler *sw, const char *what)
{
    if (atomic_fetch_add(&sw->unmade, 1) > 0)
        return;
    atomic_store(&sw->unmade_first, what);
    swi_say(&sw->messages, SW_ERROR,
            "out of memory: %s was dropped; the total is reported at close", what);
}

struct swi_record *swi_emit_new(struct sw_profiler *sw, enum sw_record_type type, size_t metrics,
                                int64_t tick)
{
    struct swi_record *record = swi_record_new(&sw->pool, type, metrics);
    if (!record) {
        swi_no_memory(sw, "a record");
        return NULL;
    }
    struct sw_record *r = &record->record;
    struct swi_thread *loop = atomic_load(&sw->loop);
    int64_t next = SWI_GET(sw->step);
    r->time_ns = swi_clock_ns(&sw->clock, tick);
    r->wall_s = sw->run.started_s + (double)r->time_ns * 1e-9;
    r->step = next > 0 ? next - 1 : 0;
    r->steps_expected = SWI_GET(sw->expected);
    r->epoch = SWI_GET(sw->epochs);
    r->fit = SWI_GET(sw->fit_number);
    r->phase = loop && loop == swi_current.thread ? loop->phase : SW_PHASE_FIT;
    return record;
}

static void push(struct sw_profiler *sw, struct swi_record *record)
{
    swi_pipeline_push(sw->pipeline, record);
}

/* Memory inside of a record, in the room for metrics that it was made with. */
static void *record_room(struct swi_record *record)
{
    return record->metric;
}

/* How many metrics take as much room. */
static size_t metrics_of(size_t size)
{
    return (size + sizeof(struct sw_metric) - 1) / sizeof(struct sw_metric);
}

/* ---- marks and pauses ---------------------------------------------------------------------------
 */

void swi_emit_mark(struct sw_profiler *sw, enum sw_region_event event, int action, int64_t tick)
{
    if (!swi_wants(sw, SW_RECORD_MARK))
        return;
    SWI_PIECE(sw);
    struct swi_record *record = swi_emit_new(sw, SW_RECORD_MARK, SWI_POOL_FEW, tick);
    if (!record)
        return;
    const struct swi_thread *loop = atomic_load(&sw->loop);
    struct sw_region *region = record_room(record);
    *region = (struct sw_region){.time_ns = record->record.time_ns,
                                 .event = event,
                                 .phase = SW_PHASE_FIT,
                                 .action = sw_action_name(action),
                                 .action_id = action,
                                 .thread = loop ? loop->number : 0,
                                 .samples = -1};
    record->record.regions.item = region;
    record->record.regions.count = 1;
    push(sw, record);
}

void swi_emit_pause(struct sw_profiler *sw, struct swi_thread *thread, bool paused, int64_t tick)
{
    if (!swi_wants(sw, SW_RECORD_PAUSE))
        return;
    SWI_PIECE(sw);
    struct swi_record *record = swi_emit_new(sw, SW_RECORD_PAUSE, SWI_POOL_FEW, tick);
    if (!record)
        return;
    struct sw_pause *pause = record_room(record);
    *pause = (struct sw_pause){.size = sizeof *pause, .paused = paused, .thread = thread->number};
    record->record.pause = pause;
    push(sw, record);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

/* A step's own regions: its draws, and from `first` all that ended in its batch. */
static bool of_step(const struct swi_ended *ended, uint32_t i, uint32_t first)
{
    return i >= first || SWI_GET(ended[i].row)->action == SW_DRAW;
}

static size_t parts_count(const struct swi_ended *ended, uint32_t first, uint32_t count)
{
    size_t parts = 0;
    for (uint32_t i = 0; i < count; i++)
        parts += of_step(ended, i, first);
    return parts;
}

/* What began on another CPU may have ended some ticks before. */
static int64_t duration_ns(int64_t ticks, double rate)
{
    return ticks > 0 ? (int64_t)((double)ticks * rate + 0.5) : 0;
}

static void parts_fill(struct sw_step_part *part, const struct swi_ended *ended, uint32_t first,
                       uint32_t count, double rate)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!of_step(ended, i, first))
            continue;
        const struct swi_row *row = SWI_GET(ended[i].row);
        *part++ = (struct sw_step_part){.action = sw_action_name(row->action),
                                        .action_id = row->action,
                                        .inner = row->is_inner,
                                        .duration_ns = duration_ns(SWI_GET(ended[i].ticks), rate)};
    }
}

/* Samples per second of the phase so far, with all that lies between the steps, and the step that
 * ends now. */
static double overall(struct sw_profiler *sw, const struct swi_thread *thread, int64_t samples,
                      int64_t ticks, int64_t tick)
{
    struct swi_elapsed_copy elapsed;
    int phase = swi_elapsed_index(thread->phase);
    if (samples < 0)
        swi_elapsed_copy(&thread->elapsed, &elapsed);
    else
        swi_elapsed_copy_with(&thread->elapsed, &elapsed, thread->phase, samples, ticks, tick);
    double ns = (double)swi_elapsed_ticks(&elapsed, phase, tick) * swi_clock_rate(&sw->clock);
    return ns > 0 ? (double)elapsed.samples[phase] * 1e9 / ns : 0;
}

void swi_emit_step(struct sw_profiler *sw, struct swi_thread *thread, uint32_t first,
                   int64_t samples, int64_t ticks, int64_t tick)
{
    SWI_PIECE(sw);
    const struct swi_ended *ended = SWI_GET(thread->ended);
    uint32_t count = swi_ended_count(thread);
    size_t parts = parts_count(ended, first, count);
    struct sw_step *step;
    size_t size = sizeof *step + parts * sizeof *step->part;
    struct swi_record *record = swi_emit_new(sw, SW_RECORD_STEP, metrics_of(size), tick);
    if (!record)
        return;
    step = record_room(record);
    struct sw_step_part *part = (struct sw_step_part *)(step + 1);
    parts_fill(part, ended, first, count, swi_clock_rate(&sw->clock));
    *step = (struct sw_step){.size = sizeof *step,
                             .phase = thread->phase,
                             .samples = samples,
                             .count = parts,
                             .part_stride = sizeof *part,
                             .part = part};
    record->record.step_done = step;
    record->record.samples_per_s = overall(sw, thread, samples, ticks, tick);
    record->record.phase = thread->phase;
    if (thread->phase == SW_PHASE_TRAIN)
        record->record.step = SWI_GET(sw->step);
    push(sw, record);
}

/* ---- metrics ------------------------------------------------------------------------------------
 */

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

static const char *column_name(struct sw_profiler *sw, struct swi_window_column *column, int which)
{
    static const char *const prefix[2] = {"throughput", "time_ms"};
    char name[SWI_NAME_MAX + 16];
    if (!column->name[which]) {
        snprintf(name, sizeof name, "%s/%s", prefix[which], sw_action_name(column->action));
        column->name[which] = swi_names_get(sw->names, name, true);
        if (!column->name[which])
            swi_no_memory(sw, "a metric's name");
    }
    return column->name[which];
}

/* Samples per tick of one action over the window, by profilers.md 1.7: a ratio of means. */
static double column_rate(const struct swi_window *window, const struct swi_window_column *column)
{
    const struct swi_window_column *batch = swi_window_get(window, SW_BATCH);
    const struct swi_window_column *step = swi_window_get(window, SW_STEP);
    double samples = (double)window->samples;
    if (column->action == SW_DRAW)
        return -(samples / (double)batch->ticks - samples / (double)step->ticks);
    /* The calls of one step share its samples. */
    double mean_samples = samples / (double)window->length;
    return mean_samples * (double)swi_window_steps(window, column) / (double)column->ticks;
}

struct rolling {
    struct sw_profiler *sw;
    struct swi_record *record;
    size_t room;
    double ns_per_tick;
};

static void throughput_add(const struct rolling *to, struct swi_window_column *column)
{
    if (!column || !column->ticks || to->sw->window.samples <= 0)
        return;
    double value = column_rate(&to->sw->window, column) / (to->ns_per_tick * 1e-9);
    metric_add(to->record, to->room, column_name(to->sw, column, 0), value, SW_BY_PROFILER);
}

static void time_add(const struct rolling *to, struct swi_window_column *column)
{
    if (!column)
        return;
    double mean = (double)column->ticks / (double)column->calls;
    metric_add(to->record, to->room, column_name(to->sw, column, 1), mean * to->ns_per_tick * 1e-6,
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
                         void (*add)(const struct rolling *, struct swi_window_column *))
{
    struct swi_window *window = &to->sw->window;
    for (int i = 0; i < TRAIN_ORDER; i++)
        add(to, swi_window_get(window, train_order[i]));
    for (size_t i = 0; i < window->count; i++)
        if (!is_standard(window->column[i].action))
            add(to, swi_window_get(window, window->column[i].action));
}

static void rolling_add(struct sw_profiler *sw, struct swi_record *record, size_t room)
{
    struct rolling to = {sw, record, room, swi_clock_rate(&sw->clock)};
    columns_each(&to, throughput_add);
    columns_each(&to, time_add);
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

/* What was logged has gone, or is not wanted. */
static void logged_reset(struct sw_profiler *sw, struct swi_record *record)
{
    if (sw->logged_own && record)
        swi_own_names_give(record, sw->logged_own);
    else if (sw->logged_own)
        swi_own_names_free(sw->logged_own);
    sw->logged_own = NULL;
    sw->logged_count = 0;
}

void swi_emit_metrics(struct sw_profiler *sw, int64_t step, bool rolling, int64_t tick)
{
    SWI_PIECE(sw);
    size_t room = sw->logged_count + (rolling ? 2 * sw->window.count : 0);
    struct swi_record *record =
        swi_wants(sw, SW_RECORD_METRICS) ? swi_emit_new(sw, SW_RECORD_METRICS, room, tick) : NULL;
    for (size_t i = 0; record && i < sw->logged_count; i++)
        metric_add(record, room, sw->logged[i].name, sw->logged[i].value, SW_BY_USER);
    logged_reset(sw, record);
    if (record) {
        if (rolling) {
            rolling_add(sw, record, room);
            record->record.samples_per_s = overall(sw, swi_current.thread, -1, 0, tick);
        }
        record->record.step = step;
        push(sw, record);
    }
    sw->sent_tick = tick;
}

/* ---- reports and the end ------------------------------------------------------------------------
 */

size_t swi_report_bytes(const struct sw_report *report)
{
    size_t bytes = sizeof *report + report->count * sizeof *report->row;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        bytes += (row->durations.bin_count + row->rates.bin_count) * sizeof(struct sw_bin);
    }
    return bytes;
}

static void report_release(struct swi_record *record)
{
    sw_report_free(record->owned);
}

void swi_record_own_report(struct swi_record *record, struct sw_report *report)
{
    record->owned = report;
    record->release = report_release;
    record->record.report = report;
}

void swi_emit_report(struct sw_profiler *sw, enum sw_record_type type, struct sw_report *report,
                     int64_t tick)
{
    SWI_PIECE(sw);
    if (!report) {
        swi_no_memory(sw, "a report");
        return;
    }
    struct swi_record *record = swi_wants(sw, type) ? swi_emit_new(sw, type, 0, tick) : NULL;
    if (!record) {
        sw_report_free(report);
        return;
    }
    record->bytes += swi_report_bytes(report);
    swi_record_own_report(record, report);
    push(sw, record);
}

/* Whose report a record gets: in the room for its metrics. */
struct awaited {
    struct sw_profiler *sw;
    uint64_t moment;
};

static bool report_finish(struct swi_record *record)
{
    const struct awaited *awaited = record_room(record);
    swi_moments_make(awaited->sw, awaited->moment);
    return record->record.report;
}

/* As large as the last report, or what its rows take at least. */
static size_t bytes_guess(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    const struct swi_row *newest = SWI_GET(thread->rows);
    size_t rows = newest ? newest->number + (size_t)1 : 0, last = SWI_GET(sw->report_bytes);
    size_t least = sizeof(struct sw_report) + rows * sizeof(struct sw_report_row);
    return last > least ? last : least;
}

struct swi_record *swi_emit_later(struct sw_profiler *sw, const struct swi_thread *thread,
                                  enum sw_record_type type, int64_t tick)
{
    struct swi_record *record =
        swi_wants(sw, type) ? swi_emit_new(sw, type, SWI_POOL_FEW, tick) : NULL;
    if (!record)
        return NULL;
    swi_record_ref(record);
    record->bytes += bytes_guess(sw, thread);
    return record;
}

void swi_emit_moment(struct sw_profiler *sw, struct swi_record *record, uint64_t moment)
{
    *(struct awaited *)record_room(record) = (struct awaited){sw, moment};
    record->finish = report_finish;
    push(sw, record);
}

void swi_emit_end(struct sw_profiler *sw, int64_t tick)
{
    struct swi_record *record =
        swi_wants(sw, SW_RECORD_END) ? swi_emit_new(sw, SW_RECORD_END, 0, tick) : NULL;
    if (!record)
        return;
    record->record.end = &sw->end;
    push(sw, record);
}
