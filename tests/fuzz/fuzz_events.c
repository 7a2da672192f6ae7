/* SPDX-License-Identifier: MIT */
/* fuzz_events.c - whatever is in the memory for events, folding it ends, leaves a report that can
 * be read, and the same events come to the same whether they are folded at once or one by one.
 *
 * For libFuzzer (make fuzz-events), and with random bytes in tests/core/inside. */
#include "tests/fuzz/fuzz.h"

#include "core/loop/fold.h"

#include <stepwatch/sink.h>

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 512, TEXT_ROOM = 1 << 16 };

static int64_t clock_read(void *arg)
{
    (void)arg;
    return 0;
}

static struct sw_profiler *profiler_open(int action)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw =
        sw_open_text("profiler: {mode: simple, show_report: false, signals: false}\n", &err);
    require(sw != NULL);
    sw_set_messages(sw, NULL, NULL);
    sw_set_clock(sw, clock_read, NULL);
    sw_log(sw, "loss", 1);
    sw_begin(sw, action);
    sw_end(sw, action);
    return sw;
}

/* An event and the parts behind it. */
static const struct swi_event *event_end(const struct swi_event *event, const struct swi_event *end)
{
    do
        event++;
    while (event < end && swi_event_kind(atomic_load(&event->what)) == SWI_EVENT_PART);
    return event;
}

static void fold(struct sw_profiler *sw, const struct swi_event *event, const struct swi_event *end,
                 bool alone)
{
    const struct swi_fold_limit all = {
        .upto = INT64_MAX, .fits = UINT64_MAX, .compared = INT64_MAX, .followed = UINT64_MAX};
    SWI_FOLDED(&sw->measured);
    struct swi_thread *thread = swi_known_of(&sw->measured)->thread;
    while (event < end) {
        const struct swi_event *at = event, *upto = alone ? event_end(event, end) : end;
        require(swi_fold_events(sw, thread, &at, upto, &all) == SWI_FOLD_DONE && at == upto);
        require(swi_depth(thread) >= 0 && swi_depth(thread) <= SWI_DEPTH_MAX);
        event = upto;
    }
}

/* Returns the rows as text; the caller owns it. */
static char *rows_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    char *text = malloc(TEXT_ROOM);
    size_t size = 0;
    require(text && sw_report_new(sw, &report, NULL) > 0);
    for (size_t i = 0; i < report->count && size < TEXT_ROOM - 400; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        require(row->calls >= 0);
        size +=
            (size_t)snprintf(text + size, TEXT_ROOM - size, "%s/%.100s %lld %a %a\n", row->phase,
                             row->action, (long long)row->calls, row->total_ns, row->self_ns);
    }
    sw_report_free(report);
    text[size] = '\0';
    return text;
}

/* Sixteen bytes are anything; four are an event of a loop: kind, action, how much later, and the
 * payload. Returns how many bytes were taken; 0: that was the last event. */
static size_t event_of(struct swi_event *event, int64_t *tick, const uint8_t *data, size_t size)
{
    uint64_t what = 0;
    if (size >= 16 && data[0] & 0x80) {
        memcpy(&event->tick, data, sizeof event->tick);
        memcpy(&what, data + 8, sizeof what);
    } else if (size >= 4) {
        event->tick = *tick += (int64_t)data[2] << data[2] % 24;
        what = swi_event_what((enum swi_event_kind)(1 + data[0] % SWI_EVENT_PART), data[1] % 24,
                              data[3] & 0xf);
    }
    atomic_store(&event->what, what);
    return !swi_event_kind(what) ? 0 : size >= 16 && data[0] & 0x80 ? 16 : 4;
}

static size_t events_of(struct swi_event *event, const uint8_t *data, size_t size)
{
    size_t count = 0, bytes;
    int64_t tick = 0;
    while (count < EVENTS_MOST && (bytes = event_of(&event[count], &tick, data, size))) {
        data += bytes;
        size -= bytes;
        count++;
    }
    return count;
}

int64_t fuzz_events(const uint8_t *data, size_t size)
{
    static struct swi_event event[EVENTS_MOST];
    size_t count = events_of(event, data, size);
    char *rows[2];
    for (int i = 0; i < 2; i++) {
        struct sw_profiler *sw = profiler_open(sw_action("around"));
        fold(sw, event, event + count, i);
        rows[i] = rows_of(sw);
        SW_ERROR_SCOPE(err);
        sw_close(sw, &err);
    }
    require(strcmp(rows[0], rows[1]) == 0);
    free(rows[0]);
    free(rows[1]);
    return (int64_t)count;
}
