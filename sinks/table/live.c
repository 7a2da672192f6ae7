/* SPDX-License-Identifier: MIT */
#include "sinks/common/number.h"
#include "sinks/table/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && term && strcmp(term, "dumb") != 0;
}

/* Progress goes to stderr, so that what is piped from stdout stays clean. */
void live_init(struct live *live, const char *mode, int64_t interval_ns)
{
    const char *no_colour = getenv("NO_COLOR");
    bool on = strcmp(mode, "on") == 0 || (strcmp(mode, "auto") == 0 && terminal(stderr));
    *live = (struct live){.stream = on ? stderr : NULL, .interval_ns = interval_ns};
    live->colour = on && terminal(stderr) && !(no_colour && *no_colour);
}

void live_clear(struct live *live)
{
    if (!live->stream || !live->width)
        return;
    fprintf(live->stream, "\r%*s\r", (int)live->width, "");
    fflush(live->stream);
    live->width = 0;
}

static void eta_add(struct text *text, const struct live *live, const struct sw_record *record)
{
    int64_t done = record->step + 1 - live->first_step;
    int64_t left = record->steps_expected - (record->step + 1);
    if (record->steps_expected <= 0 || left < 0 || done <= 0)
        return;
    double seconds =
        (double)(record->time_ns - live->first_ns) * 1e-9 * (double)left / (double)done;
    int64_t s = (int64_t)(seconds + 0.5);
    text_addf(text, "  eta %" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
}

static void line_make(struct text *text, const struct live *live, const struct sw_record *record)
{
    char rate[NUMBER_SIZE];
    text_addf(text, "epoch %" PRId64 "  step %" PRId64, record->epoch + 1, record->step + 1);
    if (record->steps_expected > 0)
        text_addf(text, "/%" PRId64, record->steps_expected);
    if (record->phase == SW_PHASE_VALID)
        text_add(text, "  validating");
    if (live->known)
        text_addf(text, "  %s samples/s", number_grouped(rate, live->samples_per_s));
    eta_add(text, live, record);
}

static void draw(struct live *live, const struct sw_record *record)
{
    struct text text = {0};
    line_make(&text, live, record);
    if (!text.failed && text.at) {
        size_t width = text_width(text.at);
        int rest = live->width > width ? (int)(live->width - width) : 0;
        fprintf(live->stream, live->colour ? "\r\033[36m%s\033[0m%*s" : "\r%s%*s", text.at, rest,
                "");
        fflush(live->stream);
        live->width = width;
    }
    text_fini(&text);
}

void live_step(struct live *live, const struct sw_record *record)
{
    if (!live->stream)
        return;
    if (!live->first_ns) {
        live->first_ns = record->time_ns;
        live->first_step = record->step + 1;
    }
    if (live->shown_ns && record->time_ns - live->shown_ns < live->interval_ns)
        return;
    live->shown_ns = record->time_ns;
    draw(live, record);
}

void live_metrics(struct live *live, const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = &record->metrics.item[i];
        if (metric->by != SW_BY_PROFILER || strcmp(metric->name, "throughput/step") != 0)
            continue;
        live->samples_per_s = metric->value;
        live->known = true;
    }
}
