/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/pushing.h"
#include "config.h"
#include "net/close_time.h"
#include "sinks/prometheus/push/push_path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool swi_pushing_is_valid(const char *url)
{
    size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
                    : strncasecmp(url, "https://", 8) == 0 ? 8
                                                           : 0;
    return scheme && url[scheme] && strlen(url) < SWI_PUSH_URL && !strchr(url, '@');
}

#ifdef HAVE_SEND
/* The instance is the machine, and the run and the rank are the labels that the samples have. */
static void path_make(struct swi_text *path, const struct sw_run *run, const char *name)
{
    char rank[32];
    snprintf(rank, sizeof rank, "%" PRId64, run->rank);
    swi_text_put(path, "/metrics/job/stepwatch");
    swi_push_label(path, "instance", run->host);
    swi_push_label(path, "run", name);
    swi_push_label(path, "rank", rank);
}

static const char *environment(void *arg, const char *name)
{
    return sw_sink_getenv(arg, name);
}

static void start(struct swi_pushing *pushing, struct swi_push_options *options, const char *name,
                  const char *url, struct sw_error *err)
{
    struct swi_text path = {0};
    snprintf(options->base_url, sizeof options->base_url, "%s", url);
    for (size_t size = strlen(url); size && options->base_url[size - 1] == '/';)
        options->base_url[--size] = '\0';
    path_make(&path, pushing->sink->run, name);
    swi_connection_find(&options->connection, environment, pushing->sink);
    if (path.failed || path.size >= sizeof options->path)
        sw_error_set(err, SW_EINVAL, "the name of the run is too long for a Pushgateway");
    else {
        memcpy(options->path, path.data, path.size + 1);
        pushing->push = swi_push_start(options, err);
    }
    swi_text_free(&path);
}

void swi_pushing_start(struct swi_pushing *pushing, struct sw_sink *sink, const char *name,
                       const char *url, int64_t interval_ns, bool deletes)
{
    SW_ERROR_SCOPE(err);
    struct swi_push_options *options = calloc(1, sizeof *options);
    pushing->sink = sink;
    if (!options)
        sw_error_set(&err, SW_ENOMEM, "not enough memory for a push");
    else {
        options->interval_s = (double)interval_ns * 1e-9;
        options->deletes = deletes;
        start(pushing, options, name, url, &err);
    }
    if (!pushing->push)
        sw_sink_say(sink, 1, "push: %s; nothing is pushed", sw_error_text(&err));
    free(options);
}

static void tell(void *arg, int level, const char *text)
{
    sw_sink_say(arg, level, "%s", text);
}

void swi_pushing_set(struct swi_pushing *pushing, const char *text, size_t size)
{
    if (pushing->push)
        swi_push_set(pushing->push, text, size);
}

void swi_pushing_flush(struct swi_pushing *pushing)
{
    if (pushing->push)
        swi_push_hear(pushing->push, tell, pushing->sink);
}

void swi_pushing_end(struct swi_pushing *pushing, bool clean, int64_t end_ns)
{
    if (!pushing->push)
        return;
    int64_t deadline_ns = swi_close_deadline_ns(pushing->sink->run, end_ns);
    swi_push_end(pushing->push, clean, deadline_ns, tell, pushing->sink);
    pushing->push = NULL;
}
#else
void swi_pushing_start(struct swi_pushing *pushing, struct sw_sink *sink, const char *name,
                       const char *url, int64_t interval_ns, bool deletes)
{
    (void)pushing, (void)name, (void)url, (void)interval_ns, (void)deletes;
    sw_sink_say(sink, 1,
                "push: this stepwatch was built without libcurl or jansson; nothing is pushed");
}

void swi_pushing_set(struct swi_pushing *pushing, const char *text, size_t size)
{
    (void)pushing, (void)text, (void)size;
}

void swi_pushing_flush(struct swi_pushing *pushing)
{
    (void)pushing;
}

void swi_pushing_end(struct swi_pushing *pushing, bool clean, int64_t end_ns)
{
    (void)pushing, (void)clean, (void)end_ns;
}
#endif
