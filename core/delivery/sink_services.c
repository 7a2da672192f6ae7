/* SPDX-License-Identifier: MIT */
#include "core/delivery/sink_services.h"
#include "core/delivery/sink_requests.h"
#include "core/delivery/sink_files.h"
#include "core/delivery/worker_messages.h"
#include "core/media/pictures.h"

static void say(struct sw_sink *sink, int level, const char *text)
{
    enum sw_level known = level <= SW_NOTE ? SW_NOTE : level >= SW_ERROR ? SW_ERROR : SW_WARNING;
    swi_worker_say(swi_worker_of(sink), known, text);
}

static void want(struct sw_sink *sink, uint32_t wants)
{
    struct swi_worker *worker = swi_worker_of(sink);
    swi_sink_requests_set(worker->requests, worker, wants);
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
    swi_sink_requests_stop(swi_worker_of(sink)->requests);
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
};
