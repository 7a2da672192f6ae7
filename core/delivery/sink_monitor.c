/* SPDX-License-Identifier: MIT */
#include "core/delivery/monitor.h"

#include "core/clock/now.h"
#include "core/delivery/worker.h"

#include <stdlib.h>
#include <string.h>

struct swi_sink_monitor {
    struct swi_monitor monitor;
    struct swi_values_sampled values;
    struct sw_record record; /* of the newest sample */
    bool begun;              /* it was opened, or that failed */
    int64_t sampled_ns;
};

static bool is_configured(const struct swi_settings *settings, const char *monitor)
{
    for (size_t i = 0; i < settings->monitor_count; i++)
        if (strcmp(settings->monitor[i].name, monitor) == 0)
            return true;
    return false;
}

void swi_sink_monitor_load(struct swi_worker *worker, const struct swi_settings *settings,
                           struct swi_search *search)
{
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    const char *name = plugin ? plugin->monitor : NULL;
    struct swi_sink_monitor *made =
        name && !is_configured(settings, name) ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return;
    char place[64];
    snprintf(place, sizeof place, "sink %s", worker->name);
    struct swi_sink_settings given = {
        .name = (char *)name, .unasked = true, .where = {.file = place}};
    struct swi_mistakes mistakes = {0};
    made->monitor.messages = worker->messages;
    made->monitor.left_alone = &worker->left_alone;
    made->monitor.values = &made->values;
    swi_monitor_load(&made->monitor, search, &given, false, &mistakes);
    made->monitor.seen.sink = worker->name;
    if (mistakes.count) {
        char *text = swi_mistakes_text(&mistakes);
        swi_say(worker->messages, SW_WARNING, "%s; the sink has no samples of it",
                text ? text : place);
        free(text);
        swi_sink_monitor_free(made);
        made = NULL;
    }
    swi_mistakes_fini(&mistakes);
    worker->monitor = made;
}

static void begin(struct swi_sink_monitor *monitor, const struct swi_worker *worker)
{
    monitor->begun = true;
    monitor->monitor.seen.run = &worker->run;
    monitor->monitor.environment = worker->environment;
    swi_monitor_open(&monitor->monitor);
}

/* A record whose moment is now. */
static struct sw_record record_of(const struct swi_values_sampled *values, double started_s)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t time_ns = (int64_t)(((double)now.tv_sec - started_s) * 1e9) + now.tv_nsec;
    return (struct sw_record){.size = sizeof(struct sw_record),
                              .type = SW_RECORD_METRICS,
                              .time_ns = time_ns,
                              .wall_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9,
                              .metrics = {values->count, sizeof *values->item, values->item}};
}

const struct sw_record *swi_sink_monitor_sample(struct swi_worker *worker, int64_t interval_ns)
{
    struct swi_sink_monitor *monitor = worker->monitor;
    int64_t now_ns = swi_now_ns();
    if (!monitor || worker->run.replayed ||
        (monitor->begun && now_ns - monitor->sampled_ns < interval_ns))
        return NULL;
    if (!monitor->begun)
        begin(monitor, worker);
    if (!monitor->monitor.open)
        return NULL;
    monitor->sampled_ns = now_ns;
    swi_values_clear(&monitor->values);
    swi_monitor_sample(&monitor->monitor, now_ns, false);
    monitor->record = record_of(&monitor->values, worker->run.started_s);
    return monitor->values.count ? &monitor->record : NULL;
}

void swi_sink_monitor_close(struct swi_sink_monitor *monitor)
{
    if (monitor)
        swi_monitor_close(&monitor->monitor);
}

void swi_sink_monitor_free(struct swi_sink_monitor *monitor)
{
    if (!monitor)
        return;
    swi_monitor_fini(&monitor->monitor);
    swi_values_fini(&monitor->values);
    free(monitor);
}
