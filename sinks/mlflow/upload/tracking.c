/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/tracking.h"
#include "core/clock/now.h"
#include "net/answer_words.h"
#include "net/json.h"
#include "net/secrets.h"

#include <stdio.h>
#include <string.h>

static const double connect_s = 10;

/* ---- begin and end --------------------------------------------------------------------------- */

static struct swi_http_options http_options(struct swi_tracking *tracking)
{
    const struct swi_tracking_server *server = tracking->server;
    bool basic = *server->login->user || *server->login->password;
    return (struct swi_http_options){.base_url = server->base_url,
                                     .user = server->login->user,
                                     .key = basic ? server->login->password : NULL,
                                     .connection = &server->connection,
                                     .ca_file = server->ca_file,
                                     .certificate = server->certificate,
                                     .insecure = server->insecure,
                                     .connect_s = connect_s,
                                     .ended = swi_pace_is_over,
                                     .arg = &tracking->pace};
}

int swi_tracking_init(struct swi_tracking *tracking, const struct swi_tracking_server *server,
                      swi_message_fn *say, bool (*ended)(void *arg), void *arg,
                      struct sw_error *err)
{
    *tracking = (struct swi_tracking){.server = server, .say = say, .arg = arg};
    const struct swi_http_options options = http_options(tracking);
    tracking->http = swi_http_new(&options, err);
    if (!tracking->http)
        return err->code;
    const char *token = server->login->token;
    if (*token && !swi_http_token(tracking->http, token)) {
        swi_http_free(tracking->http);
        return sw_error_set(err, SW_EINVAL, "MLFLOW_TRACKING_TOKEN is too long");
    }
    swi_pace_init(&tracking->pace, ended, arg);
    if (*server->workspace)
        snprintf(tracking->workspace, sizeof tracking->workspace, "X-MLFLOW-WORKSPACE: %s",
                 server->workspace);
    tracking->headers[0] = *tracking->workspace ? tracking->workspace : NULL;
    return 0;
}

void swi_tracking_fini(struct swi_tracking *tracking)
{
    swi_http_free(tracking->http);
    swi_pace_fini(&tracking->pace);
}

void swi_tracking_cancel(struct swi_tracking *tracking)
{
    swi_pace_cancel(&tracking->pace);
    swi_http_cancel(tracking->http);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Returns whether the last report is so recent that another one would only fill the terminal. */
static bool is_recent(const struct swi_tracking *tracking)
{
    return tracking->said_ns && swi_now_ns() - tracking->said_ns < INT64_C(60000000000);
}

/* Reports trouble once, and once when it is over. */
static void trouble(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                    double wait_s)
{
    char what[768], text[1900];
    if (tracking->troubled || is_recent(tracking))
        return;
    tracking->troubled = true;
    tracking->said_ns = swi_now_ns();
    swi_explain_short(what, sizeof what, answer);
    swi_secrets_hide(swi_http_secrets(tracking->http), what);
    snprintf(text, sizeof text,
             "%s: %s; trying again in %.0f s and later; until then, the measurements are kept in "
             "the run's journal",
             tracking->server->base_url, what, wait_s);
    tracking->say(tracking->arg, 1, text);
}

static void recovered(struct swi_tracking *tracking)
{
    char text[SWI_TRACKING_VALUE + 64];
    if (!tracking->troubled)
        return;
    tracking->troubled = false;
    snprintf(text, sizeof text, "%s: is reachable again", tracking->server->base_url);
    tracking->say(tracking->arg, 0, text);
}

static const char *login_advice(const struct swi_tracking_login *login)
{
    if (*login->token)
        return "the server does not accept MLFLOW_TRACKING_TOKEN; with --app-name basic-auth it "
               "expects MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD";
    if (*login->user || *login->password)
        return "the server does not accept MLFLOW_TRACKING_USERNAME and "
               "MLFLOW_TRACKING_PASSWORD as set";
    return "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN";
}

static const char *advice(const struct swi_tracking_login *login,
                          const struct swi_http_answer *answer, const char *what)
{
    int status = answer->outcome.status;
    if (answer->other_host)
        return "its certificate is for another host: MLFLOW_TRACKING_URI must name the host as the "
               "certificate does";
    if (answer->untrusted)
        return "for an authority of your own, set MLFLOW_TRACKING_SERVER_CERT_PATH";
    if (status == 0)
        return "is the address in MLFLOW_TRACKING_URI correct?";
    if (status == 401)
        return login_advice(login);
    if (status == 403 && strstr(what, "Invalid Host"))
        return "start the server with --allowed-hosts and the host of MLFLOW_TRACKING_URI";
    if (status == 403)
        return "this user may not write there";
    if (status / 100 == 3)
        return "it redirects to another address, where the login is not sent: set "
               "MLFLOW_TRACKING_URI to the address of the server";
    return "the server rejects it, and would reject it again";
}

/* An answer that is not JSON, such as the one to a wrong host, has its words in the body. */
static void body_words(char *text, size_t size, const struct swi_http_answer *answer)
{
    bool host = answer->body.data && strstr(answer->body.data, "Invalid Host header");
    swi_explain_short(text, size, answer);
    if (host && !strstr(text, "Invalid Host"))
        snprintf(text, size, "answered %d (\"Invalid Host header\")", answer->outcome.status);
}

int swi_tracking_refused(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                         struct sw_error *err)
{
    char what[768];
    body_words(what, sizeof what, answer);
    swi_secrets_hide(swi_http_secrets(tracking->http), what);
    return sw_error_set(err, SW_EIO, "%s: %s; %s", tracking->server->base_url, what,
                        advice(tracking->server->login, answer, what));
}

int swi_tracking_over(const struct swi_tracking *tracking, struct sw_error *err)
{
    return sw_error_set(err, SW_ETIME, "%s: not all was sent in time", tracking->server->base_url);
}

/* ---- one request ----------------------------------------------------------------------------- */

static bool is_json(const struct swi_http_answer *answer)
{
    json_t *json = swi_json_read_tokens(answer->body.data, answer->body.size);
    bool object = json_is_object(json);
    json_decref(json);
    return object;
}

/* A proxy or a page for the login may answer 200 in place of the server, which has then stored
 * nothing. If it has been MLflow before, it may be again. */
static enum swi_asked foreign_take(const struct swi_tracking *tracking,
                                   struct swi_http_answer *answer)
{
    snprintf(answer->problem, sizeof answer->problem,
             "answered %d, but not as MLflow does: perhaps a proxy or a login page",
             answer->outcome.status);
    answer->outcome.status = 0;
    return tracking->known ? SWI_LOST : SWI_REFUSED;
}

/* The server answers JSON, or nothing to a file. */
enum swi_asked swi_tracking_once(struct swi_tracking *tracking,
                                 const struct swi_http_request *request,
                                 struct swi_http_answer *answer)
{
    swi_http_send(tracking->http, request, answer);
    if (answer->cancelled)
        return SWI_OVER;
    bool good = answer->outcome.status / 100 == 2, has_body = answer->whole && answer->body.size;
    bool json = has_body && is_json(answer);
    tracking->known |= json;
    if (good && has_body && !json)
        return foreign_take(tracking, answer);
    if (good) {
        recovered(tracking);
        return SWI_ANSWERED;
    }
    return swi_retry_again(SWI_RETRY_BUSY, &answer->outcome, 1) ? SWI_LOST : SWI_REFUSED;
}

bool swi_tracking_wait(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                       int tries)
{
    double chance = swi_pace_chance(&tracking->pace);
    double wait_s = swi_retry_wait_s(&answer->outcome, tries, chance);
    trouble(tracking, answer, wait_s);
    return swi_pace_wait_retry(&tracking->pace, wait_s, answer->outcome.retry_after_s >= 0);
}

/* An answer that is not JSON counts all the same. */
static void answer_read(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                        json_t **json)
{
    if (!json)
        return;
    *json = answer->whole ? swi_json_read(answer->body.data, answer->body.size) : NULL;
    swi_secrets_clean(swi_http_secrets(tracking->http), *json);
}

/* Repeats a request until it is answered. */
static int ask(struct swi_tracking *tracking, const struct swi_http_request *request, json_t **json,
               int *status, struct sw_error *err)
{
    if (json)
        *json = NULL;
    for (int tries = 1;; tries++) {
        struct swi_http_answer answer;
        enum swi_asked asked = swi_tracking_once(tracking, request, &answer);
        int rc = asked == SWI_REFUSED ? swi_tracking_refused(tracking, &answer, err) : 0;
        if (asked == SWI_ANSWERED)
            answer_read(tracking, &answer, json);
        if (status)
            *status = answer.outcome.status;
        if (asked == SWI_OVER ||
            (asked == SWI_LOST && !swi_tracking_wait(tracking, &answer, tries)))
            rc = swi_tracking_over(tracking, err);
        swi_http_answer_free(&answer);
        if (rc != 0 || asked == SWI_ANSWERED)
            return rc;
    }
}

int swi_tracking_ask(struct swi_tracking *tracking, const char *name, const struct swi_text *body,
                     json_t **json, int *status, struct sw_error *err)
{
    struct swi_text path = {0};
    swi_text_format(&path, "/api/2.0/mlflow/%s", name);
    if (path.failed || (body && body->failed)) {
        swi_text_free(&path);
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a request");
    }
    struct swi_http_request request = {.path = path.data,
                                       .method = body ? SWI_POST : SWI_GET,
                                       .header = tracking->headers,
                                       .body = body ? body->data : NULL,
                                       .size = body ? body->size : 0,
                                       .timeout_s = tracking->server->answer_s};
    int rc = ask(tracking, &request, json, status, err);
    swi_text_free(&path);
    return rc;
}

int swi_tracking_put(struct swi_tracking *tracking, const char *path, int fd, uint64_t size,
                     int *status, struct sw_error *err)
{
    const struct swi_http_request request = {
        .path = path, .method = SWI_PUT, .header = tracking->headers, .fd = fd, .size = size};
    return ask(tracking, &request, NULL, status, err);
}

int swi_tracking_put_text(struct swi_tracking *tracking, const char *path,
                          const struct swi_text *text, int *status, struct sw_error *err)
{
    const struct swi_http_request request = {.path = path,
                                             .method = SWI_PUT,
                                             .header = tracking->headers,
                                             .body = text->data,
                                             .fd = -1,
                                             .size = text->size};
    return ask(tracking, &request, NULL, status, err);
}
