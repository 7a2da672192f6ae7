/* SPDX-License-Identifier: MIT */
#include "core/watchdog/messenger.h"
#include "core/text/buffer.h"
#include "core/text/escape.h"
#include "net/http.h"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#ifdef HAVE_CURL
enum { TRIES = 2, SECONDS = 10 };

static bool is_hurried(void *hurry)
{
    return atomic_load((const atomic_bool *)hurry);
}

static int answer_check(const struct swi_http_answer *answer, struct sw_error *err)
{
    int status = answer->outcome.status;
    if (!status)
        return sw_error_set(err, SW_EIO, "an alert was not sent: %s",
                            answer->cancelled ? "the program ended" : answer->problem);
    if (status < 200 || status > 299)
        return sw_error_set(err, SW_EIO, "an alert was not taken: the server answered %d", status);
    return 0;
}

static int post(struct swi_http *http, const struct swi_text *json, struct sw_error *err)
{
    const struct swi_http_request request = {
        .path = "", .body = json->data, .size = json->size, .timeout_s = SECONDS};
    struct swi_http_answer answer = {0};
    int rc = SW_EIO;
    for (int i = 0; rc < 0 && i < TRIES && !answer.cancelled; i++) {
        sw_error_free(err);
        swi_http_send(http, &request, &answer);
        rc = answer_check(&answer, err);
        swi_http_answer_free(&answer);
    }
    return rc;
}

static int bring(const struct swi_webhook *webhook, const struct swi_text *json,
                 const atomic_bool *hurry, struct sw_error *err)
{
    const struct swi_http_options options = {.base_url = webhook->url,
                                             .secret_url = true,
                                             .connection = &webhook->connection,
                                             .connect_s = SECONDS,
                                             .ended = is_hurried,
                                             .arg = (void *)(uintptr_t)hurry};
    if (strncmp(webhook->url, "http://", 7) != 0 && strncmp(webhook->url, "https://", 8) != 0)
        return sw_error_set(err, SW_EINVAL, "is not an address that begins with https://");
    struct swi_http *http = swi_http_new(&options, err);
    int rc = http ? post(http, json, err) : err->code;
    swi_http_free(http);
    return rc;
}
#else
static int bring(const struct swi_webhook *webhook, const struct swi_text *json,
                 const atomic_bool *hurry, struct sw_error *err)
{
    (void)webhook;
    (void)json;
    (void)hurry;
    return sw_error_set(err, SW_EIO, "this stepwatch was built without libcurl");
}
#endif

int swi_webhook_post(const struct swi_webhook *webhook, const struct swi_alert_delivery *delivery,
                     const atomic_bool *hurry, struct sw_error *err)
{
    struct swi_text json = {0}, text = {0};
    swi_text_format(&text, "%s%s%s", delivery->title, *delivery->text ? ": " : "", delivery->text);
    swi_json_format(
        &json, "{\"text\":%s,\"title\":%s,\"run\":%s,\"host\":%s,\"step\":%" PRId64 ",\"kind\":%s}",
        text.data ? text.data : "", delivery->title, delivery->run->name, delivery->run->host,
        delivery->step, delivery->kind);
    int rc = json.failed || text.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory")
                                        : bring(webhook, &json, hurry, err);
    swi_text_free(&json);
    swi_text_free(&text);
    return rc;
}
