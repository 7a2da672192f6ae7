/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/pushing.h"
#include "config.h"

#ifdef HAVE_SEND
#include "net/asker.h"
#include "core/text/digest.h"
#include "net/http_headers.h"
#include "net/sender.h"
#endif

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { URL_MAX = 1024, PATH_SIZE = 8192 };

bool swi_push_is_valid(const char *url)
{
    size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
                    : strncasecmp(url, "https://", 8) == 0 ? 8
                                                           : 0;
    return scheme && url[scheme] && strlen(url) < URL_MAX && !strchr(url, '@');
}

#ifdef HAVE_SEND
static const double answer_s = 10;
static const char type[] = "Content-Type: text/plain; version=0.0.4; charset=utf-8";

/* The thread may outlive the sink. */
struct swi_push {
    struct sw_sink *sink;   /* only for the sink's thread */
    char base_url[URL_MAX]; /* without a slash at its end */
    char path[PATH_SIZE];   /* of the group */
    double interval_s;
    bool deletes; /* at a clean end, the group is deleted */
    struct swi_asker asker;
    struct swi_sender sender;
    bool troubled; /* a failure was reported, and there was no success since */
    bool refused;  /* a refusal was reported */
    atomic_bool closing, clean;
    struct swi_newest *newest;
};

/* ---- one request ----------------------------------------------------------------------------- */

static void failed_say(struct swi_push *push, const struct swi_http_answer *answer)
{
    char what[512], text[1800];
    int status = answer->outcome.status;
    bool redirected = status / 100 == 3, busy = status == 408 || status == 429;
    bool refused = redirected || (status / 100 == 4 && !busy);
    swi_explain_short(what, sizeof what, answer);
    swi_asker_hide(&push->asker, NULL, what);
    snprintf(text, sizeof text, "push: %s: %s; %s", push->base_url, what,
             redirected ? "it redirects to another address, where the metrics are not sent: set "
                          "push to the address of the gateway"
             : refused  ? "the gateway refuses the metrics"
                        : "the next state is sent at its time");
    if (refused ? !push->refused : !push->troubled)
        swi_sender_say(&push->sender, 1, text);
    push->refused |= refused;
    push->troubled |= !refused;
}

static void request_send(struct swi_push *push, enum swi_method method, const struct swi_text *text)
{
    const char *const header[] = {type, NULL};
    const struct swi_http_request request = {.path = push->path,
                                             .method = method,
                                             .header = header,
                                             .body = text && text->data ? text->data : "",
                                             .fd = -1,
                                             .size = text ? text->size : 0,
                                             .timeout_s = answer_s};
    struct swi_http_answer answer;
    enum swi_asked asked = swi_asker_once(&push->asker, SWI_RETRY_NEVER, &request, 1, &answer);
    if (asked == SWI_ANSWERED)
        push->troubled = false;
    else if (asked != SWI_OVER)
        failed_say(push, &answer);
    swi_asker_free(&answer);
}

static void newest_send(struct swi_push *push)
{
    SWI_FREED struct swi_text text = {0};
    pthread_mutex_lock(&push->newest->lock);
    swi_text_add(&text, push->newest->text.data, push->newest->text.size);
    pthread_mutex_unlock(&push->newest->lock);
    if (!text.failed)
        request_send(push, SWI_PUT, &text);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int run(void *arg, struct sw_error *err)
{
    struct swi_push *push = arg;
    (void)err;
    while (!atomic_load(&push->closing)) {
        newest_send(push);
        swi_pace_wait(&push->asker.pace, push->interval_s);
    }
    if (atomic_load(&push->clean) && push->deletes)
        request_send(push, SWI_DELETE, NULL);
    else
        newest_send(push);
    swi_http_disconnect(push->asker.http);
    return 0;
}

/* ---- begin ----------------------------------------------------------------------------------- */

void swi_push_label(struct swi_text *path, const char *name, const char *value)
{
    /* A part "." or ".." would be taken out of the path. */
    bool dots = strcmp(value, ".") == 0 || strcmp(value, "..") == 0;
    bool coded = !*value || dots || strchr(value, '/');
    swi_text_format(path, "/%s%s/", name, coded ? "@base64" : "");
    if (!*value)
        swi_text_put(path, "=");
    else if (coded)
        swi_base64_add(path, value, strlen(value), SWI_BASE64_ADDRESS);
    else
        swi_http_escape(path, value);
}

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

static int address_set(struct swi_push *push, const char *name, const char *url,
                       struct sw_error *err)
{
    SWI_FREED struct swi_text path = {0};
    snprintf(push->base_url, sizeof push->base_url, "%s", url);
    swi_address_trim(push->base_url);
    path_make(&path, push->sink->run, name);
    return snprintf(push->path, sizeof push->path, "%s", path.data ? path.data : "") >=
                       (int)sizeof push->path ||
                   path.failed
               ? sw_error_set(err, SW_EINVAL, "the name of the run is too long for a Pushgateway")
               : 0;
}

static int start(struct swi_push *push, struct sw_error *err)
{
    struct swi_connection connection;
    const struct swi_http_options options = {.connection = &connection, .connect_s = answer_s};
    swi_connection_find(&connection, swi_env_of_sink, push->sink);
    push->asker.base_url = push->base_url;
    int rc = swi_asker_init(&push->asker, &options, NULL, err);
    if (rc < 0)
        return rc;
    rc = swi_sender_start(&push->sender, "sw-push", run, push, err);
    if (rc < 0)
        swi_asker_fini(&push->asker);
    return rc;
}

struct swi_push *swi_push_start(struct sw_sink *sink, const char *name, struct swi_newest *newest,
                                const char *url, int64_t interval_ns, bool deletes)
{
    SW_ERROR_SCOPE(err);
    struct swi_push *push = calloc(1, sizeof *push);
    if (!push) {
        sw_sink_say(sink, 1, "push: not enough memory for a push; nothing is pushed");
        return NULL;
    }
    push->sink = sink;
    push->interval_s = (double)interval_ns * 1e-9;
    push->deletes = deletes;
    push->newest = newest;
    if (address_set(push, name, url, &err) == 0 && start(push, &err) == 0)
        return push;
    sw_sink_say(sink, 1, "push: %s; nothing is pushed", sw_error_text(&err));
    free(push);
    return NULL;
}

/* ---- while the run goes on, and its end ------------------------------------------------------ */

static void tell(void *arg, int level, const char *text)
{
    sw_sink_say(arg, level, "%s", text);
}

void swi_push_flush(struct swi_push *push)
{
    if (push)
        swi_sender_hear(&push->sender, tell, push->sink);
}

bool swi_push_end(struct swi_push *push, bool clean, int64_t deadline_ns)
{
    if (!push)
        return true;
    atomic_store(&push->clean, clean);
    atomic_store(&push->closing, true);
    swi_pace_wake(&push->asker.pace);
    if (!swi_sender_end(&push->sender, &push->asker, push->sink->run, deadline_ns,
                        "push: close_timeout passed before the last state was sent", tell,
                        push->sink))
        return false;
    swi_asker_fini(&push->asker);
    free(push);
    return true;
}
#else
struct swi_push *swi_push_start(struct sw_sink *sink, const char *name, struct swi_newest *newest,
                                const char *url, int64_t interval_ns, bool deletes)
{
    (void)name, (void)newest, (void)url, (void)interval_ns, (void)deletes;
    sw_sink_say(sink, 1,
                "push: this stepwatch was built without libcurl or jansson; nothing is pushed");
    return NULL;
}

void swi_push_flush(struct swi_push *push)
{
    (void)push;
}

bool swi_push_end(struct swi_push *push, bool clean, int64_t deadline_ns)
{
    (void)push, (void)clean, (void)deadline_ns;
    return true;
}
#endif
