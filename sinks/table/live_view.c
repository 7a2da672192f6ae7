/* SPDX-License-Identifier: MIT */
#include "sinks/table/live_view.h"

#include "core/text/number.h"
#include "sinks/table/terminal.h"

#include <string.h>
#include <unistd.h>

/* What the program prints to that terminal would go on in the line, and what it has printed without
 * a line break would be wiped: nobody knows when it does. */
static bool is_on(struct sw_sink *sink, const char *mode, int fd)
{
    if (strcmp(mode, "on") == 0)
        return swi_terminal_is(fd);
    return strcmp(mode, "auto") == 0 && swi_terminal_moves(sink, fd) &&
           !swi_terminal_same(fd, STDOUT_FILENO);
}

/* Progress goes to stderr, so that what is piped from stdout stays clean. */
void swi_live_view_init(struct swi_live_view *live, struct sw_sink *sink, const char *mode,
                        int64_t interval_ns)
{
    int fd = STDERR_FILENO;
    bool on = is_on(sink, mode, fd);
    *live = (struct swi_live_view){.fd = on ? fd : -1, .interval_ns = interval_ns};
    live->moves = swi_terminal_moves(sink, fd);
    live->colours = swi_terminal_colours(sink, fd);
}

/* ---- what the line says ------------------------------------------------------------------------
 */

/* Seconds until the last step, from the pace since the first one seen; below 0: unknown. */
static double eta_of(const struct swi_live_view *live, const struct sw_record *record)
{
    int64_t done = record->step - live->first_step;
    int64_t left = record->steps_expected - (record->step + 1);
    if (record->steps_expected <= 0 || left < 0 || done <= 0)
        return -1;
    return (double)(record->time_ns - live->first_ns) * 1e-9 * (double)left / (double)done;
}

static void eta_add(struct swi_text *line, double seconds)
{
    int64_t s = (int64_t)(seconds + 0.5);
    if (s >= 3600)
        swi_text_format(line, "  eta %" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
                        (int)(s % 60));
    else
        swi_text_format(line, "  eta %d:%02d", (int)(s / 60), (int)(s % 60));
}

static void line_make(struct swi_text *line, const struct swi_live_view *live,
                      const struct sw_record *record)
{
    swi_text_format(line, "epoch %" PRId64 "  step ", record->epoch + 1);
    swi_number_count(line, record->step + 1);
    if (record->steps_expected > 0) {
        swi_text_put(line, "/");
        swi_number_count(line, record->steps_expected);
    }
    if (live->rate > 0) {
        swi_text_put(line, "  ");
        swi_number_overall(line, live->rate);
        swi_text_put(line, " samples/s");
    }
    if (eta_of(live, record) >= 0)
        eta_add(line, eta_of(live, record));
    swi_text_put(line, record->phase == SW_PHASE_VALID ? "  validating" : "");
}

/* ---- drawing -----------------------------------------------------------------------------------
 */

/* One write, so that no line of the program's comes in between. A program in the background leaves
 * the terminal to whoever is in front. */
static void terminal_write(struct swi_live_view *live, const struct swi_text *text)
{
    pid_t front = tcgetpgrp(live->fd);
    if (text->failed || (front >= 0 && front != getpgrp()))
        return;
    if (write(live->fd, text->data, text->size) < 0)
        live->fd = -1;
}

/* Goes to the line's begin and wipes it: by blanks where the terminal knows nothing better. */
static void wipe_add(struct swi_text *text, const struct swi_live_view *live)
{
    swi_text_put(text, "\r");
    if (live->moves) {
        swi_text_put(text, "\033[K");
        return;
    }
    swi_text_fill(text, ' ', swi_terminal_width(live->fd) - 1);
    swi_text_put(text, "\r");
}

static void draw(struct swi_live_view *live, const struct sw_record *record)
{
    struct swi_text line = {0}, text = {0};
    line_make(&line, live, record);
    size_t width = swi_terminal_width(live->fd) - 1;
    wipe_add(&text, live);
    swi_text_put(&text, live->colours ? "\033[2m" : "");
    swi_text_add(&text, line.data ? line.data : "", line.size < width ? line.size : width);
    swi_text_put(&text, live->colours ? "\033[0m" : "");
    terminal_write(live, &text);
    swi_text_free(&line);
    swi_text_free(&text);
    live->drawn = true;
    live->drawn_ns = record->time_ns;
}

void swi_live_view_clear(struct swi_live_view *live)
{
    struct swi_text text = {0};
    if (live->fd < 0 || !live->drawn)
        return;
    wipe_add(&text, live);
    terminal_write(live, &text);
    swi_text_free(&text);
    live->drawn = false;
}

/* ---- records -----------------------------------------------------------------------------------
 */

static void step_take(struct swi_live_view *live, const struct sw_step *step)
{
    live->steps++;
    for (size_t i = 0; i < step->count; i++)
        if (strcmp(sw_step_part_at(step, i)->action, "draw") == 0 ||
            strcmp(sw_step_part_at(step, i)->action, "batch") == 0)
            live->busy_ns += sw_step_part_at(step, i)->duration_ns;
}

static void metrics_take(struct swi_live_view *live, const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->by == SW_BY_PROFILER && strcmp(metric->name, "throughput/step") == 0)
            live->rolling = true;
    }
}

void swi_live_view_record(struct swi_live_view *live, const struct sw_record *record)
{
    if (live->fd < 0)
        return;
    if (record->type == SW_RECORD_STEP)
        step_take(live, record->step_done);
    else
        metrics_take(live, record);
    if (record->samples_per_s > 0)
        live->rate = record->samples_per_s;
    if (!live->first_ns) {
        live->first_ns = record->time_ns;
        live->first_step = record->step;
    }
    bool due = !live->drawn || record->time_ns - live->drawn_ns >= live->interval_ns;
    if (due && live->steps)
        draw(live, record);
}

bool swi_live_view_needs_no_steps(const struct swi_live_view *live, int64_t rolling_average)
{
    return live->steps >= 2 && live->rolling &&
           live->busy_ns / live->steps * rolling_average < live->interval_ns;
}
