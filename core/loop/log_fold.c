/* SPDX-License-Identifier: MIT */
#include "core/loop/step.h"

/* ---- the step of what a program logs: that of the loop, or one of its own -------------------- */

/* Raises the newest step, unless another thread raised it further. */
static void newest_raise(atomic_llong *newest, long long step)
{
    long long was = atomic_load(newest);
    while (was < step && !atomic_compare_exchange_weak(newest, &was, step))
        continue;
}

int64_t swi_own_step(struct sw_profiler *sw, const char *const *kept, size_t count)
{
    atomic_llong *newest = &sw->measured.progress.own_step;
    long long step = atomic_load(newest);
    bool repeats = false;
    for (size_t i = 0; i < count; i++)
        repeats |= kept[i] && atomic_load(swi_name_own_step(kept[i])) > step;
    if (repeats)
        newest_raise(newest, ++step);
    for (size_t i = 0; i < count; i++)
        if (kept[i])
            atomic_store(swi_name_own_step(kept[i]), step + 1);
    return step;
}

void swi_value_step(struct sw_profiler *sw, const struct swi_thread *thread, const char *kept,
                    struct sw_record *record)
{
    bool own = swi_steps_are_own(sw, thread);
    record->step_source = own ? SW_STEP_COUNTED : SW_STEP_OF_LOOP;
    record->step = own ? swi_own_step(sw, &kept, 1) : swi_step_current(sw, thread);
}

/* The same for a step that the program gave. Values without one continue from there. */
static void value_step_is(struct sw_profiler *sw, const char *kept, int64_t step,
                          struct sw_record *record)
{
    record->step_source = SW_STEP_GIVEN;
    record->step = step;
    newest_raise(&sw->measured.progress.own_step, step);
    if (kept)
        atomic_store(swi_name_own_step(kept), step + 1);
}

/* ---- what a value that was logged leads to --------------------------------------------------- */

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
        value_step_is(sw, kept, logged->step, &record->record);
    swi_pipeline_push(sw->records.pipeline, record);
}

void swi_values_send(struct sw_profiler *sw, const struct swi_thread *thread, int64_t now)
{
    swi_recorder_values(&sw->records, &sw->loop.values, swi_step_current(sw, thread), now);
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
        swi_values_send(sw, thread, now);
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
