/* SPDX-License-Identifier: MIT */
/* Numbers with a name: sw_log(), sw_log_at() and sw_log_sample(), and what a number leads to when
 * it is folded. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/calling_thread.h"
#include "core/loop/misuse.h"
#include "core/loop/note_event.h"
#include "core/loop/timed_calls.h"
#include "core/loop/step.h"
#include "core/records/metric_record.h"

#include <stepwatch/monitor.h>

#include <stdlib.h>
#include <string.h>

/* A value on its way into a record. */
struct swi_logged {
    const char *name;         /* interned, or that of `own` */
    struct swi_own_name *own; /* NULL: the name is interned */
    double value;
    int64_t step; /* SWI_STEP_OF_LOOP: where the loop is */
};
#define SWI_STEP_OF_LOOP INT64_C(-1)

/* ---- the step of what a program logs: that of the loop, or one of its own -------------------- */

/* Raises the newest step, unless another thread raised it further. */
static void newest_raise(atomic_llong *newest, long long step)
{
    long long was = atomic_load(newest);
    while (was < step && !atomic_compare_exchange_weak(newest, &was, step))
        continue;
}

int64_t swi_own_step(struct sw_profiler *sw, const char *const *interned, size_t count)
{
    atomic_llong *newest = &sw->measured.progress.own_step;
    long long step = atomic_load(newest);
    bool repeats = false;
    for (size_t i = 0; i < count; i++)
        repeats |= interned[i] && atomic_load(swi_name_own_step(interned[i])) > step;
    if (repeats)
        newest_raise(newest, ++step);
    for (size_t i = 0; i < count; i++)
        if (interned[i])
            atomic_store(swi_name_own_step(interned[i]), step + 1);
    return step;
}

void swi_value_step(struct sw_profiler *sw, const struct swi_thread *thread, const char *interned,
                    struct sw_record *record)
{
    bool own = swi_steps_are_own(sw, thread);
    record->step_source = own ? SW_STEP_COUNTED : SW_STEP_OF_LOOP;
    record->step = own ? swi_own_step(sw, &interned, 1) : swi_step_current(sw, thread);
}

/* The same for a step that the program gave. Values without one continue from there. */
static void value_step_is(struct sw_profiler *sw, const char *interned, int64_t step,
                          struct sw_record *record)
{
    record->step_source = SW_STEP_GIVEN;
    record->step = step;
    newest_raise(&sw->measured.progress.own_step, step);
    if (interned)
        atomic_store(swi_name_own_step(interned), step + 1);
}

/* ---- what a value that was logged leads to --------------------------------------------------- */

/* Values wait for the end of their step, but no longer than this. */
enum { LOG_WAITS_PER_SECOND = 4 };

/* The step of a value is one of its own: it gets its own record, as a value from another thread
 * does. */
static void log_alone(struct sw_profiler *sw, const struct swi_thread *thread,
                      const struct swi_logged *logged, int64_t now)
{
    SWI_RARE_WORK(&sw->measured);
    struct swi_record *record = swi_recorder_make(&sw->records, SW_RECORD_METRICS, 1, now);
    if (!record) {
        swi_own_names_free(logged->own);
        return;
    }
    const char *interned = logged->own ? NULL : logged->name;
    if (logged->own)
        swi_own_names_give(record, logged->own);
    record->metric[0] =
        (struct sw_metric){.name = logged->name, .value = logged->value, .by = SW_BY_USER};
    record->record.metrics.count = 1;
    if (logged->step == SWI_STEP_OF_LOOP)
        swi_value_step(sw, thread, interned, &record->record);
    else
        value_step_is(sw, interned, logged->step, &record->record);
    swi_pipeline_push(sw->records.pipeline, record);
}

static bool waited_long(const struct sw_profiler *sw, int64_t now)
{
    return now - sw->loop.values.sent_tick >
           SWI_GET(sw->measured.clock.second) / LOG_WAITS_PER_SECOND;
}

/* A value of the loop's thread goes with its step. name: an interned one, or one of
 * sw->loop.values.own_names. */
static void log_in_loop(struct sw_profiler *sw, const struct swi_thread *thread, const char *name,
                        double value, int64_t now)
{
    sw->loop.values.item[sw->loop.values.count++] = (struct swi_value){name, value};
    if (thread->batch_first < 0 || sw->loop.values.count == SWI_VALUES_MAX || waited_long(sw, now))
        swi_values_send(sw, thread, now);
}

static void log_here(struct sw_profiler *sw, const struct swi_thread *thread, const char *interned,
                     double value, int64_t now)
{
    const struct swi_logged logged = {interned, NULL, value, SWI_STEP_OF_LOOP};
    if (thread->loop && !swi_steps_are_own(sw, thread))
        log_in_loop(sw, thread, interned, value, now);
    else
        log_alone(sw, thread, &logged, now);
}

void swi_log_fold(struct sw_profiler *sw, const struct swi_thread *thread,
                  const struct swi_event *event, int number)
{
    const char *interned = swi_metric_name_of(sw->records.names, (unsigned)number);
    double value;
    memcpy(&value, &event[1].tick, sizeof value);
    if (interned)
        log_here(sw, thread, interned, value, event->tick);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static SWI_NOINLINE void log_folded(struct sw_profiler *sw, struct swi_thread *thread,
                                    const struct swi_logged *logged, int64_t now)
{
    SWI_FOLDED(&sw->measured);
    if (logged->step == SWI_STEP_OF_LOOP)
        log_here(sw, thread, logged->name, logged->value, now);
    else
        log_alone(sw, thread, logged, now);
}

/* What the loop's thread logs is in its place among its other calls. */
static SWI_INLINE void log_kept(struct sw_profiler *sw, struct swi_thread *thread,
                                const struct swi_logged *logged)
{
    int number = swi_metric_name_number(logged->name);
    int64_t now = swi_clock_tick(&sw->measured.clock), bits;
    if (SWI_UNLIKELY(!thread->claimed || logged->step != SWI_STEP_OF_LOOP || !number)) {
        log_folded(sw, thread, logged, now);
        return;
    }
    memcpy(&bits, &logged->value, sizeof bits);
    swi_note_number(thread, now, swi_event_what(SWI_EVENT_LOG, number, 0), bits);
}

/* The name is not interned: there are too many, there was no memory, or it does not belong to a
 * metric.
 */
static SWI_NOINLINE void log_own(struct sw_profiler *sw, struct swi_thread *thread,
                                 const struct swi_logged *logged)
{
    SWI_FOLDED(&sw->measured);
    int64_t now = swi_clock_tick(&sw->measured.clock);
    enum sw_value_kind kind = swi_names_kind(sw->records.names, logged->name);
    struct swi_own_name *own = kind == SWI_NUMBER ? swi_own_name_new(logged->name) : NULL;
    struct swi_logged named = {own ? own->text : NULL, own, logged->value, logged->step};
    if (kind != SWI_NUMBER) {
        swi_refuse(&sw->records.refusals, &sw->records.messages, SWI_NUMBER, logged->name,
                   "the name has %s", swi_values_plural(kind));
    } else if (!own) {
        swi_no_memory(&sw->records, "a metric's name");
    } else if (!thread->loop || named.step != SWI_STEP_OF_LOOP || swi_steps_are_own(sw, thread)) {
        log_alone(sw, thread, &named, now);
    } else {
        own->next = sw->loop.values.own_names;
        sw->loop.values.own_names = own;
        log_in_loop(sw, thread, own->text, logged->value, now);
    }
}

/* A timed call uses this name, so that no preloaded library comes between. */
static __typeof__(sw_log) log_call __attribute__((alias("sw_log")));

static SWI_NOINLINE void log_timed(struct sw_profiler *sw, struct swi_thread *thread,
                                   const char *name, double value)
{
    SWI_TIMED(sw, thread, 0, log_call(sw, name, value), false);
}

static SWI_NOINLINE void nan_tell(struct sw_profiler *sw, const struct swi_thread *thread,
                                  const struct swi_logged *logged)
{
    int64_t step = logged->step;
    if (step == SWI_STEP_OF_LOOP) {
        SWI_FOLDED(&sw->measured);
        step = swi_step_current(sw, thread);
    }
    swi_alert_nan(sw, logged->name, step);
}

static SWI_INLINE void log_value(struct sw_profiler *sw, struct swi_thread *thread,
                                 struct swi_logged *logged)
{
    if (!thread || !logged->name || !swi_wants(&sw->records, SW_RECORD_METRICS))
        return;
    const char *interned = swi_names_get(sw->records.names, logged->name, false);
    if (!interned) {
        log_own(sw, thread, logged);
        return;
    }
    logged->name = interned;
    if (SWI_UNLIKELY(swi_name_turns_nan(interned, logged->value)))
        nan_tell(sw, thread, logged);
    log_kept(sw, thread, logged);
}

SWI_NOINLINE void sw_log(struct sw_profiler *sw, const char *name, double value)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    struct swi_logged logged = {name, NULL, value, SWI_STEP_OF_LOOP};
    if (thread && swi_is_timed(thread))
        log_timed(sw, thread, name, value);
    else
        log_value(sw, thread, &logged);
}

SWI_NOINLINE void sw_log_at(struct sw_profiler *sw, const char *name, double value, int64_t step)
{
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    int64_t at = step < 0 ? 0 : step < SWI_STEP_MAX ? step : SWI_STEP_MAX;
    struct swi_logged logged = {name, NULL, value, at};
    log_value(sw, thread, &logged);
}

/* ---- logs samples that the program itself took ----------------------------------------------- */

void sw_log_sample(struct sw_profiler *sw, const char *const *names, const double *values,
                   size_t count)
{
    if (!sw || !names || !values || atomic_load(&sw->measured.dead) ||
        swi_is_inherited(&sw->measured))
        return;
    SWI_RARE_WORK(&sw->measured);
    SWI_FOLDED(&sw->measured); /* the step that the program is at */
    struct sw_metric *metric = calloc(count + 1, sizeof *metric);
    if (!metric)
        swi_no_memory(&sw->records, "a sample");
    size_t named = 0;
    for (size_t i = 0; metric && i < count; i++)
        if (names[i])
            metric[named++] = (struct sw_metric){names[i], values[i], SW_BY_MONITOR};
    if (named)
        swi_recorder_sample(&sw->records, metric, named, swi_sampled_now(&sw->records));
    free(metric);
}
