/* SPDX-License-Identifier: MIT */
#include "core/clock/clock.h"
#include "core/delivery/monitor.h"
#include "core/delivery/record.h"
#include "core/delivery/sink_services.h"
#include "core/delivery/worker.h"
#include "core/media/pictures.h"
#include "core/plugins/options.h"
#include "core/text/printable.h"
#include "core/trace/trace.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t run_lock = PTHREAD_MUTEX_INITIALIZER;

void swi_run_replayed(struct sw_run *run, double started_s)
{
    int64_t offset = swi_utc_offset(started_s);
    pthread_mutex_lock(&run_lock);
    __atomic_store(&run->started_s, &started_s, __ATOMIC_RELAXED); /* recorders take no lock */
    run->utc_offset_s = offset;
    run->replayed = true;
    pthread_mutex_unlock(&run_lock);
}

void swi_run_made_by(struct sw_run *run, const char *program, const char *name)
{
    pthread_mutex_lock(&run_lock);
    run->program = program;
    run->name = name;
    pthread_mutex_unlock(&run_lock);
}

void swi_run_child(void)
{
    pthread_mutex_init(&run_lock, NULL);
}

void swi_run_take(struct swi_worker *worker)
{
    pthread_mutex_lock(&run_lock);
    worker->run = *worker->run_given;
    pthread_mutex_unlock(&run_lock);
    worker->run.rank_files = worker->rank_files ? worker->rank_files : "";
    worker->sink.run = &worker->run;
}

enum { LOST_SHOWN = SWI_MESSAGE - 512 };

/* ---- opening --------------------------------------------------------------------------------- */

/* A plugin returns the code, or fills it in, or both. */
static bool is_full(int rc, const struct sw_error *err)
{
    return rc == SW_EFULL || (rc < 0 && err->code == SW_EFULL);
}

static int open_once(struct swi_worker *worker, struct sw_error *err)
{
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    int rc = swi_files_hold(worker, err);
    if (rc == 0 && plugin->open)
        rc = plugin->open(worker->state, &worker->sink, err);
    return is_full(rc, err) && worker->unopened ? SW_EFULL : rc;
}

static int opening_ends(struct swi_worker *worker, int rc, struct sw_error *err,
                        const char *consequence)
{
    free(worker->unopened);
    worker->unopened = NULL;
    if (rc >= 0)
        return 0;
    atomic_store(&worker->given_up, true);
    swi_worker_failure(worker, err, "opening it", consequence);
    return SW_ESINK;
}

int swi_sink_open(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    char shown[SWI_MESSAGE - 512];
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    int rc = SW_ENOMEM;
    if (!swi_placeholders_fill(plugin, worker->state, worker->strings, &worker->run,
                               &worker->fresh_files))
        sw_error_set(&err, rc, "no memory for its paths");
    else {
        worker->unopened = malloc(plugin->state_size + 1);
        if (worker->unopened && plugin->state_size)
            memcpy(worker->unopened, worker->state, plugin->state_size);
        rc = open_once(worker, &err);
    }
    if (rc != SW_EFULL)
        return opening_ends(worker, rc, &err, "; the run continues without this sink");
    sw_error_append(&err, "; its records wait until there is room");
    swi_worker_say(worker, SW_WARNING, swi_printable(shown, sizeof shown, sw_error_text(&err)));
    return rc;
}

/* What it had opened would be opened twice. */
static void open_undo(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(ignored);
    char lost[LOST_SHOWN];
    swi_files_close(worker, lost, sizeof lost, &ignored);
    if (worker->plugin.sink->state_size)
        memcpy(worker->state, worker->unopened, worker->plugin.sink->state_size);
}

int swi_sink_open_again(struct swi_worker *worker, bool last)
{
    SW_ERROR_SCOPE(err);
    open_undo(worker);
    int rc = open_once(worker, &err);
    if (rc == SW_EFULL && !last)
        return rc;
    if (rc >= 0)
        swi_worker_say(worker, SW_NOTE, "there is room again: it gets the records that waited");
    return opening_ends(worker, rc, &err,
                        last ? "; nothing of the run is there"
                             : "; the run continues without this sink");
}

/* ---- records --------------------------------------------------------------------------------- */

/* A sink is not given up while its disk is full. */
static void record_failed(struct swi_worker *worker, bool full, struct sw_error *err)
{
    worker->failed++;
    swi_worker_failure(worker, err, "a record", "");
    if (full || ++worker->failures < SWI_FAILURES_MAX)
        return;
    atomic_store(&worker->given_up, true);
    swi_say_unless(worker->messages, &worker->abandoned, SW_ERROR,
                   "sink %s: gave up after %d failures in a row; the run continues without it",
                   worker->name, SWI_FAILURES_MAX);
}

static void record_handle(struct swi_worker *worker, const struct sw_record *record)
{
    struct sw_error err;
    if (worker->given_up) {
        worker->missed++;
        return;
    }
    /* It was queued before open() said that the sink does not want its kind. */
    if (!(worker->wants & SW_WANT(swi_record_wanted(record))))
        return;
    sw_error_init(&err);
    int rc = worker->plugin.sink->record(worker->state, record, &err);
    swi_count_one(&worker->records);
    if (worker->made)
        swi_made_files_free(&worker->made);
    if (rc < 0)
        record_failed(worker, is_full(rc, &err), &err);
    else
        worker->failures = 0;
    sw_error_free(&err);
}

void swi_sink_lost(struct swi_worker *worker, const struct sw_lost *lost, int64_t time_ns)
{
    struct sw_lost sized = *lost;
    sized.size = sizeof sized;
    struct sw_record record = {.size = sizeof record,
                               .type = SW_RECORD_LOST,
                               .time_ns = time_ns,
                               .wall_s = worker->run.started_s + (double)time_ns * 1e-9,
                               .lost = &sized};
    bool any = lost->metrics || lost->steps || lost->regions || lost->spans;
    if (any && (worker->wants & SW_WANT(SW_RECORD_LOST)))
        record_handle(worker, &record);
}

static void regions_lost(struct swi_worker *worker, const struct swi_slice *slice)
{
    SW_ERROR_SCOPE(err);
    sw_error_set(&err, SW_ENOMEM, "not enough memory for %" PRId64 " begins and ends of regions",
                 swi_slice_events(slice));
    record_failed(worker, false, &err);
}

/* Makes regions of the events. Each sink's thread does so for itself. */
static void regions_handle(struct swi_worker *worker, const struct swi_record *record)
{
    const struct swi_slice *slice = record->slice;
    struct sw_record regions = record->record;
    struct sw_lost lost = {.size = sizeof lost, .regions = slice->lost};
    swi_sink_lost(worker, &lost, regions.time_ns);
    bool declined = !worker->given_up && !(worker->wants & SW_WANT(SW_RECORD_REGIONS));
    if (slice->from == slice->to || declined)
        return;
    if (!worker->regions && !(worker->regions = calloc(1, sizeof *worker->regions))) {
        regions_lost(worker, slice);
        return;
    }
    regions.regions.item = worker->regions->item;
    regions.regions.count = swi_regions_make(worker->regions, slice);
    if (regions.regions.count)
        record_handle(worker, &regions);
}

void swi_sink_handle(struct swi_worker *worker, struct swi_record *record)
{
    worker->time_ns = record->record.time_ns;
    if (record->slice)
        regions_handle(worker, record);
    else if (worker->given_up || !record->finish || record->finish(record))
        record_handle(worker, &record->record);
}

void swi_sink_run(struct swi_worker *worker)
{
    const struct sw_run *run = worker->sink.run;
    struct sw_record record = {
        .size = sizeof record, .type = SW_RECORD_RUN, .wall_s = run->started_s, .run = run};
    if (worker->wants & SW_WANT(SW_RECORD_RUN))
        record_handle(worker, &record);
}

void swi_sink_flush(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    if (plugin->flush && plugin->flush(worker->state, &err) < 0)
        swi_worker_failure(worker, &err, "a flush", "");
    sw_error_free(&err);
    if (swi_files_flush(worker, &err) < 0)
        swi_worker_failure(worker, &err, "a flush", "");
}

void swi_sink_close(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    if (!worker->given_up)
        swi_sink_flush(worker);
    if (plugin->close && plugin->close(worker->state, &err) < 0)
        swi_worker_failure(worker, &err, "closing it", "");
    swi_sink_monitor_close(worker->monitor);
}

void swi_sink_close_files(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    char lost[LOST_SHOWN] = "", shown[LOST_SHOWN];
    if (swi_files_close(worker, lost, sizeof lost, &err) < 0)
        swi_worker_failure(worker, &err, "closing it", "");
    pthread_mutex_lock(&worker->lock);
    worker->files_lost = *lost ? strdup(swi_printable(shown, sizeof shown, lost)) : NULL;
    pthread_mutex_unlock(&worker->lock);
}
