/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched.h"

#include "core/clock/now.h"
#include "tools/log/log_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

/* ---- begin and end --------------------------------------------------------------------------- */

/* Everything but the file that is followed. */
static void reset(struct watched *watched)
{
    struct follow follow = watched->follow;
    int64_t *step_ns = watched->step_ns, *step_number = watched->step_number;
    struct watched_metric *metric = watched->metric;
    struct log_line line = watched->line;
    struct thinned_steps thinned = watched->thinned;
    for (size_t i = 0; i < watched->actions; i++)
        free(watched->action[i].ns);
    for (size_t i = 0; i < watched->findings; i++)
        free(watched->finding[i]);
    *watched = (struct watched){.follow = follow,
                                .step_ns = step_ns,
                                .step_number = step_number,
                                .metric = metric,
                                .line = line,
                                .thinned = thinned,
                                .first_step = -1,
                                .batch_begun_ns = -1,
                                .world_size = 1,
                                .grown_ns = swi_now_ns()};
}

static void line_take(void *arg, char *text, size_t size);

static void event_take(void *arg, enum follow_event event)
{
    struct watched *watched = arg;
    char note[sizeof watched->note];
    if (event == FOLLOW_DAMAGED) {
        watched->damaged++;
        return;
    }
    if (event == FOLLOW_SHORTER)
        snprintf(note, sizeof note, "the log became shorter: read from its start again");
    else
        snprintf(note, sizeof note, "a new run; the one before: %lld steps, %s",
                 (long long)watched->step, watched->finished ? "finished" : "ended without finish");
    reset(watched);
    memcpy(watched->note, note, sizeof note);
}

bool watched_init(struct watched *watched, const char *path)
{
    *watched = (struct watched){0};
    bool good = follow_init(&watched->follow, path);
    watched->step_ns = calloc(WATCHED_STEPS, sizeof *watched->step_ns);
    watched->step_number = calloc(WATCHED_STEPS, sizeof *watched->step_number);
    watched->metric = calloc(WATCHED_METRICS, sizeof *watched->metric);
    reset(watched);
    watched->follow.line = line_take;
    watched->follow.event = event_take;
    watched->follow.arg = watched;
    return good && watched->step_ns && watched->step_number && watched->metric;
}

void watched_tail(struct watched *watched)
{
    struct log_tail tail = tail_find(watched->follow.path);
    watched->tail_at = tail.from;
    watched->follow.jump = tail.jump;
    watched->jumps = tail.jump > 0;
}

void watched_fini(struct watched *watched)
{
    reset(watched);
    follow_fini(&watched->follow);
    free(watched->step_ns);
    free(watched->step_number);
    free(watched->metric);
    log_line_free(&watched->line);
    thinned_steps_free(&watched->thinned);
}

bool watched_turn(struct watched *watched)
{
    if (follow_turn(&watched->follow) == 0)
        return false;
    watched->grown_ns = swi_now_ns();
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A longer name is cut. */
static bool is_name(const char *kept, const char *name)
{
    return strncmp(kept, name, WATCHED_NAME - 1) == 0;
}

static void name_copy(char *to, const char *from)
{
    snprintf(to, WATCHED_NAME, "%s", from);
}

/* The action of a name, made at its first step; NULL: there are too many. */
static struct watched_action *action_get(struct watched *watched, const char *name)
{
    for (size_t i = 0; i < watched->actions; i++)
        if (is_name(watched->action[i].name, name))
            return &watched->action[i];
    if (watched->actions > WATCHED_ACTIONS)
        return NULL;
    struct watched_action *action = &watched->action[watched->actions];
    action->ns = calloc(WATCHED_STEPS, sizeof *action->ns);
    if (!action->ns)
        return NULL;
    name_copy(action->name, name);
    watched->actions++;
    return action;
}

/* The rate of a second of training is a point of the curve. */
static void rate_take(struct watched *watched, int64_t step, int64_t samples, int64_t ns)
{
    watched->second_samples += (double)samples;
    watched->second_ns += (double)ns;
    if (watched->second_ns < (double)SECOND && watched->second_ns > 0 && watched->steps > 64)
        return;
    double rate = watched->second_samples * 1e9 / watched->second_ns;
    series_add(&watched->rates, watched->second_samples * 1e9, watched->second_ns);
    watched->rate = rate;
    if (watched->lowest <= 0 || rate < watched->lowest) {
        watched->lowest = rate;
        watched->lowest_step = step;
    }
    watched->highest = rate > watched->highest ? rate : watched->highest;
    watched->second_samples = watched->second_ns = 0;
}

/* Adds a part to the step that is being made. */
static void part_take(struct watched *watched, const char *name, int64_t ns)
{
    bool whole = strcmp(name, "batch") == 0;
    if (whole || strcmp(name, "draw") == 0)
        watched->whole_ns += ns;
    struct watched_action *action = whole ? NULL : action_get(watched, name);
    if (action)
        watched->part_ns[action - watched->action] += ns;
}

static void place_take(struct watched *watched, int64_t t, int64_t step)
{
    watched->t_ns = t > watched->t_ns ? t : watched->t_ns;
    watched->step = step + 1 > watched->step ? step + 1 : watched->step;
    if (watched->first_step >= 0)
        return;
    watched->first_step = step;
    watched->first_t_ns = t;
}

/* Of steps that are alike, only a few are kept one by one: the newest of a run come one by one. */
enum { ALIKE_KEPT = 16 };

static void step_keep(struct watched *watched, int64_t step, int64_t steps)
{
    size_t at = (size_t)watched->kept % WATCHED_STEPS;
    for (size_t i = 0; i < watched->actions; i++)
        watched->action[i].ns[at] = watched->part_ns[i] / steps;
    watched->step_ns[at] = watched->whole_ns / steps;
    watched->step_number[at] = step;
    watched->kept++;
}

/* Ends the step that is being made, or the sums of several that are alike. */
static void step_take(struct watched *watched, int64_t t, int64_t step, int64_t steps,
                      int64_t samples)
{
    int64_t kept = steps < ALIKE_KEPT ? steps : ALIKE_KEPT;
    place_take(watched, t, step);
    if (!watched->validating && samples >= 0) {
        for (int64_t i = 1; i <= kept; i++)
            step_keep(watched, step - kept + i, steps);
        watched->steps += steps;
        rate_take(watched, step, samples, watched->whole_ns > 0 ? watched->whole_ns : 1);
    }
    memset(watched->part_ns, 0, sizeof watched->part_ns);
    watched->whole_ns = 0;
}

static void step_line(struct watched *watched, const struct log_value *line, int64_t t)
{
    const struct log_value *parts = log_get(line, "durations");
    int64_t samples = log_integer(line, "samples", 0);
    watched->validating = strcmp(log_string(line, "phase", "train"), "valid") == 0;
    if (!watched->validating && samples >= 0)
        for (const struct log_value *key = log_first_key(parts); key;
             key = log_next_key(parts, key))
            part_take(watched, key->text, log_ns_sum(key + 1));
    step_take(watched, t, log_step(line), thinned_steps_of(line), samples);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct watched_metric *metric_get(struct watched *watched, const char *name)
{
    for (size_t i = 0; i < watched->metrics; i++)
        if (is_name(watched->metric[i].name, name))
            return &watched->metric[i];
    if (watched->metrics == WATCHED_METRICS)
        return NULL;
    struct watched_metric *metric = &watched->metric[watched->metrics++];
    *metric = (struct watched_metric){.newest = NAN};
    name_copy(metric->name, name);
    return metric;
}

/* A log without steps has the profiler's own averages in place of them. */
static void own_take(struct watched *watched, const char *name, double value)
{
    if (watched->steps > 0 || strcmp(name, "throughput/step") != 0)
        return;
    watched->rate = value;
    series_add(&watched->rates, value, 1);
}

static void metric_take(struct watched *watched, const struct log_value *line, int64_t t)
{
    const char *name = log_string(line, "name", "");
    double value = log_real(line, "value", 0);
    place_take(watched, t, log_true(line, "own_step") ? watched->step - 1 : log_step(line));
    if (strcmp(log_string(line, "by", ""), "profiler") == 0) {
        own_take(watched, name, value);
        return;
    }
    struct watched_metric *metric = metric_get(watched, name);
    if (!metric)
        return;
    metric->newest = value;
    series_add(&metric->series, value, 1);
}

/* ---- other lines ----------------------------------------------------------------------------- */

static void run_take(struct watched *watched, const struct log_value *line)
{
    SW_ERROR_SCOPE(err);
    if (log_run_check(watched->follow.path, line, &err) < 0)
        snprintf(watched->note, sizeof watched->note, "%.220s", sw_error_text(&err));
    watched->known = true;
    name_copy(watched->name, log_string(line, "name", ""));
    name_copy(watched->host, log_string(line, "host", ""));
    name_copy(watched->job, log_string(line, "run", ""));
    watched->pid = log_integer(line, "pid", 0);
    watched->rank = log_integer(line, "rank", 0);
    watched->world_size = log_integer(line, "world_size", 1);
    watched->started_s = log_real(line, "started", 0);
}

/* Not negative, so that a difference fits. */
static int64_t time_of(const struct log_value *line)
{
    int64_t t = log_time(line, "t", 0);
    return t > 0 ? t : 0;
}

/* A log of regions: a step is what ended between two ends of a batch. */
static void region_end(struct watched *watched, const char *name, int64_t t,
                       const struct log_value *line)
{
    bool batch = strcmp(name, "batch") == 0;
    struct watched_action *action = batch ? NULL : action_get(watched, name);
    int64_t begun = action  ? watched->begun_ns[action - watched->action]
                    : batch ? watched->batch_begun_ns
                            : -1;
    if (begun < 0)
        return;
    const struct log_value ns = {.kind = LOG_INTEGER, .integer = t - begun};
    part_take(watched, name, log_ns(&ns));
    /* Most regions have no number of a step: a value of the step may have told it already. */
    if (batch)
        step_take(watched, time_of(line),
                  watched->validating     ? watched->step - 1
                  : log_get(line, "step") ? log_step(line)
                                          : watched->steps,
                  1, log_integer(line, "samples", 0));
}

static void region_begin(struct watched *watched, const char *name, int64_t t)
{
    struct watched_action *action = NULL;
    if (strcmp(name, "batch") == 0)
        watched->batch_begun_ns = t;
    else
        action = action_get(watched, name);
    if (action)
        watched->begun_ns[action - watched->action] = t;
}

static void region_take(struct watched *watched, const struct log_value *line, enum line_type type)
{
    const char *name = log_string(line, "action", "");
    bool begins = type == LINE_BEGIN, ends = type == LINE_END;
    int64_t t = time_of(line), running = t - watched->paused_ns;
    if (log_get(line, "window")) /* the log has these a second time */
        return;
    if (strcmp(name, "epoch") == 0)
        watched->epoch += begins;
    if (strcmp(name, "valid") == 0)
        watched->validating = begins;
    if (log_is_of_loop(name) || log_integer(line, "thread", 0) != 0)
        return;
    if (begins)
        region_begin(watched, name, running);
    else if (ends)
        region_end(watched, name, running, line);
    else if (strcmp(name, "batch") == 0)
        step_take(watched, t, watched->step - 1, 1, -1);
}

static void alert_take(struct watched *watched, const struct log_value *line)
{
    snprintf(watched->note, sizeof watched->note, "%s: %s", log_string(line, "title", ""),
             log_string(line, "text", ""));
}

/* What a reader that did not read the lines before must know of them. */
static void index_take(struct watched *watched, const struct log_value *line)
{
    watched->epoch = log_integer(line, "epochs", 0);
    watched->expected = log_integer(line, "steps_expected", 0);
    watched->validating = log_true(line, "validating");
    if (log_get(line, "title"))
        alert_take(watched, line);
}

static void object_take(struct watched *watched, const struct log_value *line)
{
    enum line_type type = log_type(line);
    int64_t t = time_of(line);
    watched->t_ns = t > watched->t_ns ? t : watched->t_ns;
    if (type == LINE_STEP)
        step_line(watched, line, t);
    else if (type == LINE_METRIC)
        metric_take(watched, line, t);
    else if (type == LINE_RUN)
        run_take(watched, line);
    else if (type == LINE_FINISH) {
        watched->finished = true;
        watched->interrupted = log_true(line, "interrupted");
        watched->exit_status = (int)log_integer(line, "exit_status", 0);
    } else if (type == LINE_EXPECT)
        watched->expected = log_integer(line, "steps", 0);
    else if (type == LINE_ALERT)
        alert_take(watched, line);
    else if (type == LINE_INDEX && watched->jumps)
        index_take(watched, line);
    else if (type == LINE_PAUSE)
        watched->paused_ns = log_time_limited(watched->paused_ns - t);
    else if (type == LINE_RESUME)
        watched->paused_ns = log_time_limited(watched->paused_ns + t);
    else if (type == LINE_BEGIN || type == LINE_END || type == LINE_CANCEL)
        region_take(watched, line, type);
}

static void steps_take(struct watched *watched, const struct log_value *line)
{
    const struct log_value *step;
    if (!thinned_steps_begin(&watched->thinned, line))
        watched->damaged++;
    while ((step = thinned_steps_next(&watched->thinned)))
        object_take(watched, step);
}

static void line_take(void *arg, char *text, size_t size)
{
    struct watched *watched = arg;
    if (watched->follow.line_at < watched->tail_at && tail_leaves_out(text, size))
        return;
    const struct log_value *line = log_line_parse(&watched->line, text, size);
    if (log_is_type(line, LINE_STEPS))
        steps_take(watched, line);
    else if (log_is(line, LOG_OBJECT))
        object_take(watched, line);
    else
        watched->damaged++;
}
