/* SPDX-License-Identifier: MIT */
#include "net/answer_words.h"
#include "core/text/escape.h"
#include "net/json.h"

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
