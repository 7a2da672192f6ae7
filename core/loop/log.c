/* SPDX-License-Identifier: MIT */
/* Logs values, hyper-parameters and step numbers. */
#define SW_NO_INLINE /* the functions themselves */
#include "core/loop/counting.h"
#include "core/delivery/run_copy.h"
#include "core/loop/sampling.h"
#include "core/counters/counted_memory.h"
#include "core/loop/step.h"
#include "core/monitors/monitors.h"

#include <stdlib.h>
#include <string.h>

/* Values wait for the end of their step, but no longer than this. */
enum { LOG_WAITS_PER_SECOND = 4 };

/* ---- metrics ------------------------------------------------------------------------------------
 */

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

/* ---- hyper-parameters -------------------------------------------------------------------------
 */

struct hparam_text {
    struct sw_hparam hparam;
    char text[];
};

static void hparam_release(struct swi_record *record)
{
    free(record->owned);
}

static struct hparam_text *hparam_new(struct sw_profiler *sw, const char *name, const char *string)
{
    SWI_OWN_MEMORY;
    size_t n = strlen(name) + 1, s = string ? strlen(string) + 1 : 0;
    struct hparam_text *hparam = calloc(1, sizeof *hparam + n + s);
    if (!hparam) {
        swi_no_memory(&sw->records, "a hyper-parameter");
        return NULL;
    }
    memcpy(hparam->text, name, n);
    hparam->hparam.size = sizeof hparam->hparam;
    hparam->hparam.name = hparam->text;
    if (string)
        hparam->hparam.string = memcpy(hparam->text + n, string, s);
    return hparam;
}

static void hparam_push(struct sw_profiler *sw, struct hparam_text *hparam)
{
    SWI_RARE_WORK(&sw->measured);
    struct swi_record *record = hparam ? swi_emit_new(&sw->records, SW_RECORD_HPARAM, 0,
                                                      swi_clock_tick(&sw->measured.clock))
                                       : NULL;
    if (!record) {
        free(hparam);
        return;
    }
    record->owned = hparam;
    record->release = hparam_release;
    record->bytes += sizeof *hparam + strlen(hparam->hparam.name) +
                     (hparam->hparam.string ? strlen(hparam->hparam.string) : 0);
    record->record.hparam = &hparam->hparam;
    swi_pipeline_push(sw->records.pipeline, record);
}

static bool hparam_wanted(const struct sw_profiler *sw, const char *name)
{
    return sw && name && !swi_is_inherited(&sw->measured) && !atomic_load(&sw->measured.dead) &&
           swi_wants(&sw->records, SW_RECORD_HPARAM);
}

void sw_hparam_int(struct sw_profiler *sw, const char *name, int64_t value)
{
    struct hparam_text *hparam = hparam_wanted(sw, name) ? hparam_new(sw, name, NULL) : NULL;
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_INT;
    hparam->hparam.integer = value;
    hparam_push(sw, hparam);
}

void sw_hparam_float(struct sw_profiler *sw, const char *name, double value)
{
    struct hparam_text *hparam = hparam_wanted(sw, name) ? hparam_new(sw, name, NULL) : NULL;
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_FLOAT;
    hparam->hparam.number = value;
    hparam_push(sw, hparam);
}

void sw_hparam_string(struct sw_profiler *sw, const char *name, const char *value)
{
    struct hparam_text *hparam =
        hparam_wanted(sw, name) ? hparam_new(sw, name, value ? value : "") : NULL;
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_STRING;
    hparam_push(sw, hparam);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

/* Limits the step so that step + 1 does not overflow in a sink, and every JSON reader keeps the
 * number. */
#define STEP_MAX (INT64_C(1) << 52)

void sw_set_step(struct sw_profiler *sw, int64_t step)
{
    if (sw && step >= 0)
        SWI_SET(sw->measured.progress.step, step < STEP_MAX ? step : STEP_MAX);
}

int64_t sw_get_step(struct sw_profiler *sw)
{
    return sw ? SWI_GET(sw->measured.progress.step) : 0;
}

void sw_expect_steps(struct sw_profiler *sw, int64_t steps)
{
    if (sw)
        SWI_SET(sw->measured.progress.expected, steps > 0 ? steps : 0);
}

bool sw_should_stop(struct sw_profiler *sw)
{
    return sw && !atomic_load(&sw->measured.dead) && swi_pipeline_stopped(sw->records.pipeline);
}

void sw_set_exit_status(struct sw_profiler *sw, int status)
{
    if (sw)
        atomic_store(&sw->ending.exit_status, status);
}

/* ---- where messages go, and clocks
 * --------------------------------------------------------------- */

void sw_set_messages(struct sw_profiler *sw, sw_message_fn *fn, void *arg)
{
    if (sw && !swi_is_copy())
        swi_messages_set(&sw->records.messages, fn, arg);
}

void sw_set_clock(struct sw_profiler *sw, sw_clock_fn *now_ns, void *arg)
{
    if (!sw || !now_ns)
        return;
    swi_monitors_clock_hold(sw->monitors);
    swi_clock_set(&sw->measured.clock, now_ns, arg);
    swi_monitors_clock_release(sw->monitors);
    swi_counting_forget_cost(sw);
    atomic_store(&sw->measured.serial, swi_serial_next());
}

void sw_set_start(struct sw_profiler *sw, double started_s)
{
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    swi_run_replayed(&sw->records.run, started_s);
    swi_monitors_give_up(sw->monitors);
}

void sw_set_costs(struct sw_profiler *sw, int fit, double own_ns, double joules)
{
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    pthread_mutex_lock(&sw->measured.lock);
    swi_replayed_costs_add(&sw->reports.costs, &(struct swi_replayed_cost){fit, own_ns, joules});
    pthread_mutex_unlock(&sw->measured.lock);
}
