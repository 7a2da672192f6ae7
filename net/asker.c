/* SPDX-License-Identifier: MIT */
#include "net/asker.h"
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "net/json.h"
#include "net/secrets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- words about an answer ------------------------------------------------------------------- */

enum { MESSAGE = 300 }; /* bytes of a server's own message */

/* The reason phrases of RFC 9110, section 15, some of them shortened. */
static const char *name_of(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {{301, "Moved Permanently"},
                 {302, "Found"},
                 {303, "See Other"},
                 {307, "Temporary Redirect"},
                 {308, "Permanent Redirect"},
                 {400, "Bad Request"},
                 {401, "Unauthorized"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {407, "Proxy Authentication Required"},
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
        text = swi_json_text_at(json, "error");
    return *text ? text : swi_json_text_at(json, "message");
}

bool swi_explain_message(char *text, size_t size, const json_t *answer)
{
    struct swi_text safe = {0};
    swi_escape_terminal(&safe, message_of(answer));
    size_t length = safe.size < MESSAGE ? safe.size : MESSAGE;
    /* Do not cut within a character. */
    while (length && length < safe.size && ((unsigned char)safe.data[length] & 0xc0) == 0x80)
        length--;
    snprintf(text, size, "%.*s", (int)length, safe.data ? safe.data : "");
    swi_text_free(&safe);
    return *text != '\0';
}

void swi_explain_short(char *text, size_t size, const struct swi_http_answer *answer)
{
    char message[MESSAGE + 1];
    int status = answer->outcome.status;
    const char *name = name_of(status), *gap = *name ? " " : "";
    if (!status)
        snprintf(text, size, "%s", answer->problem[0] ? answer->problem : "no answer");
    else if (swi_explain_message(message, sizeof message, answer->json))
        snprintf(text, size, "answered %d%s%s (\"%s\")", status, gap, name, message);
    else
        snprintf(text, size, "answered %d%s%s", status, gap, name);
}

void swi_warn_of(swi_message_fn *say, void *arg, const char *before, const char *name,
                 const char *after, const char *why)
{
    char text[1400];
    struct swi_text safe = {0};
    swi_escape_terminal(&safe, name);
    snprintf(text, sizeof text, "%s%.300s%s%.800s", before, safe.data ? safe.data : "", after, why);
    swi_text_free(&safe);
    say(arg, 1, text);
}

/* ---- when to ask again ----------------------------------------------------------------------- */

static const double second_ns = 1e9;
/* Seconds between two tries while the program waits for its end. */
static const double hurried_s = 0.5;

static void pace_init(struct swi_pace *pace, bool (*ended)(void *arg), void *arg)
{
    *pace = (struct swi_pace){.ended = ended, .arg = arg};
    swi_cond_init(&pace->changed);
    pthread_mutex_init(&pace->lock, NULL);
    if (getrandom(&pace->jitter, sizeof pace->jitter, GRND_NONBLOCK) < 0)
        pace->jitter = (uint64_t)swi_now_ns();
}

static void pace_fini(struct swi_pace *pace)
{
    pthread_cond_destroy(&pace->changed);
    pthread_mutex_destroy(&pace->lock);
}

static bool is_over(struct swi_pace *pace)
{
    return pace->cancelled || (pace->ended && pace->ended(pace->arg)) ||
           (pace->deadline_ns && swi_now_ns() >= pace->deadline_ns);
}

/* Returns whether it was cancelled, has ended or is past its deadline. arg: the pace, so that it
 * can be struct swi_http_options.ended. */
static bool pace_is_over(void *arg)
{
    struct swi_pace *pace = arg;
    pthread_mutex_lock(&pace->lock);
    bool over = is_over(pace);
    pthread_mutex_unlock(&pace->lock);
    return over;
}

/* Waits a quarter of a second at most, if `ended` must be called. */
static void wait_part(struct swi_pace *pace, int64_t until_ns)
{
    int64_t part_ns = swi_now_ns() + 250000000;
    if (!pace->ended || until_ns < part_ns)
        part_ns = until_ns;
    if (pace->deadline_ns && pace->deadline_ns < part_ns)
        part_ns = pace->deadline_ns;
    swi_cond_wait(&pace->changed, &pace->lock, part_ns);
}

bool swi_pace_wait(struct swi_pace *pace, double seconds)
{
    int64_t until_ns = swi_now_ns() + (int64_t)(seconds * second_ns);
    pthread_mutex_lock(&pace->lock);
    while (!is_over(pace) && !pace->woken && swi_now_ns() < until_ns)
        wait_part(pace, until_ns);
    pace->woken = false;
    bool on = !is_over(pace);
    pthread_mutex_unlock(&pace->lock);
    return on;
}

/* Returns the end of the wait before the next try. It is shorter if the program ends, unless the
 * server asked for the wait. */
static int64_t retry_ns(const struct swi_pace *pace, int64_t begin_ns, double seconds, bool asked)
{
    bool shorter = pace->hurried && !asked;
    return begin_ns + (int64_t)((shorter ? fmin(seconds, hurried_s) : seconds) * second_ns);
}

/* Waits before the next try; a wake does not end that, but it is short if the program ends. asked:
 * the server asked for the wait, so it is never shorter. Returns false if it is over. */
static bool pace_wait_retry(struct swi_pace *pace, double seconds, bool asked)
{
    int64_t begin_ns = swi_now_ns(), until_ns;
    pthread_mutex_lock(&pace->lock);
    while (!is_over(pace) && (until_ns = retry_ns(pace, begin_ns, seconds, asked)) > swi_now_ns())
        wait_part(pace, until_ns);
    bool on = !is_over(pace);
    pthread_mutex_unlock(&pace->lock);
    return on;
}

static void change(struct swi_pace *pace, bool *what)
{
    pthread_mutex_lock(&pace->lock);
    *what = true;
    pace->woken = true;
    pthread_cond_broadcast(&pace->changed);
    pthread_mutex_unlock(&pace->lock);
}

void swi_pace_wake(struct swi_pace *pace)
{
    change(pace, &pace->woken);
}

void swi_pace_hurry(struct swi_pace *pace)
{
    change(pace, &pace->hurried);
}

/* Returns a random number from 0 to 1, for swi_retry_wait_s(). */
static double pace_jitter(struct swi_pace *pace)
{
    pace->jitter = pace->jitter * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(pace->jitter >> 11) / (double)(UINT64_C(1) << 53);
}

/* ---- begin and end --------------------------------------------------------------------------- */

int swi_asker_init(struct swi_asker *asker, const struct swi_http_options *options,
                   bool (*ended)(void *arg), struct sw_error *err)
{
    struct swi_http_options http = *options;
    http.base_url = asker->base_url;
    http.ended = pace_is_over;
    http.arg = &asker->pace;
    asker->http = swi_http_new(&http, err);
    if (!asker->http)
        return err->code;
    pace_init(&asker->pace, ended, asker->arg);
    return 0;
}

void swi_asker_fini(struct swi_asker *asker)
{
    swi_http_free(asker->http);
    pace_fini(&asker->pace);
}

void swi_asker_cancel(struct swi_asker *asker)
{
    change(&asker->pace, &asker->pace.cancelled);
    swi_http_cancel(asker->http);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Upload addresses and their headers are secret, because anyone who has them could upload files
 * there. */
void swi_asker_hide(const struct swi_asker *asker, const struct swi_http_request *request,
                    char *text)
{
    swi_secrets_hide(swi_http_secrets(asker->http), text);
    if (!request || !request->url)
        return;
    swi_secret_hide(strchr(request->url, '?'), text);
    for (const char *const *line = request->header; line && *line; line++)
        swi_secret_hide(strchr(*line, ':'), text);
}

/* Reports trouble once, and once when it is over. */
static void trouble(struct swi_asker *asker, const struct swi_http_request *request,
                    const struct swi_http_answer *answer, double wait_s)
{
    char what[768], text[1900];
    int64_t now_ns = swi_now_ns();
    bool recent =
        asker->reported_ns && (double)(now_ns - asker->reported_ns) < asker->quiet_s * 1e9;
    if (asker->troubled || recent)
        return;
    asker->troubled = true;
    asker->reported_ns = now_ns;
    swi_explain_short(what, sizeof what, answer);
    swi_asker_hide(asker, request, what);
    snprintf(text, sizeof text,
             "%s: %s; trying again in %.0f s and later; until then, the measurements are kept in "
             "%s",
             asker->base_url, what, wait_s, asker->kept_in);
    asker->say(asker->arg, 1, text);
}

static void recovered(struct swi_asker *asker)
{
    char text[1100];
    if (!asker->troubled)
        return;
    asker->troubled = false;
    snprintf(text, sizeof text, "%s: is reachable again", asker->base_url);
    asker->say(asker->arg, 0, text);
}

int swi_asker_over(const struct swi_asker *asker, struct sw_error *err)
{
    return sw_error_set(err, SW_ETIME, "%s: not all was sent in time", asker->base_url);
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool limit_wait(struct swi_asker *asker)
{
    double gap_s = (double)(asker->next_ns - swi_now_ns()) / second_ns;
    return asker->next_ns == 0 || gap_s <= 0 || pace_wait_retry(&asker->pace, gap_s, true);
}

static void limit_store(struct swi_asker *asker, const struct swi_http_answer *answer)
{
    double gap_s = swi_retry_gap_s(answer->remaining, answer->reset_s);
    asker->next_ns = swi_now_ns() + (int64_t)(gap_s * second_ns);
}

/* Reads the body. The answer to a form is a secret itself. */
static void answer_read(struct swi_asker *asker, const struct swi_http_request *request,
                        struct swi_http_answer *answer)
{
    answer->json = swi_json_read_tokens(answer->body.data, answer->body.size);
    if (!request->form)
        swi_secrets_clean(swi_http_secrets(asker->http), answer->json);
}

/* An answer that lacks the object that was asked for is none. */
static void object_check(const struct swi_http_request *request, struct swi_http_answer *answer)
{
    bool counts = !request->wants_object || (answer->whole && json_is_object(answer->json));
    if (answer->outcome.status / 100 != 2 || counts)
        return;
    answer->outcome.status = 0;
    if (!answer->problem[0])
        snprintf(answer->problem, sizeof answer->problem, "the answer is not a JSON object");
}

void swi_asker_free(struct swi_http_answer *answer)
{
    json_decref(answer->json);
    swi_http_answer_free(answer);
}

enum swi_asked swi_asker_once(struct swi_asker *asker, enum swi_retry kind,
                              const struct swi_http_request *request, int tries,
                              struct swi_http_answer *answer)
{
    *answer = (struct swi_http_answer){0};
    if (!limit_wait(asker))
        return SWI_OVER;
    swi_http_send(asker->http, request, answer);
    limit_store(asker, answer);
    if (answer->cancelled)
        return SWI_OVER;
    answer_read(asker, request, answer);
    if (asker->check)
        asker->check(asker->owner, request, answer);
    object_check(request, answer);
    if (answer->outcome.status / 100 != 2)
        return swi_retry_again(kind, &answer->outcome, tries) ? SWI_LOST : SWI_REFUSED;
    /* The exchange of a token is not the request itself. */
    if (!request->form)
        recovered(asker);
    return SWI_ANSWERED;
}

bool swi_asker_wait(struct swi_asker *asker, const struct swi_http_request *request,
                    const struct swi_http_answer *answer, int tries)
{
    double jitter = pace_jitter(&asker->pace);
    double wait_s = swi_retry_wait_s(&answer->outcome, tries, jitter);
    trouble(asker, request, answer, wait_s);
    return pace_wait_retry(&asker->pace, wait_s, swi_retry_is_asked(&answer->outcome, tries));
}

/* Returns 1 if it was answered, 0 to try again, or a negative code. */
static int send_once(struct swi_asker *asker, enum swi_retry kind,
                     const struct swi_http_request *request, int tries,
                     struct swi_http_answer *answer, struct sw_error *err)
{
    *answer = (struct swi_http_answer){0};
    int rc =
        asker->before && request->path ? asker->before(asker->owner, kind, tries, answer, err) : 1;
    if (rc != 1)
        return rc;
    enum swi_asked asked = swi_asker_once(asker, kind, request, tries, answer);
    if (asked == SWI_REFUSED)
        return asker->refused(asker->owner, kind, request, answer, err);
    return asked == SWI_OVER ? swi_asker_over(asker, err) : asked == SWI_ANSWERED;
}

int swi_asker_ask(struct swi_asker *asker, enum swi_retry kind,
                  const struct swi_http_request *request, struct swi_http_answer *answer,
                  struct sw_error *err)
{
    for (int tries = 1;; tries++) {
        int rc = send_once(asker, kind, request, tries, answer, err);
        if (rc != 0)
            return rc < 0 ? rc : 0;
        if (!swi_asker_wait(asker, request, answer, tries))
            return swi_asker_over(asker, err);
        swi_asker_free(answer);
    }
}
