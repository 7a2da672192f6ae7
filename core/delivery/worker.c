/* SPDX-License-Identifier: MIT */
/* The thread of one sink: opens it, passes records to it, flushes it about once a second, and
 * closes it. */
#include "core/delivery/worker.h"
#include "core/delivery/record_kinds.h"
#include "core/plugins/placeholders.h"
#include "core/clock/clock.h"
#include "core/clock/now.h"
#include "core/process/crash.h"
#include "core/delivery/demand.h"
#include "core/delivery/sink_files.h"
#include "core/media/pictures.h"
#include "core/text/printable.h"
#include "core/process/own_thread.h"
#include "core/trace/slice.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { BATCH = 256, ERROR_SHOWN = 1024 };
#define SECOND_NS INT64_C(1000000000)
/* A sink is opened after this time if it has no record yet: until then, the program may set clock,
 * start and messages. */
#define OPEN_AFTER_NS INT64_C(100000000)
/* Together with the carrier's longest sleep, this is less than a second, the most that a kill may
 * lose. */
#define FLUSH_NS INT64_C(700000000)
/* A sink that gets nothing is flushed at growing intervals, up to this one. */
#define FLUSH_IDLE_NS (5 * SECOND_NS)
#define FLUSH_TICK_NS INT64_C(10000000)

static const struct sw_sink_plugin *plugin_of(const struct swi_worker *worker)
{
    return worker->plugin.sink;
}

/* ---- what goes wrong ----------------------------------------------------------------------------
 */

/* Returns the error of a plugin as printable text. The plugin may have left anything in err. */
static char *error_text(struct sw_error *err, const char *what)
{
    char shown[ERROR_SHOWN];
    err->short_[sizeof err->short_ - 1] = '\0';
    if (!*sw_error_text(err))
        sw_error_append(err, "%s failed, and the sink gave no reason", what);
    return strdup(swi_printable(shown, sizeof shown, sw_error_text(err)));
}

/* Reports an error and frees err. Only the first error of a sink is reported. consequence: what it
 * means for the run, or "". */
static void failure(struct swi_worker *worker, struct sw_error *err, const char *what,
                    const char *consequence)
{
    char *text = error_text(err, what);
    pthread_mutex_lock(&worker->lock);
    bool first = text && !worker->first_error;
    if (first)
        worker->first_error = text;
    pthread_mutex_unlock(&worker->lock);
    if (first)
        swi_say_unless(worker->messages, &worker->left_alone, SW_ERROR, "sink %s: %s%s",
                       worker->name, text, consequence);
    else
        free(text);
    sw_error_free(err);
}

/* Returns whether one more message is allowed: one per second in the long run. */
static bool may_say(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    int64_t now = swi_monotonic_ns(), seconds = (now - worker->message_ns) / SECOND_NS;
    if (seconds < 0) { /* a library moves the clock */
        seconds = 0;
        worker->message_ns = now;
    }
    int64_t left = worker->messages_left + seconds;
    worker->messages_left = left < SWI_MESSAGES_MAX ? left : SWI_MESSAGES_MAX;
    worker->message_ns += seconds * SECOND_NS;
    bool may = worker->messages_left > 0 && worker->messages_left--;
    pthread_mutex_unlock(&worker->lock);
    return may;
}

void swi_worker_say(struct swi_worker *worker, enum sw_level level, const char *text)
{
    if (may_say(worker))
        swi_say_unless(worker->messages, &worker->left_alone, level, "sink %s: %s", worker->name,
                       text);
    else
        worker->unsaid++;
}

/* ---- calling the sink ---------------------------------------------------------------------------
 */

static bool worker_open(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    bool filled = swi_placeholders_fill(plugin, worker->state, worker->strings, &worker->run,
                                        &worker->fresh_files);
    if (filled)
        swi_files_hold(worker);
    else
        sw_error_set(&err, SW_ENOMEM, "no memory for its paths");
    if (filled && (!plugin->open || plugin->open(worker->state, &worker->sink, &err) >= 0))
        return true;
    atomic_store(&worker->given_up, true);
    failure(worker, &err, "opening it", "; the run continues without this sink");
    return false;
}

/* Only the worker's thread writes the counters. */
static void count_one(atomic_llong *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void record_failed(struct swi_worker *worker, struct sw_error *err)
{
    worker->failed++;
    failure(worker, err, "a record", "");
    if (++worker->failures < SWI_FAILURES_MAX)
        return;
    atomic_store(&worker->given_up, true);
    swi_say_unless(worker->messages, &worker->left_alone, SW_ERROR,
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
    int rc = plugin_of(worker)->record(worker->state, record, &err);
    count_one(&worker->records);
    swi_made_files_free(&worker->made);
    if (rc < 0)
        record_failed(worker, &err);
    else
        worker->failures = 0;
    sw_error_free(&err);
}

/* Tells the sink what was lost, if it wants to know. */
static void lost_handle(struct swi_worker *worker, const struct sw_lost *lost, int64_t time_ns)
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
    record_failed(worker, &err);
}

/* Makes regions of the events. Each sink's thread does so for itself. */
static void regions_handle(struct swi_worker *worker, const struct swi_record *record)
{
    const struct swi_slice *slice = record->slice;
    struct sw_record regions = record->record;
    struct sw_lost lost = {.size = sizeof lost, .regions = slice->lost};
    lost_handle(worker, &lost, regions.time_ns);
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

/* A sink that was given up gets nothing, so no record is completed for it alone. */
static void queued_handle(struct swi_worker *worker, struct swi_record *record)
{
    worker->time_ns = record->record.time_ns;
    if (record->slice)
        regions_handle(worker, record);
    else if (worker->given_up || !record->finish || record->finish(record))
        record_handle(worker, &record->record);
}

static void run_handle(struct swi_worker *worker)
{
    const struct sw_run *run = worker->sink.run;
    struct sw_record record = {
        .size = sizeof record, .type = SW_RECORD_RUN, .wall_s = run->started_s, .run = run};
    if (worker->wants & SW_WANT(SW_RECORD_RUN))
        record_handle(worker, &record);
}

/* It need not be exact, and it is read after each record. It stands still between two ticks of the
 * kernel, which are at most FLUSH_TICK_NS apart. */
static int64_t flush_clock_ns(void)
{
    struct timespec now;
    swi_time(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void worker_flush(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    worker->flushed_ns = flush_clock_ns();
    if (plugin->flush && plugin->flush(worker->state, &err) < 0)
        failure(worker, &err, "a flush", "");
    sw_error_free(&err);
    if (swi_files_flush(worker, &err) < 0)
        failure(worker, &err, "a flush", "");
}

static void worker_close(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    if (!worker->given_up)
        worker_flush(worker);
    if (plugin->close && plugin->close(worker->state, &err) < 0)
        failure(worker, &err, "closing it", "");
}

static void files_close(struct swi_worker *worker)
{
    SW_ERROR_SCOPE(err);
    char lost[ERROR_SHOWN] = "", shown[ERROR_SHOWN];
    if (swi_files_close(worker, lost, sizeof lost, &err) < 0)
        failure(worker, &err, "closing it", "");
    pthread_mutex_lock(&worker->lock);
    worker->files_lost = *lost ? strdup(swi_printable(shown, sizeof shown, lost)) : NULL;
    pthread_mutex_unlock(&worker->lock);
}

/* ---- the thread ---------------------------------------------------------------------------------
 */

static bool has_flush(const struct swi_worker *worker)
{
    return !worker->given_up && (plugin_of(worker)->flush || worker->files);
}

static void flush_if_due(struct swi_worker *worker)
{
    /* A time in the future counts as long ago, because a library may move the clock. */
    if (!has_flush(worker) ||
        (uint64_t)(flush_clock_ns() - worker->flushed_ns) < (uint64_t)worker->flush_after_ns)
        return;
    worker_flush(worker);
    int64_t twice = 2 * worker->flush_after_ns;
    worker->flush_after_ns = twice < FLUSH_IDLE_NS ? twice : FLUSH_IDLE_NS;
}

/* Returns how long a worker without records may sleep: until its clock, which is late, says that
 * the flush is due, or the worker would wake up again and again until the next tick. */
static int64_t flush_due_in(const struct swi_worker *worker)
{
    if (!has_flush(worker))
        return 60 * SECOND_NS;
    int64_t since = flush_clock_ns() - worker->flushed_ns;
    int64_t left = worker->flush_after_ns - since;
    return since < 0 || left <= 0 ? 0 : left + FLUSH_TICK_NS;
}

static void flush_answer(struct swi_worker *worker, uint64_t records)
{
    pthread_mutex_lock(&worker->lock);
    worker->flush_done = records;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->lock);
}

static void flush_if_asked(struct swi_worker *worker, uint64_t delivered)
{
    pthread_mutex_lock(&worker->lock);
    bool asked = worker->flush_asked > worker->flush_done && delivered >= worker->flush_asked;
    pthread_mutex_unlock(&worker->lock);
    if (!asked)
        return;
    if (!worker->given_up)
        worker_flush(worker);
    flush_answer(worker, delivered);
}

/* Lets the processor fetch a record that another one has written, while the sink handles the record
 * before it. */
static void record_fetch(const struct swi_record *record)
{
    enum { LINE = 64, LINES = (int)((sizeof *record + sizeof *record->metric) / LINE) + 1 };
    for (int i = 0; i < LINES; i++)
        __builtin_prefetch((const char *)record + LINE * i);
}

static void taken_handle(struct swi_worker *worker, struct swi_record **records,
                         const struct swi_taken *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        if (i + 1 < taken->count)
            record_fetch(records[i + 1]);
        if (i == taken->lost_before)
            lost_handle(worker, &taken->lost, records[i]->record.time_ns);
        queued_handle(worker, records[i]);
        count_one(&worker->handled);
        swi_record_unref(records[i]);
        worker->flush_after_ns = FLUSH_NS;
        flush_if_due(worker);
    }
    if (taken->lost_before == taken->count)
        lost_handle(worker, &taken->lost, worker->time_ns);
}

/* Delivers records until the queue is closed and empty. */
static void worker_deliver(struct swi_worker *worker)
{
    struct swi_record *records[BATCH];
    struct swi_taken taken = {0};
    while (!taken.closing) {
        swi_queue_wait(&worker->queue, flush_due_in(worker));
        taken = swi_queue_take(&worker->queue, records, BATCH);
        taken_handle(worker, records, &taken);
        flush_if_due(worker);
        flush_if_asked(worker, taken.number);
    }
}

/* The name shows in debuggers and crash reports whose code the thread runs. */
static void thread_name(const struct swi_worker *worker)
{
    char name[16];
    snprintf(name, sizeof name, "sw-%.12s", worker->name);
    pthread_setname_np(pthread_self(), name);
}

static pthread_mutex_t run_lock = PTHREAD_MUTEX_INITIALIZER;

void swi_run_replayed(struct sw_run *run, double started_s)
{
    int64_t offset = swi_utc_offset(started_s);
    pthread_mutex_lock(&run_lock);
    run->started_s = started_s;
    run->utc_offset_s = offset;
    run->replayed = true;
    pthread_mutex_unlock(&run_lock);
}

void swi_run_child(void)
{
    pthread_mutex_init(&run_lock, NULL);
}

/* Copies the run: a sink has no lock with which it could read it again. The program may change the
 * run until the sink is opened. */
static void run_take(struct swi_worker *worker)
{
    pthread_mutex_lock(&run_lock);
    worker->run = *worker->run_given;
    pthread_mutex_unlock(&run_lock);
    worker->run.rank_files = worker->rank_files ? worker->rank_files : "";
    worker->sink.run = &worker->run;
}

static void worker_run(struct swi_worker *worker)
{
    swi_queue_wait(&worker->queue, OPEN_AFTER_NS);
    run_take(worker);
    worker->flushed_ns = flush_clock_ns();
    worker->flush_after_ns = FLUSH_NS;
    bool opened = worker_open(worker);
    if (opened)
        run_handle(worker);
    worker_deliver(worker);
    if (opened)
        worker_close(worker);
    files_close(worker);
}

/* Initial-exec: reading it in a signal handler allocates nothing. */
static __attribute__((tls_model("initial-exec"))) _Thread_local struct swi_worker *volatile here;

struct swi_worker *swi_worker_here(void)
{
    return here;
}

static void gone(struct swi_worker *worker, enum swi_gone why)
{
    pthread_mutex_lock(&worker->lock);
    worker->gone = why;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->lock);
}

void swi_worker_leave(void)
{
    if (here)
        gone(here, SWI_EXITING);
}

void swi_worker_gone(struct swi_worker *worker)
{
    gone(worker, SWI_CRASHED);
}

enum swi_gone swi_worker_why_gone(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    enum swi_gone why = worker->gone;
    pthread_mutex_unlock(&worker->lock);
    return why;
}

/* Allows reading the counter, because the C library does so for the sink. The program has disabled
 * it only for its own threads. */
static void counter_allow(void)
{
    if (swi_counter_trapped())
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
}

static void *worker_main(void *arg)
{
    struct swi_worker *worker = arg;
    here = worker;
    counter_allow();
    thread_name(worker);
    swi_fault_blame("sink", worker->name);
    if (swi_demand_may_begin(worker->demand))
        worker_run(worker);
    here = NULL;
    pthread_mutex_lock(&worker->lock);
    worker->done = true;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static uint32_t wants_of(const struct swi_worker *worker)
{
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    return plugin->select ? plugin->wants & plugin->select(worker->state, &worker->run)
                          : plugin->wants;
}

int swi_worker_init(struct swi_worker *worker, const struct sw_run *run,
                    const struct sw_sink_services *services)
{
    enum { RECORDS = 4096 };
    const struct sw_sink_plugin *plugin = plugin_of(worker);
    size_t room = plugin->queue_records ? plugin->queue_records : RECORDS;
    worker->sink = (struct sw_sink){.size = sizeof worker->sink,
                                    .services = services,
                                    .name = worker->name,
                                    .user = worker->plugin.user};
    worker->messages_left = SWI_MESSAGES_MAX;
    worker->message_ns = swi_monotonic_ns();
    worker->run_given = run;
    worker->started_ns = (int64_t)(run->started_s * 1e9);
    run_take(worker);
    atomic_init(&worker->wants, wants_of(worker));
    if (swi_queue_init(&worker->queue, room, plugin->queue) < 0)
        return SW_ENOMEM;
    worker->queue.value_kinds = plugin->values ? plugin->values : UINT32_MAX;
    pthread_mutex_init(&worker->lock, NULL);
    swi_cond_init(&worker->change);
    return 0;
}

int swi_worker_start(struct swi_worker *worker)
{
    sigset_t old;
    swi_signals_block(&old);
    int rc = pthread_create(&worker->thread, NULL, worker_main, worker);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    worker->started = rc == 0;
    return rc;
}

uint64_t swi_worker_flush(struct swi_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    uint64_t records = swi_queue_wake(&worker->queue);
    if (worker->flush_asked < records)
        worker->flush_asked = records;
    pthread_mutex_unlock(&worker->lock);
    return records;
}

bool swi_worker_flush_wait(struct swi_worker *worker, uint64_t records,
                           const struct swi_deadline *deadline)
{
    int rc = 0;
    pthread_mutex_lock(&worker->lock);
    while (worker->flush_done < records && !worker->gone && rc == 0)
        rc = swi_deadline_wait(&worker->change, &worker->lock, deadline);
    bool done = worker->flush_done >= records;
    pthread_mutex_unlock(&worker->lock);
    return done;
}

static bool is_done(struct swi_worker *worker, const struct swi_deadline *deadline)
{
    int rc = 0;
    pthread_mutex_lock(&worker->lock);
    while (!worker->done && !worker->gone && rc == 0)
        rc = swi_deadline_wait(&worker->change, &worker->lock, deadline);
    bool done = worker->done;
    pthread_mutex_unlock(&worker->lock);
    return done;
}

void swi_worker_wait(struct swi_worker *worker, const struct swi_deadline *deadline)
{
    is_done(worker, deadline);
}

bool swi_worker_join(struct swi_worker *worker, const struct swi_deadline *deadline)
{
    if (is_done(worker, deadline) && swi_deadline_join(worker->thread, deadline))
        return true;
    atomic_store(&worker->left_alone, true);
    pthread_detach(worker->thread);
    return false;
}

int64_t swi_worker_waiting(struct swi_worker *worker)
{
    int64_t dropped[SW_RECORD_TYPES];
    int64_t waiting = swi_queue_count(&worker->queue, dropped);
    for (int type = 0; type < SW_RECORD_TYPES; type++)
        waiting -= dropped[type];
    return waiting - worker->handled;
}

void swi_worker_fini(struct swi_worker *worker)
{
    if (worker->queue.droppable.item) {
        pthread_cond_destroy(&worker->change);
        pthread_mutex_destroy(&worker->lock);
        swi_queue_fini(&worker->queue);
    }
    swi_options_free(worker->strings);
    swi_plugin_fini(&worker->plugin);
    swi_regions_free(worker->regions);
    free(worker->first_error);
    free(worker->files_lost);
    free(worker->state);
    free(worker->name);
}
