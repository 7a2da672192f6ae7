/* SPDX-License-Identifier: MIT */
#include "net/asker.h"
#include "core/clock/now.h"
#include "net/answer_words.h"
#include "net/secrets.h"

#include <stdio.h>
#include <string.h>

static const double second_ns = 1e9;

/* ---- begin and end --------------------------------------------------------------------------- */

int swi_asker_init(struct swi_asker *asker, const struct swi_http_options *options,
                   bool (*ended)(void *arg), struct sw_error *err)
{
    struct swi_http_options http = *options;
    http.base_url = asker->base_url;
    http.ended = swi_pace_is_over;
    http.arg = &asker->pace;
    asker->http = swi_http_new(&http, err);
    if (!asker->http)
        return err->code;
    swi_pace_init(&asker->pace, ended, asker->arg);
    return 0;
}

void swi_asker_fini(struct swi_asker *asker)
{
    swi_http_free(asker->http);
    swi_pace_fini(&asker->pace);
}

void swi_asker_cancel(struct swi_asker *asker)
{
    swi_pace_cancel(&asker->pace);
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
    bool recent = asker->said_ns && (double)(now_ns - asker->said_ns) < asker->quiet_s * 1e9;
    if (asker->troubled || recent)
        return;
    asker->troubled = true;
    asker->said_ns = now_ns;
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
    return asker->next_ns == 0 || gap_s <= 0 || swi_pace_wait_retry(&asker->pace, gap_s, true);
}

static void limit_keep(struct swi_asker *asker, const struct swi_http_answer *answer)
{
    double gap_s = swi_retry_gap_s(answer->remaining, answer->reset_s);
    asker->next_ns = swi_now_ns() + (int64_t)(gap_s * second_ns);
}

enum swi_asked swi_asker_once(struct swi_asker *asker, enum swi_retry kind,
                              const struct swi_http_request *request, int tries,
                              struct swi_http_answer *answer)
{
    *answer = (struct swi_http_answer){0};
    if (!limit_wait(asker))
        return SWI_OVER;
    swi_http_send(asker->http, request, answer);
    limit_keep(asker, answer);
    if (answer->cancelled)
        return SWI_OVER;
    if (asker->check)
        asker->check(asker->owner, request, answer);
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
    double chance = swi_pace_chance(&asker->pace);
    double wait_s = swi_retry_wait_s(&answer->outcome, tries, chance);
    trouble(asker, request, answer, wait_s);
    return swi_pace_wait_retry(&asker->pace, wait_s, answer->outcome.retry_after_s >= 0);
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
        swi_http_answer_free(answer);
    }
}
