/* SPDX-License-Identifier: MIT */
#include "core/pipeline.h"
#include "core/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE_RECORDS = 4096 };

struct swi_pipeline {
    size_t count;
    struct swi_worker **worker;
    struct swi_messages *messages;
    atomic_bool stopped;
};

/* ---- opening ------------------------------------------------------------------------------------
 */

/* "csv" for the first instance of a plugin, "csv-2" for the second. */
static char *instance_name(const struct swi_settings *settings, size_t index)
{
    const char *plugin = settings->sink[index].name;
    size_t number = 1;
    char *name = NULL;
    for (size_t i = 0; i < index; i++)
        number += strcmp(settings->sink[i].name, plugin) == 0;
    if (number == 1)
        return strdup(plugin);
    return asprintf(&name, "%s-%zu", plugin, number) < 0 ? NULL : name;
}

/* Loads the plugin and fills its options; what is wrong goes to mistakes. NULL without memory. */
static struct swi_worker *worker_new(const struct swi_settings *settings, size_t index,
                                     struct swi_messages *messages, struct swi_mistakes *mistakes)
{
    const struct swi_sink_settings *sink = &settings->sink[index];
    struct swi_worker *worker = calloc(1, sizeof *worker);
    struct sw_error err = {0};
    char warning[512] = "";
    if (!worker || !(worker->name = instance_name(settings, index))) {
        free(worker);
        return NULL;
    }
    worker->messages = messages;
    if (swi_plugin_load(&worker->plugin, settings, sink->name, warning, sizeof warning, &err) < 0) {
        swi_mistakes_add(mistakes, &sink->where, "%s", err.text);
        return worker;
    }
    if (*warning && messages)
        swi_say(messages, SW_WARNING, "%s", warning);
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    worker->state = calloc(1, plugin->state_size ? plugin->state_size : 1);
    if (worker->state)
        swi_options_fill(plugin, sink, worker->state, &worker->strings, mistakes);
    else
        swi_mistakes_add(mistakes, &sink->where, "sink %s: no memory", sink->name);
    return worker;
}

void swi_pipeline_free(struct swi_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        if (!pipeline->worker[i])
            continue;
        swi_worker_fini(pipeline->worker[i]);
        free(pipeline->worker[i]);
    }
    free(pipeline->worker);
    free(pipeline);
}

static struct swi_pipeline *pipeline_new(const struct swi_settings *settings,
                                         struct swi_messages *messages,
                                         struct swi_mistakes *mistakes)
{
    struct swi_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline ||
        !(pipeline->worker = calloc(settings->sink_count + 1, sizeof(*pipeline->worker)))) {
        free(pipeline);
        return NULL;
    }
    pipeline->messages = messages;
    for (size_t i = 0; i < settings->sink_count; i++) {
        pipeline->worker[i] = worker_new(settings, i, messages, mistakes);
        if (!pipeline->worker[i]) {
            swi_pipeline_free(pipeline);
            return NULL;
        }
        pipeline->worker[i]->stopped = &pipeline->stopped;
        pipeline->count++;
    }
    return pipeline;
}

static int worker_start(struct swi_worker *worker, const struct sw_run *run, struct sw_error *err)
{
    const struct sw_sink_plugin *plugin = worker->plugin.sink;
    size_t room = plugin->queue_records ? plugin->queue_records : QUEUE_RECORDS;
    if (swi_queue_init(&worker->queue, room, plugin->queue) < 0)
        return sw_error_set(err, SW_ENOMEM, "sink %s: no memory for its queue", worker->name);
    if (swi_worker_start(worker, run) < 0)
        return sw_error_set(err, SW_EIO, "sink %s: no thread can be started for it: %s",
                            worker->name, strerror(errno));
    return 0;
}

int swi_pipeline_open(struct swi_pipeline **opened, const struct swi_settings *settings,
                      const struct sw_run *run, struct swi_messages *messages,
                      struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct sw_error ignored;
    struct swi_pipeline *pipeline = pipeline_new(settings, messages, mistakes);
    if (!pipeline)
        return sw_error_set(err, SW_ENOMEM, "no memory for the sinks");
    if (mistakes->count) {
        swi_pipeline_free(pipeline);
        return swi_mistakes_error(mistakes, err);
    }
    for (size_t i = 0; i < pipeline->count; i++) {
        int rc = worker_start(pipeline->worker[i], run, err);
        if (rc < 0) {
            if (swi_pipeline_close(pipeline, 1000000000, &ignored) != SW_ETIME)
                swi_pipeline_free(pipeline);
            return rc;
        }
    }
    *opened = pipeline;
    return 0;
}

void swi_pipeline_check(const struct swi_settings *settings, struct swi_mistakes *mistakes)
{
    struct swi_pipeline *pipeline = pipeline_new(settings, NULL, mistakes);
    if (pipeline)
        swi_pipeline_free(pipeline);
}

/* ---- records ------------------------------------------------------------------------------------
 */

uint32_t swi_pipeline_wants(const struct swi_pipeline *pipeline)
{
    uint32_t wants = 0;
    for (size_t i = 0; i < pipeline->count; i++)
        wants |= atomic_load_explicit(&pipeline->worker[i]->wants, memory_order_relaxed);
    return wants;
}

void swi_pipeline_push(struct swi_pipeline *pipeline, struct swi_record *record)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        struct swi_worker *worker = pipeline->worker[i];
        if (!(atomic_load_explicit(&worker->wants, memory_order_relaxed) &
              SW_WANT(record->record.type)))
            continue;
        swi_record_ref(record);
        swi_queue_push(&worker->queue, record);
    }
    swi_record_unref(record);
}

bool swi_pipeline_stopped(const struct swi_pipeline *pipeline)
{
    return atomic_load(&pipeline->stopped);
}

/* ---- flushing and closing -----------------------------------------------------------------------
 */

static struct timespec deadline_in(int64_t ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ns / 1000000000;
    t.tv_nsec += ns % 1000000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

int swi_pipeline_flush(struct swi_pipeline *pipeline, int64_t timeout_ns)
{
    struct timespec deadline = deadline_in(timeout_ns);
    int rc = 0;
    for (size_t i = 0; i < pipeline->count; i++)
        swi_worker_flush(pipeline->worker[i]);
    for (size_t i = 0; i < pipeline->count; i++)
        if (!swi_worker_flush_wait(pipeline->worker[i], &deadline))
            rc = SW_ETIME;
    return rc;
}

/* Appends "sink NAME: …" as a line of its own. */
static void tell(struct sw_error *err, int code, const struct swi_worker *worker, const char *text)
{
    size_t used = err->code ? strlen(err->text) : 0;
    if (err->code != SW_ETIME)
        err->code = code;
    snprintf(err->text + used, sizeof err->text - used, "%ssink %s: %s", used ? "\n" : "",
             worker->name, text);
}

static void tell_left_alone(struct sw_error *err, struct swi_worker *worker, int64_t timeout_ns)
{
    char text[256];
    snprintf(text, sizeof text,
             "did not finish within close_timeout (%g s) and was left alone; %zu records did not "
             "make it",
             (double)timeout_ns * 1e-9, swi_queue_waiting(&worker->queue));
    tell(err, SW_ETIME, worker, text);
}

int swi_pipeline_close(struct swi_pipeline *pipeline, int64_t timeout_ns, struct sw_error *err)
{
    struct timespec deadline = deadline_in(timeout_ns);
    char text[2048];
    sw_error_clear(err);
    for (size_t i = 0; i < pipeline->count; i++)
        if (pipeline->worker[i]->started)
            swi_queue_close(&pipeline->worker[i]->queue);
    for (size_t i = 0; i < pipeline->count; i++) {
        struct swi_worker *worker = pipeline->worker[i];
        if (!worker->started)
            continue;
        if (!swi_worker_join(worker, &deadline))
            tell_left_alone(err, worker, timeout_ns);
        if (swi_worker_summary(worker, text, sizeof text))
            tell(err, SW_ESINK, worker, text);
    }
    return err->code;
}

/* Threads and locks are those of the parent: no sink is looked at again. */
void swi_pipeline_forget(struct swi_pipeline *pipeline)
{
    pipeline->count = 0;
}
