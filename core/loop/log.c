/* SPDX-License-Identifier: MIT */
/* sw_log() and sw_log_at(): values with a name. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/sampling.h"
#include "core/loop/step.h"
#include "core/loop/value_step.h"

/* Values wait for the end of their step, but no longer than this. */
enum { LOG_WAITS_PER_SECOND = 4 };

/* A value on its way into a record. */
struct logged {
    const char *name;         /* kept, or that of `own` */
    struct swi_own_name *own; /* NULL: the name is kept */
    double value;
    int64_t step; /* STEP_OF_LOOP: where the loop is */
};
#define STEP_OF_LOOP INT64_C(-1)

/* The step of a value is one of its own: it gets its own record, as a value from another thread
 * does. */
static void log_alone(struct sw_profiler *sw, const struct swi_thread *thread,
                      const struct logged *logged)
{
    SWI_RARE_WORK(&sw->measured);
    struct swi_record *record =
        swi_emit_new(&sw->records, SW_RECORD_METRICS, 1, swi_clock_tick(&sw->measured.clock));
    if (!record) {
        swi_own_names_free(logged->own);
        return;
    }
    const char *kept = logged->own ? NULL : logged->name;
    if (logged->own)
        swi_own_names_give(record, logged->own);
    record->metric[0] =
        (struct sw_metric){.name = logged->name, .value = logged->value, .by = SW_BY_USER};
    record->record.metrics.count = 1;
    if (logged->step == STEP_OF_LOOP)
        swi_value_step(sw, thread, kept, &record->record);
    else
        swi_value_step_is(sw, kept, logged->step, &record->record);
    swi_pipeline_push(sw->records.pipeline, record);
}

static bool waited_long(struct sw_profiler *sw, int64_t now)
{
    return now - sw->loop.values.sent_tick >
           SWI_GET(sw->measured.clock.second) / LOG_WAITS_PER_SECOND;
}

static void log_in_loop(struct sw_profiler *sw, struct swi_thread *thread, const char *name,
                        double value)
{
    bool in_batch = SWI_GET(thread->batch_first) >= 0;
    sw->loop.values.item[sw->loop.values.count++] = (struct swi_value){name, value};
    int64_t now = swi_clock_tick(&sw->measured.clock);
    if (!in_batch || sw->loop.values.count == SWI_VALUES_MAX || waited_long(sw, now))
        swi_emit_metrics(&sw->records, &sw->loop.values, NULL, NULL, swi_step_current(sw, thread),
                         now);
}

static SWI_INLINE void log_kept(struct sw_profiler *sw, struct swi_thread *thread,
                                const struct logged *logged)
{
    if (thread->loop && logged->step == STEP_OF_LOOP && !swi_steps_are_own(sw, thread))
        log_in_loop(sw, thread, logged->name, logged->value);
    else
        log_alone(sw, thread, logged);
}

/* The name is not kept: there are too many, there was no memory, or it does not belong to a metric.
 */
static SWI_APART void log_own(struct sw_profiler *sw, struct swi_thread *thread,
                              const struct logged *logged)
{
    enum sw_value_kind kind = swi_names_kind(sw->records.names, logged->name);
    struct swi_own_name *own = kind == SWI_NUMBER ? swi_own_name_new(logged->name) : NULL;
    struct logged named = {own ? own->text : NULL, own, logged->value, logged->step};
    if (kind != SWI_NUMBER) {
        swi_refuse(&sw->records.refusals, &sw->records.messages, SWI_NUMBER, logged->name,
                   "the name has %s", swi_values_plural(kind));
    } else if (!own) {
        swi_no_memory(&sw->records, "a metric's name");
    } else if (!thread->loop || named.step != STEP_OF_LOOP || swi_steps_are_own(sw, thread)) {
        log_alone(sw, thread, &named);
    } else {
        own->next = sw->loop.values.own_names;
        sw->loop.values.own_names = own;
        log_in_loop(sw, thread, own->text, logged->value);
    }
}

/* A timed call uses this name, so that no preloaded library comes between. */
static __typeof__(sw_log) log_call __attribute__((alias("sw_log")));

static SWI_APART void log_timed(struct sw_profiler *sw, struct swi_thread *thread, const char *name,
                                double value)
{
    SWI_TIMED(sw, thread, 0, log_call(sw, name, value), false);
}

static SWI_APART void nan_tell(struct sw_profiler *sw, const struct swi_thread *thread,
                               const struct logged *logged)
{
    int64_t step = logged->step == STEP_OF_LOOP ? swi_step_current(sw, thread) : logged->step;
    swi_alert_nan(sw, logged->name, step);
}

static SWI_INLINE void log_value(struct sw_profiler *sw, struct swi_thread *thread,
                                 struct logged *logged)
{
    if (!thread || !logged->name || !swi_wants(&sw->records, SW_RECORD_METRICS))
        return;
    const char *kept = swi_names_get(sw->records.names, logged->name, false);
    if (!kept) {
        log_own(sw, thread, logged);
        return;
    }
    logged->name = kept;
    if (SWI_UNLIKELY(swi_name_turns_nan(kept, logged->value)))
        nan_tell(sw, thread, logged);
    log_kept(sw, thread, logged);
}

SWI_APART void sw_log(struct sw_profiler *sw, const char *name, double value)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    struct logged logged = {name, NULL, value, STEP_OF_LOOP};
    if (thread && swi_is_timed(thread))
        log_timed(sw, thread, name, value);
    else
        log_value(sw, thread, &logged);
}

SWI_APART void sw_log_at(struct sw_profiler *sw, const char *name, double value, int64_t step)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    int64_t at = step < 0 ? 0 : step < SWI_STEP_MAX ? step : SWI_STEP_MAX;
    struct logged logged = {name, NULL, value, at};
    log_value(sw, thread, &logged);
}
