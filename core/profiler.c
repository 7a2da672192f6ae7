/* SPDX-License-Identifier: MIT */
/* Opening and closing a profiler. */
#include "core/profiler.h"
#include "core/exit.h"
#include "core/finish.h"
#include "core/loop/inherited.h"
#include "core/process/alone.h"
#include "core/process/own_thread.h"
#include "core/process/environment.h"
#include "core/process/signals.h"
#include "core/loop/sampling.h"
#include "core/loop/tracing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *host_name(void)
{
    char host[256];
    if (gethostname(host, sizeof host) != 0)
        return strdup("localhost");
    host[sizeof host - 1] = '\0';
    return strdup(host);
}

static double wall_clock(void)
{
    struct timespec now;
    swi_time(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What sinks get of it: unknown sizes are 0 there. */
static void rank_set(struct sw_run *run, const struct swi_rank *rank)
{
    run->rank = rank->rank;
    run->world_size = rank->size < 0 ? 0 : rank->size;
    run->local_rank = rank->local_rank;
    run->local_size = rank->local_size < 0 ? 0 : rank->local_size;
    run->node = rank->node;
    run->attempt = rank->attempt;
    run->job = strdup(rank->job);
    run->rank_source = rank->source;
    run->rank_certain = rank->certain;
}

static bool run_init(struct sw_run *run, const struct swi_settings *settings,
                     const struct swi_rank *rank)
{
    const char *program = program_invocation_short_name;
    char *directory = settings->directory ? strdup(settings->directory) : swi_working_directory();
    *run = (struct sw_run){
        .size = sizeof *run,
        .program = strdup(program),
        .name = strdup(settings->name ? settings->name : program),
        .host = host_name(),
        .pid = getpid(),
        .started_s = wall_clock(),
        .version = sw_version(),
        .mode = settings->mode,
        .rolling_average = settings->rolling_average,
        .drop_first_batch = settings->drop_first_batch,
        .config_file = strdup(settings->file ? settings->file : ""),
        .directory = directory,
        .close_timeout_ns = settings->close_timeout_ns,
    };
    run->utc_offset_s = swi_utc_offset(run->started_s);
    rank_set(run, rank);
    return run->program && run->name && run->host && run->config_file && run->directory && run->job;
}

static void run_fini(struct sw_run *run)
{
    free((void *)run->program);
    free((void *)run->name);
    free((void *)run->host);
    free((void *)run->config_file);
    free((void *)run->directory);
    free((void *)run->job);
}

static void threads_free(struct sw_profiler *sw)
{
    for (struct swi_thread *thread = sw->threads, *next; thread; thread = next) {
        next = thread->next;
        swi_thread_free(thread);
    }
    sw->threads = NULL;
    sw->thread_count = 0;
}

/* The first calls fetch code and bind functions: here, and not in the loop. */
static void warm_up(struct sw_profiler *sw)
{
    for (int i = 0; i < 2; i++) {
        (sw_begin)(sw, SW_DRAW);
        (sw_end)(sw, SW_DRAW);
    }
    atomic_store(&sw->serial, swi_serial_next());
    threads_free(sw);
}

static void profiler_free(struct sw_profiler *sw)
{
    if (sw->pipeline)
        swi_pipeline_free(sw->pipeline);
    swi_moments_fini(sw);
    threads_free(sw);
    swi_thread_free(sw->prepared);
    swi_traces_fini(&sw->traces);
    sw_report_free(sw->last_report);
    swi_window_fini(&sw->window);
    swi_own_names_free(sw->logged_own);
    swi_names_free(sw->names);
    swi_pool_fini(&sw->pool);
    swi_misuses_fini(&sw->misuses);
    swi_messages_fini(&sw->messages);
    swi_clock_fini(&sw->clock);
    swi_past_fini(&sw->past);
    pthread_mutex_destroy(&sw->making);
    pthread_mutex_destroy(&sw->lock);
    run_fini(&sw->run);
    free(sw);
}

static struct sw_profiler *profiler_new(const struct swi_settings *settings)
{
    struct swi_rank rank;
    struct sw_profiler *sw = aligned_alloc(64, (sizeof *sw + 63) / 64 * 64);
    if (!sw)
        return NULL;
    memset(sw, 0, sizeof *sw);
    sw->mode = settings->mode;
    sw->ignored = swi_actions_ignored(sw->mode);
    sw->rolling_average = settings->rolling_average;
    sw->drop = settings->drop_first_batch;
    sw->due_slot = (1 + sw->drop) % sw->rolling_average;
    sw->accounting = settings->accounting;
    sw->close_timeout_ns = settings->close_timeout_ns;
    atomic_store(&sw->serial, swi_serial_next());
    pthread_mutex_init(&sw->lock, NULL);
    pthread_mutex_init(&sw->making, NULL);
    swi_past_init(&sw->past, swi_moments_relieve, sw);
    swi_messages_init(&sw->messages);
    swi_misuses_init(&sw->misuses);
    swi_pool_init(&sw->pool);
    swi_traces_init(&sw->traces);
    swi_clock_init(&sw->clock);
    swi_rank_find_here(&rank, &settings->ranks);
    if (*rank.warning)
        swi_say(&sw->messages, SW_WARNING, "%s", rank.warning);
    sw->names = swi_names_new();
    if (sw->names && swi_window_init(&sw->window, settings->rolling_average) &&
        run_init(&sw->run, settings, &rank))
        return sw;
    profiler_free(sw);
    return NULL;
}

struct sw_profiler *swi_profiler_open(const struct swi_settings *settings,
                                      struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct sw_profiler *sw = profiler_new(settings);
    if (!sw) {
        sw_error_set(err, SW_ENOMEM, "not enough memory for a profiler");
        return NULL;
    }
    sw->timing_cost = swi_timing_cost(sw);
    warm_up(sw);
    if (settings->sink_count)
        swi_pool_reserve(&sw->pool);
    if (swi_pipeline_open(&sw->pipeline, settings, &sw->run, &sw->messages, mistakes, err) < 0) {
        profiler_free(sw);
        return NULL;
    }
    if (swi_wants(sw, SW_RECORD_EPOCH))
        swi_past_reserve(&sw->past); /* where there is none, reports are made at once */
    swi_thread_prepare(sw);
    swi_clock_look(&sw->clock); /* the first rate */
    swi_pipeline_fetch(sw->pipeline, swi_regions_fetch, sw);
    swi_exit_add(sw, settings->signals);
    return sw;
}

static void regions_flush(struct sw_profiler *sw)
{
    swi_traces_lock(&sw->traces);
    swi_regions_hand_over(sw);
    swi_traces_unlock(&sw->traces);
}

int sw_flush(struct sw_profiler *sw, int64_t timeout_ns)
{
    if (!sw || atomic_load(&sw->dead) || swi_is_child())
        return 0;
    int cancel = swi_cancel_hold();
    regions_flush(sw);
    int rc = swi_pipeline_flush(sw->pipeline, timeout_ns);
    swi_cancel_release(cancel);
    return rc;
}

/* ---- the end ------------------------------------------------------------------------------------
 */

/* A worker that was left alone still uses what it was given. */
static int end_and_free(struct sw_profiler *sw, struct sw_error *err)
{
    int rc = swi_finish_closed(sw, err ? err : &sw->end_error);
    swi_current_set(NULL, NULL);
    swi_exit_done(sw);
    if (rc == SW_ETIME)
        swi_alone_watch();
    else
        profiler_free(sw);
    return rc;
}

/* What the sinks lost was said then. */
static int ended_before(const struct sw_profiler *sw, struct sw_error *err)
{
    swi_current_set(NULL, NULL);
    if (err)
        *err = sw->end_error;
    return sw->end_error.code;
}

static int profiler_close(struct sw_profiler *sw, struct sw_error *err)
{
    sw_error_clear(err);
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
    if (!sw)
        return 0;
    int cancel = swi_cancel_hold();
    swi_signals_park();
    int rc = profiler_close(sw, err);
    swi_signals_park();
    swi_cancel_release(cancel);
    return rc;
}
