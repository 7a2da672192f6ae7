/* SPDX-License-Identifier: MIT */
#include "tools/export/log_timeline.h"

#include "core/text/exact_number.h"
#include "sinks/common/trace_formats/tracks.h"
#include "tools/output/print.h"

#include <math.h>
#include <stdlib.h>

/* ---- the head -------------------------------------------------------------------------------- */

static int head_check(const struct log *lines, const struct log_value *line, struct sw_error *err)
{
    const char *detail = log_string(line, "detail", "regions");
    if (strcmp(detail, "regions") == 0)
        return 0;
    return sw_error_set(err, SW_EFORMAT,
                        "%s: was recorded with detail: %s, which has no times of regions: "
                        "record it with runlog: { detail: regions }",
                        lines->path, detail);
}

static bool head_read(struct log_timeline_head *head, const struct log_value *line)
{
    struct swi_timeline_process *process = &head->process;
    double started = log_real(line, "started", 0);
    head->line = log_value_copy(line);
    *process = (struct swi_timeline_process){
        .name = log_string(head->line, "name", ""),
        .host = log_string(head->line, "host", ""),
        .version = log_string(head->line, "stepwatch", ""),
        .pid = log_integer(line, "pid", 1),
        .rank = log_integer(line, "rank", 0),
        .world_size = log_integer(line, "world_size", 1),
        .started_ns =
            isfinite(started) && started > 0 && started < 9e9
                ? (int64_t)started * 1000000000 + (int64_t)((started - floor(started)) * 1e9)
                : 0,
    };
    if (process->pid < 1 || process->pid > INT32_MAX)
        process->pid = 1;
    return head->line;
}

/* Returns the thread that first begins a part of the loop, or -1. */
static int loop_search(struct log *lines)
{
    static const char *const actions[] = {"fit", "epoch", "train", "valid", "draw", "batch"};
    SW_ERROR_SCOPE(ignored);
    const struct log_value *line;
    int rc, loop = -1;
    while (loop < 0 && (rc = log_next(lines, &line, &ignored)) != 0 && rc != SW_EIO) {
        for (size_t i = 0; rc > 0 && i < sizeof actions / sizeof *actions; i++)
            if (log_is_type(line, LINE_BEGIN) &&
                strcmp(log_string(line, "action", ""), actions[i]) == 0)
                loop = log_thread_of(line);
        sw_error_free(&ignored);
    }
    return loop;
}

int log_timeline_head(const char *path, struct log_timeline_head *head, struct sw_error *err)
{
    struct log lines;
    const struct log_value *line;
    *head = (struct log_timeline_head){.path = path, .loop = -1};
    if (log_is_read_once(path))
        return sw_error_set(err, SW_EINVAL, "%s: a log is read twice: name a file, not a pipe",
                            path);
    int rc = log_open(&lines, path, err);
    if (rc < 0)
        return rc;
    rc = log_first_line(&lines, &line, err);
    if (rc > 0)
        rc = head_check(&lines, line, err);
    if (rc == 0 && !head_read(head, line))
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    head->loop = rc == 0 ? loop_search(&lines) : -1;
    log_close(&lines);
    return rc;
}

void log_timeline_head_free(struct log_timeline_head *head)
{
    free(head->line);
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum { LOG_COUNTERS = 80 };

struct play {
    struct swi_timeline *t;
    int process;
    struct log_timeline *read;
    bool windowed; /* regions are recorded in windows; others are there for the report */
    bool in_window;
    size_t counters;
    struct {
        char name[256];
        bool is_peak;
    } counter[LOG_COUNTERS]; /* in the order of the log */
    double drift;            /* of head */
    unsigned open; /* open ones of fit, epoch, train and valid: a truncated log begins them again */
};

/* Returns the time of a line, by a clock that does not run too fast or too slowly. */
static int64_t time_of(const struct play *play, const struct log_value *line)
{
    int64_t time_ns = log_time(line, "t", 0);
    return time_ns - llround(play->drift * (double)time_ns);
}

static unsigned bit_of(const char *action)
{
    return strcmp(action, "fit") == 0     ? 1
           : strcmp(action, "epoch") == 0 ? 2
           : strcmp(action, "train") == 0 ? 4
           : strcmp(action, "valid") == 0 ? 8
                                          : 0;
}

/* ---- counters ---- */

static void counter_name(struct play *play, const struct log_value *counter)
{
    const char *name = log_string(counter, "name", "");
    if (play->counters == LOG_COUNTERS)
        return;
    play->counter[play->counters].is_peak = strcmp(log_string(counter, "kind", ""), "peak") == 0;
    snprintf(play->counter[play->counters].name, sizeof play->counter->name, "%s", name);
    play->counters++;
}

static void counters_name(struct play *play, const struct log_value *list)
{
    play->counters = 0;
    for (const struct log_value *c = log_first(list); c; c = log_after(list, c))
        counter_name(play, c);
}

/* The next of a list, which has those of one kind; null: it could not be read. */
static void use_play(struct play *play, const struct log_value *line, size_t i,
                     const struct log_value *value)
{
    bool peak = play->counter[i].is_peak;
    if (!value)
        return;
    swi_timeline_use(play->t, play->process, log_thread_of(line), time_of(play, line),
                     play->counter[i].name, peak ? SW_COUNTER_PEAK : SW_COUNTER_SUM,
                     log_is(value, LOG_INTEGER) ? log_whole(value) : SW_COUNTER_NONE);
}

static void uses_play(struct play *play, const struct log_value *line)
{
    const struct log_value *sums = log_get(line, "c"), *peaks = log_get(line, "p");
    size_t sum = 0, peak = 0;
    if (!sums && !peaks)
        return;
    for (size_t i = 0; i < play->counters; i++)
        use_play(play, line, i,
                 play->counter[i].is_peak ? log_at(peaks, peak++) : log_at(sums, sum++));
}

static void region_play(struct play *play, const struct log_value *line, enum sw_region_event event)
{
    const char *action = log_string(line, "action", "");
    unsigned bit = bit_of(action);
    bool begins = event == SW_REGION_BEGIN;
    uses_play(play, line);
    if (play->windowed && !log_get(line, "window"))
        return;
    if (begins && (play->open & bit) && log_true(line, "again"))
        return;
    play->open = begins ? play->open | bit : play->open & ~bit;
    swi_timeline_region(play->t, play->process, log_thread_of(line), event,
                        swi_timeline_action(play->t, -1, action), time_of(play, line),
                        log_integer(line, "samples", -1));
    const char *shape = begins ? log_string(line, "shape", "") : "";
    if (*shape)
        swi_timeline_shape(play->t, play->process, log_thread_of(line), shape);
}

static void metric_play(struct play *play, const struct log_value *line)
{
    swi_timeline_counter(play->t, play->process, time_of(play, line), log_string(line, "name", ""),
                         log_real(line, "value", NAN));
}

/* Adds a hyper-parameter as an instant at the begin, with its value. */
static void config_play(struct play *play, const struct log_value *line)
{
    const struct log_value *value = log_get(line, "value");
    const char *string = log_text(value);
    struct swi_text text = {0}, shown = {0};
    swi_text_format(&text, "config %s", log_string(line, "name", ""));
    if (string)
        swi_timeline_json(&shown, string);
    else if (log_is(value, LOG_INTEGER))
        swi_text_integer(&shown, log_whole(value));
    else
        swi_number_json(&shown, log_number(value, 0));
    if (text.data && shown.data)
        swi_timeline_instant(play->t, play->process, -1, play->t->process[play->process]->begin_ns,
                             text.data, "value", shown.data);
    swi_text_free(&text);
    swi_text_free(&shown);
}

static void span_play(struct play *play, const struct log_value *line, bool begins)
{
    struct swi_span_event event = {.thread = log_thread_of(line),
                                   .name = log_string(line, "action", ""),
                                   .id = log_integer(line, "id", 0),
                                   .begins = begins,
                                   .time_ns = time_of(play, line),
                                   .begin_ns = -1};
    swi_timeline_span(play->t, play->process, &event);
}

static void note_play(struct play *play, const struct log_value *line)
{
    swi_timeline_instant(play->t, play->process, log_thread_of(line), time_of(play, line),
                         log_string(line, "text", ""), NULL, NULL);
}

/* Small enough to be counted on from. */
static int64_t count_of(const struct log_value *line, const char *key, int64_t fallback)
{
    int64_t count = log_integer(line, key, fallback);
    return count < 0 || count > INT64_C(1) << 53 ? fallback : count;
}

static void place_play(struct play *play, const struct log_value *line)
{
    struct swi_timeline_place place = {.step = count_of(line, "step", 0),
                                       .epoch = count_of(line, "epoch", -1),
                                       .train_steps = count_of(line, "train_steps", 0),
                                       .valid_steps = count_of(line, "valid_steps", 0)};
    swi_timeline_place_set(play->t, play->process, &place);
}

/* Regions that are open at the end of a window have no end in the log. */
static void window_play(struct play *play, const struct log_value *line, bool begins)
{
    if (begins)
        place_play(play, line);
    else
        swi_timeline_cut(play->t, play->process, time_of(play, line));
    /* Where all regions of the beginning of a long run end, windows follow. */
    play->windowed = play->windowed || (!begins && !play->in_window);
    play->in_window = begins;
}

static void line_play(struct play *play, const struct log_value *line)
{
    switch (log_type(line)) {
    case LINE_BEGIN:
        region_play(play, line, SW_REGION_BEGIN);
        break;
    case LINE_END:
        region_play(play, line, SW_REGION_END);
        break;
    case LINE_CANCEL:
        region_play(play, line, SW_REGION_CANCEL);
        break;
    case LINE_RUN:
        play->windowed = log_true(line, "windowed");
        counters_name(play, log_get(line, "counters"));
        break;
    case LINE_COUNTER:
        counter_name(play, line);
        break;
    case LINE_METRIC:
        metric_play(play, line);
        break;
    case LINE_CONFIG:
        config_play(play, line);
        break;
    case LINE_PAUSE:
    case LINE_RESUME:
        swi_timeline_pause(play->t, play->process, log_thread_of(line),
                           log_is_type(line, LINE_PAUSE), time_of(play, line));
        break;
    case LINE_SPAN_BEGIN:
    case LINE_SPAN_END:
        span_play(play, line, log_is_type(line, LINE_SPAN_BEGIN));
        break;
    case LINE_WINDOW_BEGIN:
    case LINE_WINDOW_END:
        window_play(play, line, log_is_type(line, LINE_WINDOW_BEGIN));
        break;
    case LINE_NOTE:
        note_play(play, line);
        break;
    case LINE_LOST:
        play->read->lost += log_integer(line, "regions", 0);
        break;
    case LINE_FINISH:
        play->read->finished = true;
        break;
    default:
        break;
    }
}

/* ---- a log ----------------------------------------------------------------------------------- */

/* Gets the next line and skips damaged ones. */
static int next(struct log *lines, const struct log_value **line, struct log_timeline *read,
                struct sw_error *err)
{
    int rc;
    while ((rc = log_next(lines, line, err)) == SW_EFORMAT && lines->number > 1) {
        if (read->damaged++ == 0)
            sw_error_set(&read->first_damage, rc, "%s", sw_error_text(err));
        sw_error_free(err);
    }
    return rc;
}

int log_timeline_play(struct swi_timeline *t, const struct log_timeline_head *head,
                      struct log_timeline *read, struct sw_error *err)
{
    struct log lines;
    struct progress progress;
    const struct log_value *line;
    *read = (struct log_timeline){.path = head->path};
    struct play play = {.t = t,
                        .process = swi_timeline_process(t, &head->process),
                        .read = read,
                        .drift = head->drift};
    if (play.process < 0)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", head->path);
    if (head->is_uncompared)
        swi_timeline_instant(t, play.process, -1, t->process[play.process]->begin_ns,
                             "clock: not compared with that of the other hosts", NULL, NULL);
    if (head->loop >= 0)
        swi_timeline_loop_set(t, play.process, head->loop);
    int rc = log_open(&lines, head->path, err);
    if (rc < 0)
        return rc;
    progress_begin(&progress, &lines);
    while (!t->failed && (rc = next(&lines, &line, read, err)) > 0) {
        line_play(&play, line);
        progress_update(&progress);
    }
    progress_end(&progress);
    log_close(&lines);
    return rc < 0 ? rc : 0;
}

/* ---- what a log lacks ------------------------------------------------------------------------ */

void log_timeline_say(const struct log_timeline *read, const char *command)
{
    if (read->damaged)
        say(command, "%s: %ld damaged line%s left out: %s", read->path, read->damaged,
            read->damaged == 1 ? " was" : "s were", sw_error_text(&read->first_damage));
    if (read->lost)
        say(command, "%s: lacks %" PRId64 " begins and ends: the disk was too slow", read->path,
            read->lost);
    if (!read->finished)
        say(command, "%s: the run did not finish: everything ends where its log ends", read->path);
}
