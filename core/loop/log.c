/* SPDX-License-Identifier: MIT */
/* sw_log(): values with a name. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/sampling.h"
#include "core/loop/step.h"

/* Values wait for the end of their step, but no longer than this. */
enum { LOG_WAITS_PER_SECOND = 4 };

/* A value from another thread gets its own record. own: room for a name that is not kept. */
static void log_alone(struct sw_profiler *sw, const char *name, struct swi_own_name *own,
                      double value)
{
    SWI_RARE_WORK(&sw->measured);
    struct swi_record *record =
        swi_emit_new(&sw->records, SW_RECORD_METRICS, 1, swi_clock_tick(&sw->measured.clock));
    if (!record) {
        swi_own_names_free(own);
        return;
    }
    if (own)
        swi_own_names_give(record, own);
    record->metric[0] = (struct sw_metric){.name = name, .value = value, .by = SW_BY_USER};
    record->record.metrics.count = 1;
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

/* The name is not kept: there are too many, there was no memory, or it does not belong to a metric.
 */
static SWI_APART void log_own(struct sw_profiler *sw, struct swi_thread *thread, const char *name,
                              double value)
{
    enum sw_value_kind kind = swi_names_kind(sw->records.names, name);
    struct swi_own_name *own = kind == SWI_NUMBER ? swi_own_name_new(name) : NULL;
    if (kind != SWI_NUMBER) {
        swi_refuse(&sw->records.refusals, &sw->records.messages, SWI_NUMBER, name,
                   "the name has %s", swi_values_plural(kind));
    } else if (!own) {
        swi_no_memory(&sw->records, "a metric's name");
    } else if (!thread->loop) {
        log_alone(sw, own->text, own, value);
    } else {
        own->next = sw->loop.values.own_names;
        sw->loop.values.own_names = own;
        log_in_loop(sw, thread, own->text, value);
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
                               const char *name)
{
    swi_alert_nan(sw, name, swi_step_current(sw, thread));
}

SWI_APART void sw_log(struct sw_profiler *sw, const char *name, double value)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    if (thread && swi_is_timed(thread)) {
        log_timed(sw, thread, name, value);
        return;
    }
    if (!thread || !name || !swi_wants(&sw->records, SW_RECORD_METRICS))
        return;
    const char *kept = swi_names_get(sw->records.names, name, false);
    if (kept && SWI_UNLIKELY(swi_name_turns_nan(kept, value)))
        nan_tell(sw, thread, kept);
    if (!kept)
        log_own(sw, thread, name, value);
    else if (thread->loop)
        log_in_loop(sw, thread, kept, value);
    else
        log_alone(sw, kept, NULL, value);
}
