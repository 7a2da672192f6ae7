/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/ask/ask.h"
#include "core/clock/now.h"
#include "net/http_headers.h"
#include "net/json.h"
#include "net/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A living writer sends something every 30 seconds. */
static const double writer_silent_s = 35;

/* ---- answers --------------------------------------------------------------------------------- */

/* The service refuses to create a run with the id of a deleted one, and says so. */
static bool says_deleted(const struct swi_http_answer *answer)
{
    char message[512];
    return answer->outcome.status == 409 &&
           swi_explain_message(message, sizeof message, answer->json) &&
           strstr(message, "deleted") != NULL;
}

/* The service answers JSON; other answers are those of a proxy or of a page for the login, which
 * has stored nothing. Rows have their place in the run, so to send them again doubles none. */
static void check(void *owner, const struct swi_http_request *request,
                  struct swi_http_answer *answer)
{
    bool other = answer->whole && answer->body.size && !json_is_object(answer->json);
    (void)owner;
    answer->outcome.hopeless |= says_deleted(answer);
    if (answer->outcome.status / 100 != 2 || !request->path || !other)
        return;
    snprintf(answer->problem, sizeof answer->problem, "the answer is not a JSON object");
    answer->outcome.status = 0;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static const char *advice(const struct swi_http_request *request,
                          const struct swi_http_answer *answer)
{
    int status = answer->outcome.status;
    if (answer->other_host)
        return "its certificate is for another host: base_url must name the host as the "
               "certificate does; if it already does, somebody else is answering";
    if (answer->untrusted)
        return "its certificate is checked against the system's authorities; for an authority of "
               "your own, set the option ca_file or SSL_CERT_FILE";
    if (status == 0 && request->path)
        return "is the network up, and is the address correct (option base_url or WANDB_BASE_URL)?";
    if (!request->path)
        return "the file stays in the run's folder";
    if (request->form)
        return "the service does not accept an identity token like the one in "
               "WANDB_IDENTITY_TOKEN_FILE";
    if (status == 401)
        return "the API key does not belong to this server, or was revoked: create a new one "
               "there, or set "
               "base_url to the server of the key";
    if (status == 403)
        return "the API key has no permission to write there: check project and entity, and whose "
               "key it is";
    if (status == 404)
        return "there is no such project or entity, or no such service at this address: check "
               "project, entity and base_url";
    if (status / 100 == 3)
        return "it redirects to another address, where the API key is not sent: set base_url to "
               "the address of the service";
    if (status == 409 || status == 413)
        return "the service accepts no more rows of this run; all of them are in the run's file";
    return "the service rejects it, and would reject it again";
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
                        link->asker.base_url, what, link->folder ? link->folder : "FOLDER");
}

static int explain(const struct swi_link *link, const struct swi_http_request *request,
                   const struct swi_http_answer *answer, struct sw_error *err)
{
    char what[768];
    bool key = answer->outcome.status == 401 && *link->key->from;
    swi_explain_short(what, sizeof what, answer);
    return sw_error_set(err, SW_EIO, "%s: %s%s%s; %s", link->asker.base_url, what,
                        key ? " to the key of " : "", key ? link->key->from : "",
                        advice(request, answer));
}

static char *text_of(struct sw_error *err)
{
    return err->long_ ? err->long_ : err->short_;
}

void swi_link_hide_error(const struct swi_link *link, struct sw_error *err)
{
    swi_secrets_hide(swi_http_secrets(link->asker.http), text_of(err));
}

static int refused(void *owner, enum swi_retry kind, const struct swi_http_request *request,
                   const struct swi_http_answer *answer, struct sw_error *err)
{
    struct swi_link *link = owner;
    int rc = is_deleted(kind, answer) ? explain_deleted(link, answer, err)
                                      : explain(link, request, answer, err);
    swi_asker_hide(&link->asker, request, text_of(err));
    return rc;
}

/* ---- a token in exchange for that of the identity file --------------------------------------- */

/* Writes the form of the exchange. The file is read each time, because its owner renews it. */
static int token_form(struct swi_text *form, const struct swi_link *link, struct sw_error *err)
{
    const char *path = link->key->identity;
    char *token = swi_http_secrets(link->asker.http)->identity;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, token, SWI_TOKEN_MAX);
    int error = errno;
    if (fd >= 0)
        close(fd);
    token[size < 0 ? 0 : size] = '\0';
    if (size < 0)
        return sw_error_set(err, SW_EIO, "WANDB_IDENTITY_TOKEN_FILE %s: cannot be read: %s", path,
                            strerror(error));
    token[strcspn(token, " \t\r\n")] = '\0';
    if (!*token || size == SWI_TOKEN_MAX)
        return sw_error_set(err, SW_EIO, "WANDB_IDENTITY_TOKEN_FILE %s: contains no token", path);
    swi_text_put(form,
                 "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
    swi_http_escape(form, token);
    return form->failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for the identity token")
                        : 0;
}

/* Uses the new token from now on. Returns 1, or SW_EIO if there is none. */
static int token_take(struct swi_link *link, const json_t *answer, struct sw_error *err)
{
    const char *token = swi_json_text_at(answer, "access_token");
    double seconds = json_number_value(json_object_get(answer, "expires_in"));
    if (!*token || strlen(token) > SWI_TOKEN_MAX || strpbrk(token, "\r\n"))
        return sw_error_set(
            err, SW_EIO, "%s: gave no token in exchange for the one in WANDB_IDENTITY_TOKEN_FILE",
            link->asker.base_url);
    if (!swi_http_token(link->asker.http, token))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a token");
    /* Get a new token before the old one expires. */
    seconds = seconds > 0 ? fmin(seconds, 86400) : 3600;
    link->token_ns = swi_now_ns() + (int64_t)(seconds * 0.8e9);
    return 1;
}

/* Exchanges the token, if that is due. Returns 1 if there is a valid one. */
static int token_get(struct swi_link *link, enum swi_retry kind, int tries,
                     struct swi_http_answer *answer, struct sw_error *err)
{
    struct swi_text form = {0};
    if (!*link->key->identity || swi_now_ns() < link->token_ns)
        return 1;
    int rc = token_form(&form, link, err);
    if (rc < 0)
        return rc;
    const struct swi_http_request request = {.path = "/oidc/token",
                                             .form = true,
                                             .wants_object = true,
                                             .body = form.data,
                                             .size = form.size,
                                             .timeout_s = link->answer_s};
    enum swi_asked asked = swi_asker_once(&link->asker, kind, &request, tries, answer);
    if (asked == SWI_ANSWERED)
        rc = token_take(link, answer->json, err);
    else if (asked != SWI_LOST)
        rc = asked == SWI_OVER ? swi_asker_over(&link->asker, err)
                               : refused(link, kind, &request, answer, err);
    explicit_bzero(form.data, form.size);
    swi_text_free(&form);
    if (rc == 1)
        swi_asker_free(answer);
    return rc;
}

/* ---- other writers --------------------------------------------------------------------------- */

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
    if (!link->look || (double)(now_ns - link->taken_ns) < link->silent_s * 1e9)
        return 0;
    int rc = link->look(link->look_arg, err);
    if (rc == 0)
        link->taken_ns = now_ns;
    return rc;
}

/* Checks first that no other process may have written the run, and that there is a token. */
static int before(void *owner, enum swi_retry kind, int tries, struct swi_http_answer *answer,
                  struct sw_error *err)
{
    struct swi_link *link = owner;
    bool changes = kind == SWI_RETRY_STREAM || kind == SWI_RETRY_UPSERT;
    int rc = changes ? swi_link_look(link, err) : 0;
    if (rc < 0)
        return rc;
    link->sent_ns = boot_ns();
    return token_get(link, kind, tries, answer, err);
}

/* ---- requests -------------------------------------------------------------------------------- */

int swi_link_init(struct swi_link *link, const struct swi_wandb_service *service,
                  const struct swi_wandb_key *key, swi_message_fn *say, void *arg,
                  bool (*ended)(void *arg), struct sw_error *err)
{
    const struct swi_http_options options = {
        .key = key->key, .connection = &service->connection, .insecure = service->insecure};
    *link = (struct swi_link){.asker = {.base_url = service->base_url,
                                        .kept_in = "the run's file",
                                        .say = say,
                                        .arg = arg,
                                        .before = before,
                                        .check = check,
                                        .refused = refused,
                                        .owner = link},
                              .service = service,
                              .key = key,
                              .answer_s = service->answer_s > 0 ? service->answer_s : 30,
                              .silent_s = writer_silent_s};
    return swi_asker_init(&link->asker, &options, ended, err);
}

int swi_link_send(struct swi_link *link, enum swi_retry kind,
                  const struct swi_http_request *request, json_t **json, struct sw_error *err)
{
    struct swi_http_answer answer;
    int rc = swi_asker_ask(&link->asker, kind, request, &answer, err);
    if (rc == 0 && kind == SWI_RETRY_STREAM)
        link->taken_ns = link->sent_ns;
    if (json)
        *json = rc == 0 ? json_incref(answer.json) : NULL;
    swi_asker_free(&answer);
    return rc;
}
