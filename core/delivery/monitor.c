/* SPDX-License-Identifier: MIT */
#include "core/delivery/monitor.h"
#include "core/clock/now.h"
#include "core/delivery/worker.h"
#include "core/plugins/search.h"
#include "core/process/signals.h"
#include "core/text/printable.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 4096, MESSAGES_MAX = 20, ERROR_SHOWN = 1024 };
#define INTERVAL_NS INT64_C(15000000000) /* of a monitor without such an option */

/* ---- the values of a sample ------------------------------------------------------------------ */

void swi_values_clear(struct swi_values_sampled *values)
{
    for (size_t i = 0; i < values->count; i++)
        free((void *)values->item[i].name);
    values->count = 0;
}

void swi_values_fini(struct swi_values_sampled *values)
{
    swi_values_clear(values);
    free(values->item);
    *values = (struct swi_values_sampled){0};
}

/* ---- services -------------------------------------------------------------------------------- */

static struct swi_monitor *monitor_of(struct sw_monitor *seen)
{
    return (struct swi_monitor *)seen;
}

static void value(struct sw_monitor *seen, const char *name, double number)
{
    struct swi_values_sampled *values = monitor_of(seen)->values;
    if (!values || !name || values->count >= VALUES_MAX ||
        !swi_vec_grow(&values->item, values->count, &values->room, sizeof *values->item))
        return;
    struct sw_metric *metric = &values->item[values->count];
    *metric = (struct sw_metric){strdup(name), number, SW_BY_MONITOR};
    values->count += metric->name != NULL;
}

static void say(struct sw_monitor *seen, int level, const char *text)
{
    struct swi_monitor *monitor = monitor_of(seen);
    char shown[ERROR_SHOWN];
    enum sw_level known = level <= SW_NOTE ? SW_NOTE : level >= SW_ERROR ? SW_ERROR : SW_WARNING;
    if (monitor->message_count++ < MESSAGES_MAX)
        swi_say_unless(monitor->messages, monitor->abandoned, known, "monitor %s: %s",
                       monitor->name, swi_printable(shown, sizeof shown, text));
}

static const char *environment(struct sw_monitor *seen, const char *name)
{
    return swi_environment_get(monitor_of(seen)->environment, name);
}

static void energy(struct sw_monitor *seen, double joules)
{
    monitor_of(seen)->joules = joules;
    monitor_of(seen)->has_energy = true;
}

static const struct sw_monitor_services services = {
    .size = sizeof(struct sw_monitor_services),
    .value = value,
    .say = say,
    .environment = environment,
    .energy = energy,
};

/* ---- loading --------------------------------------------------------------------------------- */

static int plugin_load(struct swi_monitor *monitor, struct swi_search *search, bool trial,
                       struct sw_error *err)
{
    char warning[1024] = "";
    if (trial)
        return swi_plugin_try(&swi_kind_monitor, &monitor->plugin, search, monitor->name, err);
    int rc = swi_plugin_load(&swi_kind_monitor, &monitor->plugin, search, monitor->name, warning,
                             sizeof warning, err);
    if (rc >= 0 && *warning && monitor->messages)
        swi_say(monitor->messages, SW_WARNING, "%s", warning);
    return rc;
}

/* That of its option `interval`, which is in its state. */
static int64_t interval_of(const struct swi_monitor *monitor)
{
    int64_t interval = INTERVAL_NS;
    const struct sw_option *option = monitor->plugin.monitor->options;
    for (; option && option->name; option++)
        if (strcmp(option->name, "interval") == 0 && option->type == SW_OPTION_DURATION)
            memcpy(&interval, (const char *)monitor->state + option->offset, sizeof interval);
    return interval > 0 ? interval : INTERVAL_NS;
}

void swi_monitor_load(struct swi_monitor *monitor, struct swi_search *search,
                      const struct swi_sink_settings *given, bool trial,
                      struct swi_mistakes *mistakes)
{
    SW_ERROR_SCOPE(err);
    if (!(monitor->name = strdup(given->name))) {
        swi_mistakes_add(mistakes, &given->where, "monitor %s: out of memory", given->name);
        return;
    }
    if (plugin_load(monitor, search, trial, &err) < 0) {
        swi_mistakes_add(mistakes, &given->where, "%s", sw_error_text(&err));
        return;
    }
    const struct sw_monitor_plugin *plugin = monitor->plugin.monitor;
    monitor->state = calloc(1, plugin->state_size ? plugin->state_size : 1);
    if (!monitor->state)
        swi_mistakes_add(mistakes, &given->where, "monitor %s: out of memory", given->name);
    else if (swi_options_fill(&swi_kind_monitor, plugin, given, monitor->state, &monitor->strings,
                              mistakes) == 0)
        monitor->interval_ns = interval_of(monitor);
    monitor->seen = (struct sw_monitor){.size = sizeof monitor->seen,
                                        .services = &services,
                                        .name = monitor->name,
                                        .user = monitor->plugin.user,
                                        .asked = !given->unasked};
}

void swi_monitor_fini(struct swi_monitor *monitor)
{
    swi_options_free(monitor->strings);
    swi_plugin_fini(&monitor->plugin);
    free(monitor->state);
    free(monitor->name);
}

/* ---- calling the plugin ---------------------------------------------------------------------- */

/* A plugin may have left anything in err. Frees it. */
static void failure(struct swi_monitor *monitor, struct sw_error *err, const char *what,
                    const char *consequence)
{
    char shown[ERROR_SHOWN];
    err->short_[sizeof err->short_ - 1] = '\0';
    if (!*sw_error_text(err))
        sw_error_append(err, "%s failed, and the monitor gave no reason", what);
    swi_say_unless(monitor->messages, monitor->abandoned, SW_WARNING, "monitor %s: %s%s",
                   monitor->name, swi_printable(shown, sizeof shown, sw_error_text(err)),
                   consequence);
    sw_error_free(err);
}

void swi_monitor_open(struct swi_monitor *monitor)
{
    SW_ERROR_SCOPE(err);
    const struct sw_monitor_plugin *plugin = monitor->plugin.monitor;
    struct swi_blamed before = swi_fault_blame("monitor", monitor->name);
    monitor->open = !plugin->open || plugin->open(monitor->state, &monitor->seen, &err) >= 0;
    swi_fault_blame(before.kind, before.name);
    if (!monitor->open)
        failure(monitor, &err, "opening it", "; the run continues without this monitor");
}

void swi_monitor_sample(struct swi_monitor *monitor, int64_t now_ns, bool last)
{
    SW_ERROR_SCOPE(err);
    const struct sw_monitor_plugin *plugin = monitor->plugin.monitor;
    const struct sw_sample sample = {.size = sizeof sample, .time_ns = now_ns, .last = last};
    struct swi_blamed before = swi_fault_blame("monitor", monitor->name);
    int rc = plugin->sample(monitor->state, &sample, &err);
    swi_fault_blame(before.kind, before.name);
    monitor->failures = rc < 0 ? monitor->failures + 1 : 0;
    if (monitor->failures == 1)
        failure(monitor, &err, "a sample", "");
    if (monitor->failures < SWI_MONITOR_FAILURES)
        return;
    swi_monitor_close(monitor);
    swi_say_unless(monitor->messages, monitor->abandoned, SW_WARNING,
                   "monitor %s: gave up after %d failures in a row; the run continues without it",
                   monitor->name, SWI_MONITOR_FAILURES);
}

void swi_monitor_close(struct swi_monitor *monitor)
{
    SW_ERROR_SCOPE(err);
    const struct sw_monitor_plugin *plugin = monitor->plugin.monitor;
    struct swi_blamed before = swi_fault_blame("monitor", monitor->name);
    int rc = monitor->open && plugin->close ? plugin->close(monitor->state, &err) : 0;
    swi_fault_blame(before.kind, before.name);
    monitor->open = false;
    if (rc < 0)
        failure(monitor, &err, "closing it", "");
}

/* ---- the monitor whose samples a sink asks for ----------------------------------------------- */

struct swi_sink_monitor {
    struct swi_monitor monitor;
    struct swi_values_sampled values;
    struct sw_record record; /* of the newest sample */
    bool begun;              /* it was opened, or that failed */
    int64_t sampled_ns;
};

void swi_sink_monitor_load(struct swi_worker *worker, const struct swi_settings *settings,
                           struct swi_search *search)
{
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    const char *name = plugin ? plugin->monitor : NULL;
    struct swi_sink_monitor *made =
        name && !swi_sink_settings_find(settings->monitor, settings->monitor_count, name)
            ? calloc(1, sizeof *made)
            : NULL;
    if (!made)
        return;
    char place[64];
    snprintf(place, sizeof place, "sink %s", worker->name);
    struct swi_sink_settings given = {
        .name = (char *)name, .unasked = true, .where = {.file = place}};
    struct swi_mistakes mistakes = {0};
    made->monitor.messages = worker->messages;
    made->monitor.abandoned = &worker->abandoned;
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
