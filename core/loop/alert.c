/* SPDX-License-Identifier: MIT */
#include "core/loop/misuse.h"
#include "core/loop/calling_thread.h"
#include "core/loop/step.h"
#include "core/process/own_floats.h"
#include "core/records/recorder.h"
#include "core/text/characters.h"
#include "core/text/map.h"
#include "core/watchdog/watchdog.h"

#include <string.h>

#define WAIT_NS (INT64_C(60) * 1000000000)

/* ---- the same again -------------------------------------------------------------------------- */

static uint64_t hash_of(const char *title)
{
    size_t length;
    uint64_t hash = swi_hash(title, 4 * SWI_ALERT_TITLE, &length);
    return hash << 32 | (length + 1);
}

/* Returns the entry of a title: its own, else a free one, else that of the title that was sent
 * first. */
static struct swi_alert_title *title_place(struct swi_sent_alerts *alerts, uint64_t hash)
{
    struct swi_alert_title *place = alerts->title;
    for (int i = 0; i < SWI_ALERT_TITLES; i++) {
        struct swi_alert_title *title = &alerts->title[i];
        if (title->hash == hash)
            return title;
        if (place->hash && (!title->hash || title->sent_ns < place->sent_ns))
            place = title;
    }
    return place;
}

/* Returns whether a title was sent a short time ago; if so, counts it. */
static bool is_repeated(struct swi_sent_alerts *alerts, const char *name, int64_t now_ns)
{
    uint64_t hash = hash_of(name);
    pthread_mutex_lock(&alerts->lock);
    struct swi_alert_title *title = title_place(alerts, hash);
    bool repeated = title->hash == hash && now_ns - title->sent_ns < WAIT_NS;
    if (repeated)
        alerts->repeated++;
    else
        *title = (struct swi_alert_title){hash, now_ns};
    pthread_mutex_unlock(&alerts->lock);
    return repeated;
}

void swi_sent_alerts_say(struct sw_profiler *sw)
{
    int64_t repeated = sw->alerts.repeated;
    if (repeated)
        swi_say(&sw->records.messages, SW_NOTE,
                "%" PRId64 " alert%s had the title of another one within 60 s, and %s not sent",
                repeated, repeated == 1 ? "" : "s", repeated == 1 ? "was" : "were");
}

/* ---- sending --------------------------------------------------------------------------------- */

/* The original run already reported what a replay plays. */
static void say(struct sw_profiler *sw, const struct sw_alert *alert)
{
    if (!sw->records.run.replayed)
        swi_say(&sw->records.messages, (enum sw_level)alert->level, "alert: %s%s%s", alert->title,
                *alert->text ? ": " : "", alert->text);
}

static int send(struct sw_profiler *sw, const struct sw_alert *alert, int64_t step, int64_t tick)
{
    say(sw, alert);
    if (!sw->records.run.replayed)
        swi_watchdog_pass(sw->watchdog, alert, step);
    return swi_recorder_alert(&sw->records, alert, step, tick);
}

static bool is_off(const struct sw_profiler *sw)
{
    return !sw || atomic_load(&sw->measured.dead) || swi_is_inherited(&sw->measured);
}

static int64_t step_now(struct sw_profiler *sw)
{
    const struct swi_thread *thread = swi_thread_get(sw);
    SWI_FOLDED(&sw->measured);
    return swi_step_current(sw, thread);
}

/* Returns how many bytes the first characters of a text have. */
static size_t bytes_of(const char *text, int characters)
{
    size_t size = strlen(text), bytes = 0;
    for (int i = 0; i < characters && bytes < size; i++) {
        uint32_t code;
        size_t length = swi_utf8_next(text + bytes, size - bytes, &code);
        bytes += length ? length : 1;
    }
    return bytes;
}

int sw_alert(struct sw_profiler *sw, enum sw_level level, const char *title, const char *text)
{
    SWI_OWN_FLOATS;
    if (is_off(sw))
        return 0;
    if (!title || !*title || (int)level < SW_NOTE || (int)level > SW_ERROR)
        return SW_EINVAL;
    char cut[4 * SWI_ALERT_TITLE + 1];
    snprintf(cut, sizeof cut, "%.*s", (int)bytes_of(title, SWI_ALERT_TITLE), title);
    int64_t tick = swi_clock_tick(&sw->measured.clock);
    if (is_repeated(&sw->alerts, cut, swi_clock_ns(&sw->measured.clock, tick)))
        return 0;
    struct sw_alert alert = {.size = sizeof alert,
                             .kind = "user",
                             .level = (int)level,
                             .title = cut,
                             .text = text ? text : "",
                             .wait_ns = WAIT_NS};
    return send(sw, &alert, step_now(sw), tick);
}

void swi_alert_nan(struct sw_profiler *sw, const char *metric, int64_t step)
{
    SWI_OWN_FLOATS;
    char title[SWI_NAME_MAX + 16], text[SWI_NAME_MAX + 64];
    if (sw->records.run.replayed)
        return;
    size_t bytes = bytes_of(metric, SWI_ALERT_TITLE - 8); /* "… is NaN" */
    bool cut = metric[bytes];
    snprintf(title, sizeof title, "%.*s%s is NaN", (int)bytes, metric, cut ? "\u2026" : "");
    snprintf(text, sizeof text, "%s is not a number since step %" PRId64, cut ? metric : "it",
             step);
    struct sw_alert alert = {.size = sizeof alert,
                             .kind = "nan",
                             .level = SW_WARNING,
                             .title = title,
                             .text = text,
                             .wait_ns = WAIT_NS};
    send(sw, &alert, step, swi_clock_tick(&sw->measured.clock));
}
