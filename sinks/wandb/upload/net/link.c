/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/net/link.h"
#include "core/clock/now.h"
#include "net/answer_words.h"
#include "sinks/wandb/upload/net/explain.h"
#include "net/json.h"
#include "net/secrets.h"
#include "sinks/wandb/upload/net/token.h"

#include <string.h>
#include <time.h>

static const double second_ns = 1e9;
/* A living writer sends something every 30 seconds. */
static const double writer_silent_s = 35;

/* ---- waiting --------------------------------------------------------------------------------- */

bool swi_link_wait(struct swi_link *link, double seconds)
{
    return swi_pace_wait(&link->pace, seconds);
}

void swi_link_wake(struct swi_link *link)
{
    swi_pace_wake(&link->pace);
}

void swi_link_hurry(struct swi_link *link)
{
    swi_pace_hurry(&link->pace);
}

void swi_link_cancel(struct swi_link *link)
{
    swi_pace_cancel(&link->pace);
    swi_http_cancel(link->http);
}

/* ---- begin and end --------------------------------------------------------------------------- */

int swi_link_init(struct swi_link *link, const struct swi_http_options *options,
                  swi_message_fn *say, void *arg, bool (*ended)(void *arg), struct sw_error *err)
{
    *link = (struct swi_link){.base_url = options->base_url,
                              .answer_s = 30,
                              .silent_s = writer_silent_s,
                              .say = say,
                              .arg = arg};
    struct swi_http_options http = *options;
    http.ended = swi_pace_is_over;
    http.arg = &link->pace;
    if (!(link->http = swi_http_new(&http, err)))
        return err->code;
    swi_pace_init(&link->pace, ended, arg);
    return 0;
}

void swi_link_fini(struct swi_link *link)
{
    swi_http_free(link->http);
    swi_pace_fini(&link->pace);
}

/* ---- one request, until it is answered ------------------------------------------------------- */

/* An answer counts only if it can be parsed. */
static void answer_read(const struct swi_link *link, const struct swi_http_request *request,
                        struct swi_http_answer *answer, json_t **json)
{
    *json = answer->whole ? swi_json_read(answer->body.data, answer->body.size) : NULL;
    /* The answer to the form is a secret itself. */
    if (!request->form)
        swi_secrets_clean(swi_http_secrets(link->http), *json);
    if (json_is_object(*json))
        return;
    json_decref(*json);
    *json = NULL;
    answer->outcome.status = 0;
    if (!answer->problem[0])
        snprintf(answer->problem, sizeof answer->problem, "the answer is not a JSON object");
}

static void limit_keep(struct swi_link *link, const struct swi_http_answer *answer)
{
    double gap_s = swi_retry_gap_s(answer->remaining, answer->reset_s);
    link->next_ns = swi_now_ns() + (int64_t)(gap_s * second_ns);
}

static bool limit_wait(struct swi_link *link)
{
    double gap_s = (double)(link->next_ns - swi_now_ns()) / second_ns;
    return link->next_ns == 0 || gap_s <= 0 || swi_pace_wait_retry(&link->pace, gap_s, true);
}

/* Replaces secrets in a text by stars. */
static void hide(const struct swi_link *link, char *text)
{
    swi_secrets_hide(swi_http_secrets(link->http), text);
}

static char *text_of(struct sw_error *err)
{
    return err->long_ ? err->long_ : err->short_;
}

void swi_link_hide_error(const struct swi_link *link, struct sw_error *err)
{
    hide(link, text_of(err));
}

/* Upload addresses and their headers are secret, because anyone who has them could upload files
 * there. */
static void hide_place(const struct swi_http_request *request, char *text)
{
    const char *query = request->url ? strchr(request->url, '?') : NULL;
    swi_secret_hide(query, text);
    for (const char *const *line = request->header; request->url && line && *line; line++)
        swi_secret_hide(strchr(*line, ':'), text);
}

/* Reports trouble once, and once when it is over. */
static void trouble(struct swi_link *link, const struct swi_http_request *request,
                    const struct swi_http_answer *answer, double wait_s)
{
    char what[768], text[1024];
    if (link->troubled)
        return;
    link->troubled = true;
    swi_explain_short(what, sizeof what, answer);
    hide(link, what);
    hide_place(request, what);
    snprintf(text, sizeof text,
             "%s: %s; trying again in %.0f s and later; until then, the measurements are kept in "
             "the run's file",
             link->base_url, what, wait_s);
    link->say(link->arg, 1, text);
}

static void recovered(struct swi_link *link)
{
    char text[512];
    if (!link->troubled)
        return;
    link->troubled = false;
    snprintf(text, sizeof text, "%s: is reachable again", link->base_url);
    link->say(link->arg, 0, text);
}

/* The service refuses to create a run with the id of a deleted one, and says so. */
static bool says_deleted(const struct swi_http_answer *answer)
{
    char message[512];
    return answer->outcome.status == 409 &&
           swi_explain_message(message, sizeof message, &answer->body) &&
           strstr(message, "deleted") != NULL;
}

/* Returns whether the run was deleted: its rows are refused because it does not exist, or it cannot
 * be created. */
static bool is_deleted(enum swi_retry kind, const struct swi_http_answer *answer)
{
    int status = answer->outcome.status;
    return (kind == SWI_RETRY_STREAM && (status == 404 || status == 410)) ||
           (kind == SWI_RETRY_UPSERT && status == 409) || says_deleted(answer);
}

static int explain_deleted(struct swi_link *link, const struct swi_http_answer *answer,
                           struct sw_error *err)
{
    char what[768];
    link->deleted = true;
    swi_explain_short(what, sizeof what, answer);
    return sw_error_set(err, SW_EIO,
                        "%s: %s; the service no longer has the run (was it deleted on its page?); "
                        "its file is kept, upload it as another run with: stepwatch sync "
                        "%s --run-id ID",
                        link->base_url, what, link->folder ? link->folder : "FOLDER");
}

static int explain(struct swi_link *link, enum swi_retry kind,
                   const struct swi_http_request *request, const struct swi_http_answer *answer,
                   struct sw_error *err)
{
    int rc = is_deleted(kind, answer)
                 ? explain_deleted(link, answer, err)
                 : swi_explain(link->base_url, link->key_from, request, answer, err);
    swi_link_hide_error(link, err);
    hide_place(request, text_of(err));
    return rc;
}

/* Sends once. Returns 1 if it was answered, 0 to try again, and a negative code to give up. */
static int send_plain(struct swi_link *link, enum swi_retry kind,
                      const struct swi_http_request *request, int tries,
                      struct swi_http_answer *answer, json_t **json, struct sw_error *err)
{
    swi_http_send(link->http, request, answer);
    limit_keep(link, answer);
    if (answer->cancelled)
        return sw_error_set(err, SW_ETIME, "%s: not all was sent in time", link->base_url);
    if (answer->outcome.status / 100 == 2 && json)
        answer_read(link, request, answer, json);
    if (answer->outcome.status / 100 == 2)
        return 1;
    if (says_deleted(answer) || !swi_retry_again(kind, &answer->outcome, tries))
        return explain(link, kind, request, answer, err);
    return 0;
}

/* Exchanges the token of the identity file, if that is due. Returns 1 if there is a valid one. */
static int token_get(struct swi_link *link, enum swi_retry kind, int tries,
                     struct swi_http_answer *answer, struct sw_error *err)
{
    struct swi_text form = {0};
    json_t *json = NULL;
    if (!link->identity || swi_now_ns() < link->token_ns)
        return 1;
    int rc = swi_token_form(&form, link, err);
    if (rc < 0)
        return rc;
    struct swi_http_request request = {.path = "/oidc/token",
                                       .form = true,
                                       .body = form.data,
                                       .size = form.size,
                                       .timeout_s = link->answer_s};
    rc = send_plain(link, kind, &request, tries, answer, &json, err);
    if (rc == 1)
        rc = swi_token_take(link, json, err);
    json_decref(json);
    explicit_bzero(form.data, form.size);
    swi_text_free(&form);
    if (rc == 1)
        swi_http_answer_free(answer);
    return rc;
}

/* The time of a suspend counts too, because the machine was disconnected. */
static int64_t boot_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void swi_link_watch(struct swi_link *link, int (*look)(void *arg, struct sw_error *err), void *arg)
{
    link->look = look;
    link->look_arg = arg;
    link->taken_ns = boot_ns();
}

int swi_link_look(struct swi_link *link, struct sw_error *err)
{
    int64_t now_ns = boot_ns();
    if (!link->look || (double)(now_ns - link->taken_ns) < link->silent_s * second_ns)
        return 0;
    int rc = link->look(link->look_arg, err);
    if (rc == 0)
        link->taken_ns = now_ns;
    return rc;
}

/* Gets a token first, if one is due. */
static int send_once(struct swi_link *link, enum swi_retry kind,
                     const struct swi_http_request *request, int tries,
                     struct swi_http_answer *answer, json_t **json, struct sw_error *err)
{
    int rc = request->path ? token_get(link, kind, tries, answer, err) : 1;
    return rc == 1 ? send_plain(link, kind, request, tries, answer, json, err) : rc;
}

/* Checks first that no other process may have written the run. */
static int send_watched(struct swi_link *link, enum swi_retry kind,
                        const struct swi_http_request *request, int tries,
                        struct swi_http_answer *answer, json_t **json, struct sw_error *err)
{
    bool changes = kind == SWI_RETRY_STREAM || kind == SWI_RETRY_UPSERT;
    int rc = changes ? swi_link_look(link, err) : 0;
    if (rc < 0)
        return rc;
    int64_t sent_ns = boot_ns();
    rc = send_once(link, kind, request, tries, answer, json, err);
    if (rc == 1 && kind == SWI_RETRY_STREAM)
        link->taken_ns = sent_ns;
    return rc;
}

/* If it was answered, the caller owns the body. */
static int send_all(struct swi_link *link, enum swi_retry kind,
                    const struct swi_http_request *request, json_t **json, struct swi_text *body,
                    struct sw_error *err)
{
    for (int tries = 1;; tries++) {
        struct swi_http_answer answer = {0};
        bool on = limit_wait(link);
        int rc = on ? send_watched(link, kind, request, tries, &answer, json, err) : 0;
        double wait_s = swi_retry_wait_s(&answer.outcome, tries, swi_pace_chance(&link->pace));
        if (rc == 1) {
            recovered(link);
            *body = answer.body;
            return 0;
        }
        if (on && rc == 0)
            trouble(link, request, &answer, wait_s);
        swi_http_answer_free(&answer);
        if (rc < 0)
            return rc;
        if (!on || !swi_pace_wait_retry(&link->pace, wait_s, answer.outcome.retry_after_s >= 0))
            return sw_error_set(err, SW_ETIME, "%s: not all was sent in time", link->base_url);
    }
}

int swi_link_send(struct swi_link *link, enum swi_retry kind,
                  const struct swi_http_request *request, json_t **json, struct sw_error *err)
{
    struct swi_text body = {0};
    int rc = send_all(link, kind, request, json, &body, err);
    swi_text_free(&body);
    return rc;
}

int swi_link_send_text(struct swi_link *link, enum swi_retry kind,
                       const struct swi_http_request *request, struct swi_text *body,
                       struct sw_error *err)
{
    struct swi_text ignored = {0};
    int rc = send_all(link, kind, request, NULL, body ? body : &ignored, err);
    swi_text_free(&ignored);
    return rc;
}
