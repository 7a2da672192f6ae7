/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/tracking.h"
#include "net/http_headers.h"
#include "net/json.h"
#include "net/secrets.h"

#include <stdio.h>
#include <string.h>

/* ---- keys ------------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Adds the bytes of a name: the journal has a byte that is not UTF-8 as the text \xNN. */
static void raw_add(struct swi_text *raw, const char *name)
{
    for (; *name; name++) {
        int high = name[0] == '\\' && name[1] == 'x' ? hex_digit(name[2]) : -1;
        int low = high >= 8 ? hex_digit(name[3]) : -1;
        char byte = (char)(low >= 0 ? high * 16 + low : *name);
        swi_text_add(raw, &byte, 1);
        name += low >= 0 ? 3 : 0;
    }
}

/* Makes a key that no other name has. */
static bool key_find(const struct swi_tracking_keys *keys, struct swi_text *key, const char *name,
                     bool plain)
{
    struct swi_text raw = {0};
    raw_add(&raw, name);
    swi_clean_key(key, raw.data ? raw.data : "", raw.size, SWI_KEY_MAX, plain);
    while (!key->failed && !raw.failed && json_object_get(keys->name_of, key->data)) {
        swi_text_put(&raw, "'");
        swi_checksum_add(key, raw.data, raw.size, SWI_KEY_MAX);
    }
    bool good = !key->failed && !raw.failed;
    swi_text_free(&raw);
    return good;
}

static void key_set(struct swi_tracking_keys *keys, const char *name, bool plain)
{
    struct swi_text key = {0};
    const char *known = json_string_value(json_object_get(keys->key_of, name));
    if (known)
        json_object_del(keys->name_of, known);
    if (key_find(keys, &key, name, plain)) {
        json_object_set_new(keys->key_of, name, json_string(key.data));
        json_object_set_new(keys->name_of, key.data, json_string(name));
    }
    swi_text_free(&key);
}

const char *swi_tracking_key(struct swi_tracking_keys *keys, const char *name)
{
    if (!keys->key_of)
        keys->key_of = json_object();
    if (!keys->name_of)
        keys->name_of = json_object();
    const char *known = json_string_value(json_object_get(keys->key_of, name));
    if (known)
        return known;
    key_set(keys, name, false);
    return json_string_value(json_object_get(keys->key_of, name));
}

const char *swi_tracking_key_plain(struct swi_tracking_keys *keys, const char *name)
{
    key_set(keys, name, true);
    return json_string_value(json_object_get(keys->key_of, name));
}

bool swi_tracking_key_is_plain(const char *key)
{
    for (; *key; key++)
        if ((unsigned char)*key >= 0x80 || *key == ':')
            return false;
    return true;
}

void swi_tracking_keys_free(struct swi_tracking_keys *keys)
{
    json_decref(keys->key_of);
    json_decref(keys->name_of);
    *keys = (struct swi_tracking_keys){0};
}

static const double connect_s = 10;

/* ---- refusals -------------------------------------------------------------------------------- */

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
    swi_secrets_hide(swi_http_secrets(tracking->asker.http), what);
    return sw_error_set(err, SW_EIO, "%s: %s; %s", tracking->server->base_url, what,
                        advice(tracking->server->login, answer, what));
}

static int refused(void *owner, enum swi_retry kind, const struct swi_http_request *request,
                   const struct swi_http_answer *answer, struct sw_error *err)
{
    (void)kind;
    (void)request;
    return swi_tracking_refused(owner, answer, err);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The server answers JSON, or nothing to a file. A proxy or a page for the login may answer 200 in
 * place of the server, which has then stored nothing. If it has been MLflow before, it may be
 * again. */
static void check(void *owner, const struct swi_http_request *request,
                  struct swi_http_answer *answer)
{
    struct swi_tracking *tracking = owner;
    bool has_body = answer->whole && (answer->body.size || request->wants_object);
    bool json = has_body && json_is_object(answer->json);
    tracking->known |= json;
    if (answer->outcome.status / 100 != 2 || !has_body || json)
        return;
    snprintf(answer->problem, sizeof answer->problem,
             "answered %d, but not as MLflow does: perhaps a proxy or a login page",
             answer->outcome.status);
    answer->outcome.status = 0;
    answer->outcome.hopeless = !tracking->known;
}

/* ---- begin and end --------------------------------------------------------------------------- */

int swi_tracking_init(struct swi_tracking *tracking, const struct swi_tracking_server *server,
                      swi_message_fn *say, bool (*ended)(void *arg), void *arg,
                      struct sw_error *err)
{
    bool basic = *server->login->user || *server->login->password;
    const char *token = server->login->token;
    const struct swi_http_options options = {.user = server->login->user,
                                             .key = basic ? server->login->password : NULL,
                                             .connection = &server->connection,
                                             .certificate = server->certificate,
                                             .insecure = server->insecure,
                                             .connect_s = connect_s};
    *tracking = (struct swi_tracking){.asker = {.base_url = server->base_url,
                                                .kept_in = "the run's journal",
                                                .say = say,
                                                .arg = arg,
                                                .quiet_s = 60,
                                                .check = check,
                                                .refused = refused,
                                                .owner = tracking},
                                      .server = server};
    int rc = swi_asker_init(&tracking->asker, &options, ended, err);
    if (rc < 0)
        return rc;
    if (*token && !swi_http_token(tracking->asker.http, token)) {
        swi_asker_fini(&tracking->asker);
        return sw_error_set(err, SW_EINVAL, "MLFLOW_TRACKING_TOKEN is too long");
    }
    if (*server->workspace)
        snprintf(tracking->workspace, sizeof tracking->workspace, "X-MLFLOW-WORKSPACE: %s",
                 server->workspace);
    tracking->headers[0] = *tracking->workspace ? tracking->workspace : NULL;
    return 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Repeats a request until it is answered. An answer that is not JSON counts all the same, except
 * where its JSON is asked for: one that is cut off must not look like one that holds nothing. */
static int ask(struct swi_tracking *tracking, const struct swi_http_request *request, json_t **json,
               int *status, struct sw_error *err)
{
    struct swi_http_answer answer;
    struct swi_http_request asked = *request;
    asked.wants_object = json != NULL;
    int rc = swi_asker_ask(&tracking->asker, SWI_RETRY_BUSY, &asked, &answer, err);
    if (json)
        *json = rc == 0 ? json_incref(answer.json) : NULL;
    if (status)
        *status = answer.outcome.status;
    swi_asker_free(&answer);
    return rc;
}

static struct swi_http_request request_of(const struct swi_tracking *tracking, const char *path,
                                          const struct swi_text *body)
{
    return (struct swi_http_request){.path = path,
                                     .method = body ? SWI_POST : SWI_GET,
                                     .header = tracking->headers,
                                     .body = body ? body->data : NULL,
                                     .size = body ? body->size : 0,
                                     .timeout_s = tracking->server->answer_s};
}

enum swi_asked swi_tracking_try(struct swi_tracking *tracking, const char *path,
                                const struct swi_text *body, bool once,
                                struct swi_http_answer *answer)
{
    struct swi_http_request request = request_of(tracking, path, body);
    request.once = once;
    return swi_asker_once(&tracking->asker, SWI_RETRY_BUSY, &request, 1, answer);
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
    const struct swi_http_request request = request_of(tracking, path.data, body);
    int rc = ask(tracking, &request, json, status, err);
    swi_text_free(&path);
    return rc;
}

int swi_tracking_get(struct swi_tracking *tracking, const char *name, const char *value,
                     json_t **json, int *status, struct sw_error *err)
{
    struct swi_text path = {0};
    swi_text_put(&path, name);
    swi_http_escape(&path, value);
    int rc = swi_tracking_ask(tracking, path.data ? path.data : "", NULL, json, status, err);
    swi_text_free(&path);
    return rc;
}

int swi_tracking_send(struct swi_tracking *tracking, const char *name, struct swi_text *body,
                      json_t **json, int *status, struct sw_error *err)
{
    int rc = swi_tracking_ask(tracking, name, body, json, status, err);
    swi_text_free(body);
    return rc;
}

int swi_tracking_put(struct swi_tracking *tracking, const char *path, const char *body, int fd,
                     uint64_t size, int *status, struct sw_error *err)
{
    const struct swi_http_request request = {.path = path,
                                             .method = SWI_PUT,
                                             .header = tracking->headers,
                                             .body = body,
                                             .fd = fd,
                                             .size = size};
    return ask(tracking, &request, NULL, status, err);
}
