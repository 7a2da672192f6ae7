/* SPDX-License-Identifier: MIT */
/* A thread that sends the newest state to a Pushgateway. A
 * state that could not be sent is not sent later, because a newer one has come by then. */
#include "sinks/prometheus/push/push_thread.h"
#include "core/clock/now.h"
#include "net/answer_words.h"
#include "net/http.h"
#include "net/pace.h"
#include "net/sender.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double answer_s = 10;
static const char type[] = "Content-Type: text/plain; version=0.0.4; charset=utf-8";

struct swi_push {
    struct swi_push_options options;
    struct swi_http *http;
    struct swi_pace pace;
    struct swi_sender sender;
    bool troubled; /* a failure was reported, and there was no success since */
    bool refused;  /* a refusal was reported */
    atomic_bool closing, clean;

    pthread_mutex_t lock; /* protects the rest */
    struct swi_text newest;
};

/* ---- one request ----------------------------------------------------------------------------- */

static void failed_say(struct swi_push *push, const struct swi_http_answer *answer)
{
    char what[512], text[1800];
    bool refused = answer->outcome.status / 100 == 4;
    swi_explain_short(what, sizeof what, answer);
    snprintf(text, sizeof text, "push: %s: %s; %s", push->options.base_url, what,
             refused ? "the gateway refuses the metrics" : "the next state is sent at its time");
    if (refused ? !push->refused : !push->troubled)
        swi_sender_say(&push->sender, 1, text);
    push->refused |= refused;
    push->troubled |= !refused;
}

static void request_send(struct swi_push *push, enum swi_method method, const struct swi_text *text)
{
    const char *const header[] = {type, NULL};
    const struct swi_http_request request = {.path = push->options.path,
                                             .method = method,
                                             .header = header,
                                             .body = text && text->data ? text->data : "",
                                             .fd = -1,
                                             .size = text ? text->size : 0,
                                             .timeout_s = answer_s};
    struct swi_http_answer answer;
    swi_http_send(push->http, &request, &answer);
    if (answer.outcome.status / 100 == 2)
        push->troubled = false;
    else if (!answer.cancelled)
        failed_say(push, &answer);
    swi_http_answer_free(&answer);
}

static void newest_send(struct swi_push *push)
{
    struct swi_text text = {0};
    pthread_mutex_lock(&push->lock);
    swi_text_add(&text, push->newest.data ? push->newest.data : "", push->newest.size);
    pthread_mutex_unlock(&push->lock);
    if (text.size && !text.failed)
        request_send(push, SWI_PUT, &text);
    swi_text_free(&text);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int run(void *arg, struct sw_error *err)
{
    struct swi_push *push = arg;
    (void)err;
    while (!atomic_load(&push->closing)) {
        newest_send(push);
        swi_pace_wait(&push->pace, push->options.interval_s);
    }
    if (atomic_load(&push->clean) && push->options.deletes)
        request_send(push, SWI_DELETE, NULL);
    else
        newest_send(push);
    swi_http_disconnect(push->http);
    return 0;
}

static void push_free(struct swi_push *push)
{
    swi_http_free(push->http);
    swi_pace_fini(&push->pace);
    pthread_mutex_destroy(&push->lock);
    swi_text_free(&push->newest);
    free(push);
}

struct swi_push *swi_push_start(const struct swi_push_options *options, struct sw_error *err)
{
    struct swi_push *push = calloc(1, sizeof *push);
    if (!push) {
        sw_error_set(err, SW_ENOMEM, "not enough memory for a push");
        return NULL;
    }
    push->options = *options;
    swi_pace_init(&push->pace, NULL, NULL);
    pthread_mutex_init(&push->lock, NULL);
    const struct swi_http_options http = {.base_url = push->options.base_url,
                                          .connection = &push->options.connection,
                                          .connect_s = answer_s,
                                          .ended = swi_pace_is_over,
                                          .arg = &push->pace};
    push->http = swi_http_new(&http, err);
    if (push->http && swi_sender_start(&push->sender, "sw-push", run, push, err) == 0)
        return push;
    push_free(push);
    return NULL;
}

/* ---- for the sink ---------------------------------------------------------------------------- */

void swi_push_set(struct swi_push *push, const char *text, size_t size)
{
    pthread_mutex_lock(&push->lock);
    bool first = !push->newest.size;
    push->newest.size = 0;
    swi_text_add(&push->newest, text, size);
    pthread_mutex_unlock(&push->lock);
    if (first)
        swi_pace_wake(&push->pace);
}

void swi_push_hear(struct swi_push *push, swi_message_fn *tell, void *arg)
{
    swi_sender_hear(&push->sender, tell, arg);
}

void swi_push_end(struct swi_push *push, bool clean, int64_t deadline_ns, swi_message_fn *tell,
                  void *arg)
{
    atomic_store(&push->clean, clean);
    atomic_store(&push->closing, true);
    swi_pace_wake(&push->pace);
    bool done = swi_sender_wait(&push->sender, deadline_ns);
    if (!done) {
        tell(arg, 1, "push: close_timeout passed before the last state was sent");
        swi_pace_cancel(&push->pace);
        swi_http_cancel(push->http);
    }
    done = done || swi_sender_wait(&push->sender, swi_now_ns() + 500000000);
    swi_sender_hear(&push->sender, tell, arg);
    if (!done) {
        swi_sender_leave(&push->sender);
        return;
    }
    swi_sender_join(&push->sender);
    push_free(push);
}
