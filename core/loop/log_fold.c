/* SPDX-License-Identifier: MIT */
#include "core/loop/log_fold.h"
#include "core/loop/value_step.h"

/* Values wait for the end of their step, but no longer than this. */
enum { LOG_WAITS_PER_SECOND = 4 };

void swi_log_alone(struct sw_profiler *sw, const struct swi_thread *thread,
                   const struct swi_logged *logged, int64_t now)
{
    SWI_RARE_WORK(&sw->measured);
    struct swi_record *record = swi_recorder_make(&sw->records, SW_RECORD_METRICS, 1, now);
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
    if (logged->step == SWI_STEP_OF_LOOP)
        swi_value_step(sw, thread, kept, &record->record);
    else
        swi_value_step_is(sw, kept, logged->step, &record->record);
    swi_pipeline_push(sw->records.pipeline, record);
}

static bool waited_long(const struct sw_profiler *sw, int64_t now)
{
    return now - sw->loop.values.sent_tick >
           SWI_GET(sw->measured.clock.second) / LOG_WAITS_PER_SECOND;
}

void swi_log_in_loop(struct sw_profiler *sw, const struct swi_thread *thread, const char *name,
                     double value, int64_t now)
{
    sw->loop.values.item[sw->loop.values.count++] = (struct swi_value){name, value};
    if (thread->batch_first < 0 || sw->loop.values.count == SWI_VALUES_MAX || waited_long(sw, now))
        swi_recorder_metrics(&sw->records, &sw->loop.values, NULL, NULL,
                             swi_step_current(sw, thread), now);
}

void swi_log_fold(struct sw_profiler *sw, struct swi_thread *thread, const char *name, double value,
                  int64_t now)
{
    const struct swi_logged logged = {name, NULL, value, SWI_STEP_OF_LOOP};
    if (thread->loop && !swi_steps_are_own(sw, thread))
        swi_log_in_loop(sw, thread, name, value, now);
    else
        swi_log_alone(sw, thread, &logged, now);
}
