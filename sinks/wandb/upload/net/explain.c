/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/net/explain.h"
#include "core/text/escape.h"
#include "sinks/wandb/upload/net/json.h"

#include <string.h>

enum { MESSAGE = 300 }; /* bytes of a server's own message */

/* The reason phrases of RFC 9110, section 15, some of them shortened. */
static const char *name_of(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {{400, "Bad Request"},
                 {401, "Unauthorized"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {408, "Request Timeout"},
                 {409, "Conflict"},
                 {410, "Gone"},
                 {413, "Content Too Large"},
                 {422, "Unprocessable"},
                 {429, "Too Many Requests"},
                 {500, "Internal Error"},
                 {501, "Not Implemented"},
                 {502, "Bad Gateway"},
                 {503, "Service Unavailable"},
                 {504, "Gateway Timeout"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status)
            return names[i].name;
    return "";
}

/* Finds the message in {"errors":[{"message":…}]}, {"error":…}, or {"message":…}. */
static const char *message_of(const json_t *json)
{
    const json_t *error = json_array_get(json_object_get(json, "errors"), 0);
    const char *text =
        swi_json_text(json_is_object(error) ? json_object_get(error, "message") : error);
    if (!*text)
        text = swi_json_text(json_object_get(json, "error"));
    return *text ? text : swi_json_text(json_object_get(json, "message"));
}

bool swi_explain_message(char *text, size_t size, const struct swi_text *body)
{
    json_t *json = body->data ? swi_json_read(body->data, body->size) : NULL;
    struct swi_text safe = {0};
    swi_escape_terminal(&safe, message_of(json));
    size_t length = safe.size < MESSAGE ? safe.size : MESSAGE;
    /* Do not cut within a character. */
    while (length && length < safe.size && ((unsigned char)safe.data[length] & 0xc0) == 0x80)
        length--;
    snprintf(text, size, "%.*s", (int)length, safe.data ? safe.data : "");
    swi_text_free(&safe);
    json_decref(json);
    return *text != '\0';
}

void swi_explain_short(char *text, size_t size, const struct swi_http_answer *answer)
{
    char message[MESSAGE + 1];
    int status = answer->outcome.status;
    if (!status)
        snprintf(text, size, "%s", answer->problem[0] ? answer->problem : "no answer");
    else if (swi_explain_message(message, sizeof message, &answer->body))
        snprintf(text, size, "answered %d %s (\"%s\")", status, name_of(status), message);
    else
        snprintf(text, size, "answered %d %s", status, name_of(status));
}

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

int swi_explain(const char *base_url, const char *key_from, const struct swi_http_request *request,
                const struct swi_http_answer *answer, struct sw_error *err)
{
    char what[768];
    bool key = answer->outcome.status == 401 && key_from && *key_from;
    swi_explain_short(what, sizeof what, answer);
    return sw_error_set(err, SW_EIO, "%s: %s%s%s; %s", base_url, what, key ? " to the key of " : "",
                        key ? key_from : "", advice(request, answer));
}
