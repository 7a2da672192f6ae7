/* SPDX-License-Identifier: MIT */
#include "core/delivery/sink_services.h"
#include "core/delivery/monitor.h"
#include "core/delivery/worker.h"
#include "core/media/pictures.h"

void swi_sink_requests_init(struct swi_sink_requests *requests, struct swi_worker **worker)
{
    *requests = (struct swi_sink_requests){.worker = worker};
    pthread_mutex_init(&requests->lock, NULL);
}

void swi_sink_requests_fini(struct swi_sink_requests *requests)
{
    pthread_mutex_destroy(&requests->lock);
}

/* Kinds of values that a sink takes: by its descriptor, as long as it wants any. */
static uint32_t value_kinds_of(const struct swi_worker *worker)
{
    uint32_t wants = worker->wants, kinds = worker->plugin.sink->values, taken = 0;
    if (wants & SW_WANT(SW_RECORD_VALUE))
        taken = (kinds ? kinds : UINT32_MAX) & ~SW_WANT_VALUE(SW_VALUE_LINE);
    return wants & SW_WANT(SW_RECORD_LINE) ? taken | SW_WANT_VALUE(SW_VALUE_LINE) : taken;
}

/* Adds up what is wanted. Returns the changed kinds. */
static uint32_t add_up(struct swi_sink_requests *requests)
{
    uint32_t all = requests->core, kinds = 0;
    for (size_t i = 0; i < requests->count; i++) {
        all |= requests->worker[i]->wants;
        kinds |= value_kinds_of(requests->worker[i]);
    }
    atomic_store(&requests->value_kinds, kinds);
    return all ^ atomic_exchange(&requests->wants, all);
}

void swi_sink_requests_hold(struct swi_sink_requests *requests)
{
    pthread_mutex_lock(&requests->lock);
    add_up(requests);
}

void swi_sink_requests_release(struct swi_sink_requests *requests, bool all_started)
{
    requests->cancelled = !all_started;
    pthread_mutex_unlock(&requests->lock);
}

bool swi_sink_requests_may_begin(struct swi_sink_requests *requests)
{
    pthread_mutex_lock(&requests->lock);
    bool may = !requests->cancelled;
    pthread_mutex_unlock(&requests->lock);
    return may;
}

static void changed_notify(struct swi_sink_requests *requests, uint32_t changed)
{
    swi_sink_requests_changed_fn *fn = atomic_load(&requests->notify);
    if (fn && changed)
        fn(requests->notify_arg, changed);
}

/* Sets the kinds of records that the sink of a worker gets from now on. Kinds that its descriptor
 * does not name are ignored. */
static void sink_requests_set(struct swi_sink_requests *requests, struct swi_worker *worker,
                              uint32_t wants)
{
    wants &= worker->plugin.sink->wants;
    if (atomic_load(&worker->wants) == wants)
        return; /* some sinks ask at each record */
    pthread_mutex_lock(&requests->lock);
    atomic_store(&worker->wants, wants);
    uint32_t changed = add_up(requests);
    pthread_mutex_unlock(&requests->lock);
    changed_notify(requests, changed);
}

void swi_sink_requests_set_core(struct swi_sink_requests *requests, uint32_t wants)
{
    pthread_mutex_lock(&requests->lock);
    requests->core = wants;
    uint32_t changed = add_up(requests);
    pthread_mutex_unlock(&requests->lock);
    changed_notify(requests, changed);
}

static void say(struct sw_sink *sink, int level, const char *text)
{
    enum sw_level known = level <= SW_NOTE ? SW_NOTE : level >= SW_ERROR ? SW_ERROR : SW_WARNING;
    swi_worker_say(swi_worker_of(sink), known, text);
}

static void want(struct sw_sink *sink, uint32_t wants)
{
    struct swi_worker *worker = swi_worker_of(sink);
    sink_requests_set(worker->requests, worker, wants);
}

static const char *environment(struct sw_sink *sink, const char *name)
{
    return swi_environment_get(swi_worker_of(sink)->environment, name);
}

static void lost(struct sw_sink *sink, int64_t records)
{
    if (records > 0)
        atomic_fetch_add(&swi_worker_of(sink)->lost, records);
}

static void progress(struct sw_sink *sink)
{
    atomic_fetch_add(&swi_worker_of(sink)->progress, 1);
}

static void stop(struct sw_sink *sink)
{
    atomic_store(&swi_worker_of(sink)->requests->stopped, true);
}

static int live(struct sw_sink *sink, int fd, const char *wipe, const char *text)
{
    return swi_live_line_show(&swi_worker_of(sink)->messages->live, fd, wipe, text);
}

static bool prints(struct sw_sink *sink)
{
    return atomic_load_explicit(&swi_worker_of(sink)->messages->live.used, memory_order_relaxed);
}

static int encode(struct sw_sink *sink, const struct sw_picture *picture, const void **bytes,
                  size_t *size, struct sw_error *err)
{
    if (swi_picture_encode(picture, &swi_worker_of(sink)->made, bytes, size) == 0)
        return 0;
    return sw_error_set(err, SW_ENOMEM, "not enough memory to encode an image of %d x %d pixels",
                        picture->width, picture->height);
}

static const struct sw_record *sample(struct sw_sink *sink, int64_t interval_ns)
{
    return swi_sink_monitor_sample(swi_worker_of(sink), interval_ns);
}

const struct sw_sink_services swi_sink_services = {
    .size = sizeof(struct sw_sink_services),
    .say = say,
    .want = want,
    .create = swi_files_create,
    .replace = swi_files_replace,
    .resolve = swi_files_resolve,
    .lost = lost,
    .stop = stop,
    .environment = environment,
    .head = swi_files_head,
    .write = swi_files_write,
    .finish = swi_files_finish,
    .live = live,
    .prints = prints,
    .encode = encode,
    .progress = progress,
    .sample = sample,
};
