/* SPDX-License-Identifier: MIT */
/* Opens and closes a profiler. */
#include "core/profiler.h"
#include "core/exit.h"
#include "core/files/own_symbols.h"
#include "core/loop/calling_thread.h"
#include "core/loop/counting.h"
#include "core/loop/fold.h"
#include "core/loop/misuse.h"
#include "core/loop/near_stack.h"
#include "core/loop/recording_windows.h"
#include "core/loop/timed_calls.h"
#include "core/loop/spans.h"
#include "core/monitors/monitors.h"
#include "core/process/handlers.h"
#include "core/process/own_floats.h"
#include "core/process/own_thread.h"
#include "core/process/signals.h"
#include "core/text/printable.h"
#include "core/watchdog/watchdog.h"

#include <stdlib.h>
#include <string.h>

static void threads_free(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = sw->measured.threads, *next; thread; thread = next) {
        next = thread->list;
        swi_thread_free(thread, &sw->measured.pool);
    }
    sw->measured.threads = NULL;
    sw->measured.thread_count = 0;
}

/* Makes the first calls here and not in the loop, because they fetch code and bind functions. They
 * leave nothing behind: sinks get no records of them. */
static void warm_up(struct sw_profiler *sw)
{
    struct swi_pipeline *pipeline = sw->records.pipeline;
    struct swi_thread *prepared = sw->prepared;
    sw->records.pipeline = NULL;
    sw->prepared = NULL;
    for (int i = 0; i < 2; i++) {
        (sw_begin)(sw, SW_FORWARD);
        (sw_end)(sw, SW_FORWARD);
    }
    swi_fold_look(sw);
    atomic_store(&sw->measured.serial, swi_profiler_serial_next());
    threads_free(sw);
    sw->records.pipeline = pipeline;
    sw->prepared = prepared;
}

static void records_free(struct swi_recorder *records)
{
    swi_names_free(records->names);
    swi_step_history_free(records->history);
    swi_pool_fini(&records->pool);
    swi_budget_fini(&records->budget);
    swi_refusals_fini(&records->refusals);
    swi_name_set_fini(&records->summary_names);
    swi_name_set_fini(&records->rule_patterns);
    swi_messages_fini(&records->messages);
    swi_run_fini(&records->run);
    free((void *)records->own_program);
    free((void *)records->own_name);
}

static void profiler_free(struct sw_profiler *sw)
{
    swi_place_give(&sw->measured);
    swi_monitors_free(sw->monitors);
    swi_watchdog_free(sw->watchdog);
    if (sw->records.pipeline)
        swi_pipeline_free(sw->records.pipeline);
    swi_capture_close(sw);
    swi_innermost_forget(sw);
    swi_counting_close(sw);
    sw_report_free(sw->reports.last);
    threads_free(sw);
    swi_thread_free(sw->prepared, NULL);
    swi_event_pool_fini(&sw->measured.pool);
    swi_fold_lock_fini(&sw->measured.fold);
    swi_traces_fini(&sw->traces);
    swi_spans_fini(&sw->spans);
    pthread_mutex_destroy(&sw->alerts.lock);
    free(sw->loop.listeners);
    swi_rolling_window_fini(&sw->loop.window);
    swi_own_names_free(sw->loop.values.own_names);
    swi_misuses_fini(&sw->reports.misuses);
    swi_replayed_costs_fini(&sw->reports.costs);
    swi_clock_fini(&sw->measured.clock);
    pthread_mutex_destroy(&sw->measured.lock);
    free(sw->measured.newest);
    swi_memory_use_fini(&sw->measured.memory);
    records_free(&sw->records);
    sw_error_free(&sw->ending.error);
    free(sw->memory);
}

static void measured_init(struct swi_measured *measured, const struct swi_settings *settings)
{
    measured->ignored = swi_actions_ignored(settings->mode);
    measured->chosen = (struct swi_chosen){.mode = settings->mode,
                                           .rolling_average = settings->rolling_average,
                                           .drop = settings->drop_first_batch,
                                           .accounting = settings->accounting,
                                           .peak_flops = settings->peak_flops,
                                           .close_timeout_ns = settings->close_timeout_ns};
    atomic_store(&measured->serial, swi_profiler_serial_next());
    swi_place_take(measured);
    measured->is_own = swi_process_mark;
    measured->leaves_out = measured->ignored & ~SWI_BIT(SW_STEP);
    measured->own_folds = settings->sink_count ? SWI_CHUNKS_SOFT : 1;
    swi_event_pool_init(&measured->pool);
    pthread_mutex_init(&measured->lock, NULL);
    swi_clock_init(&measured->clock);
    swi_memory_use_init(&measured->memory);
}

static void reports_init(struct sw_profiler *sw)
{
    sw->reports.measured = &sw->measured;
    sw->reports.run = &sw->records.run;
    swi_misuses_init(&sw->reports.misuses);
    swi_reports_set_recorder(&sw->reports, &sw->records);
}

/* Returns false if out of memory. Call profiler_free() in any case. */
static bool records_init(struct swi_recorder *records, struct swi_measured *measured,
                         const struct swi_settings *settings)
{
    struct swi_rank rank;
    records->measured = measured;
    swi_messages_init(&records->messages);
    if (settings->messages)
        swi_messages_set(&records->messages, settings->messages, settings->messages_arg);
    swi_pool_init(&records->pool);
    swi_budget_init(&records->budget, settings->values_memory);
    swi_refusals_init(&records->refusals);
    swi_name_set_init(&records->summary_names);
    swi_name_set_init(&records->rule_patterns);
    swi_rank_find_here(&rank, &settings->ranks);
    if (*rank.warning)
        swi_say(&records->messages, SW_WARNING, "%s", rank.warning);
    records->names = swi_names_new();
    return records->names && swi_run_init(&records->run, settings, &rank);
}

static struct sw_profiler *profiler_new(const struct swi_settings *settings)
{
    char *memory = calloc(1, sizeof(struct sw_profiler) + SWI_PROFILER_PAGE);
    if (!memory)
        return NULL;
    struct sw_profiler *sw = swi_aligned(memory, SWI_PROFILER_PAGE);
    sw->memory = memory;
    measured_init(&sw->measured, settings);
    swi_fold_init(sw);
    reports_init(sw);
    pthread_mutex_init(&sw->alerts.lock, NULL);
    swi_windows_init(sw, &settings->schedule, settings->schedule.given || settings->capture.given);
    bool records = records_init(&sw->records, &sw->measured, settings);
    if (records && swi_rolling_window_init(&sw->loop.window, settings->rolling_average,
                                           1 + settings->drop_first_batch))
        return sw;
    profiler_free(sw);
    return NULL;
}

static void regions_fetch(struct sw_profiler *sw)
{
    swi_capture_look(sw);
    struct swi_fold_lock *lock = swi_fold_try(&sw->measured);
    if (lock)
        swi_regions_hand_over(sw);
    swi_fold_give(lock);
}

/* Called by the dispatcher. */
static bool loop_look(void *profiler)
{
    struct sw_profiler *sw = profiler;
    bool more = swi_fold_look(sw);
    swi_event_pool_populate(&sw->measured.pool);
    if (swi_wants(&sw->records, SW_RECORD_REGIONS))
        regions_fetch(sw);
    if (swi_wants(&sw->records, SW_RECORD_FINDINGS))
        swi_preempted_look(&sw->measured);
    return more;
}

/* Called by the dispatcher. Returns the part of the memory for events that is in use. */
static double events_waiting(void *profiler)
{
    const struct swi_event_pool *pool = &((struct sw_profiler *)profiler)->measured.pool;
    return (double)atomic_load_explicit(&pool->used, memory_order_relaxed) / SWI_CHUNKS_SOFT;
}

/* For the findings of the first fit. */
static void findings_prepare(struct sw_profiler *sw)
{
    if (!swi_wants(&sw->records, SW_RECORD_FINDINGS))
        return;
    sw->measured.newest = swi_newest_steps_new();
    swi_preempted_open(&sw->measured);
}

/* What is traced is decided where calls are folded. */
static void wants_changed(void *profiler, uint32_t changed)
{
    struct sw_profiler *sw = profiler;
    if (!(changed & SW_WANT(SW_RECORD_REGIONS)))
        return;
    SWI_FOLDED(&sw->measured);
    swi_tracing_look(sw);
}

/* Loads monitors and sinks, and starts the threads of the sinks. */
static int plugins_open(struct sw_profiler *sw, const struct swi_settings *settings,
                        struct swi_mistakes *mistakes, struct sw_error *err)
{
    int rc = swi_own_symbols_here(err); /* for sinks that are linked into the library */
    if (rc < 0)
        return rc;
    if (settings->sink_count)
        swi_pool_reserve(&sw->records.pool);
    sw->monitors = swi_monitors_load(settings, &sw->records, mistakes);
    sw->reports.energy = swi_monitors_energy;
    sw->reports.energy_arg = sw->monitors;
    return swi_pipeline_open(&sw->records.pipeline, settings, &sw->records.run,
                             &sw->records.messages, mistakes, err);
}

/* Makes ready what the first calls of the loop would have to. */
static void loop_prepare(struct sw_profiler *sw)
{
    swi_thread_prepare(sw);
    findings_prepare(sw);
    swi_clock_look(&sw->measured.clock); /* the first rate */
    warm_up(sw);                         /* opening the sinks has displaced it in the caches */
}

static void probe_open(struct sw_profiler *sw, const struct swi_settings *settings)
{
    if (settings->functions.given)
        swi_probe_choose(sw, settings->functions.times, settings->functions.rate);
    swi_probe_find(sw);
    if (settings->capture.given)
        swi_capture_open(sw, settings->capture.steps, settings->capture.file,
                         settings->capture.signal);
}

/* Tells the pipeline what it calls here, and starts the threads of monitors and watchdog. */
static int threads_start(struct sw_profiler *sw, const struct swi_settings *settings,
                         struct sw_error *err)
{
    swi_pipeline_fetch(sw->records.pipeline, loop_look, events_waiting, sw);
    swi_pipeline_budget(sw->records.pipeline, &sw->records.budget);
    swi_pipeline_notify_wants(sw->records.pipeline, wants_changed, sw);
    int rc = swi_monitors_start(sw->monitors, err);
    if (rc < 0)
        swi_pipeline_close(sw->records.pipeline, settings->close_timeout_ns, false,
                           &sw->ending.error);
    else
        sw->watchdog = swi_watchdog_start(&settings->watchdog, &sw->measured, &sw->records);
    return rc;
}

static int profiler_start(struct sw_profiler *sw, const struct swi_settings *settings,
                          struct swi_mistakes *mistakes, struct sw_error *err)
{
    sw->measured.chosen.timing_cost = swi_timing_cost(sw);
    swi_counting_open(sw, settings->counter);
    int rc = plugins_open(sw, settings, mistakes, err);
    if (rc < 0)
        return rc;
    loop_prepare(sw);
    probe_open(sw, settings);
    return threads_start(sw, settings, err);
}

/* Says once which ends of the program will have no report. Frees the sentence. */
static void unseen_ends_say(struct sw_profiler *sw, char *sentence)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (sentence && !atomic_flag_test_and_set(&said))
        swi_say(&sw->records.messages, SW_NOTE, "%s", sentence);
    free(sentence);
}

struct sw_profiler *swi_profiler_open(const struct swi_settings *settings,
                                      struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct sw_profiler *sw = profiler_new(settings);
    if (!sw) {
        sw_error_set(err, SW_ENOMEM, "not enough memory for a profiler");
        return NULL;
    }
    char *unseen_ends = settings->signals ? swi_handlers_check() : NULL;
    if (profiler_start(sw, settings, mistakes, err) < 0) {
        free(unseen_ends);
        profiler_free(sw);
        return NULL;
    }
    swi_exit_add(sw, settings->signals);
    unseen_ends_say(sw, unseen_ends);
    return sw;
}

static void regions_flush(struct sw_profiler *sw)
{
    SWI_FOLDED(&sw->measured);
    swi_regions_hand_over(sw);
}

int sw_flush(struct sw_profiler *sw, int64_t timeout_ns)
{
    SWI_OWN_FLOATS;
    if (!sw || atomic_load(&sw->measured.dead) || swi_is_child())
        return 0;
    int cancel = swi_cancel_hold();
    const struct swi_deadline deadline = swi_deadline_in(timeout_ns);
    regions_flush(sw);
    swi_misuses_wait(sw, &deadline);
    int rc = swi_pipeline_flush(sw->records.pipeline, timeout_ns);
    swi_cancel_release(cancel);
    return rc;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Closes the profiler. It is not freed if a worker that did not end, or a thread within the
 * program's message function, still uses it. */
static int end_and_free(struct sw_profiler *sw, struct sw_error *err)
{
    int rc = swi_finish_closed(sw, err ? err : &sw->ending.error);
    swi_known_forget();
    swi_current.acting_for = NULL; /* the next profiler may have the same address */
    swi_exit_done(sw);
    if (rc == SW_ETIME)
        swi_last_thread_watch();
    else if (swi_messages_are_idle(&sw->records.messages))
        profiler_free(sw);
    return rc;
}

/* Returns the error of the earlier end, which has reported what the sinks lost. */
static int ended_before(const struct sw_profiler *sw, struct sw_error *err)
{
    swi_known_forget();
    return sw_error_set(err, sw->ending.error.code, "%s", sw_error_text(&sw->ending.error));
}

static int profiler_close(struct sw_profiler *sw, struct sw_error *err)
{
    sw_error_init(err);
    switch (swi_exit_claim(sw)) {
    case SWI_MINE:
        return end_and_free(sw, err);
    case SWI_ENDED:
        return ended_before(sw, err);
    case SWI_INHERITED:
        return swi_inherited_close(sw, err);
    case SWI_WITHIN:
        return sw_error_set(
            err, SW_EINVAL,
            "sw_close() was called from within sw_close(): the profiler is already being closed");
    default:
        return sw_error_set(err, SW_EINVAL,
                            "sw_close() was called for a profiler that is not open");
    }
}

int sw_close(struct sw_profiler *sw, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    if (!sw)
        return 0;
    int cancel = swi_cancel_hold();
    swi_signals_park();
    int rc = profiler_close(sw, err);
    swi_signals_park();
    swi_cancel_release(cancel);
    return rc;
}

void swi_profiler_warn(struct sw_profiler *sw, const char *text)
{
    if (sw)
        swi_say(&sw->records.messages, SW_WARNING, "%s", text);
    else
        fprintf(stderr, "stepwatch: warning: %s\n", SWI_PRINTABLE(text));
}
