/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched.h"

#include "tools/watch/tail.h"

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
    struct scanned *regions = watched->regions;
    for (size_t i = 0; i < watched->actions; i++)
        free(watched->action[i].ns);
    for (size_t i = 0; i < watched->findings; i++)
        free(watched->finding[i]);
    *watched = (struct watched){.follow = follow,
                                .step_ns = step_ns,
                                .step_number = step_number,
                                .metric = metric,
                                .regions = regions,
                                .first_step = -1,
                                .batch_begun_ns = -1,
                                .world_size = 1,
                                .grown_ns = swi_now_ns()};
}

static void line_take(void *arg, const char *line, size_t size);

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
    watched->regions = calloc(1, sizeof *watched->regions);
    reset(watched);
    watched->follow.line = line_take;
    watched->follow.event = event_take;
    watched->follow.arg = watched;
    return good && watched->step_ns && watched->step_number && watched->metric && watched->regions;
}

void watched_tail(struct watched *watched)
{
    watched->tail_at = tail_find(watched->follow.path);
}

void watched_fini(struct watched *watched)
{
    reset(watched);
    follow_fini(&watched->follow);
    free(watched->step_ns);
    free(watched->step_number);
    free(watched->metric);
    free(watched->regions);
}

bool watched_turn(struct watched *watched)
{
    if (follow_turn(&watched->follow) == 0)
        return false;
    watched->grown_ns = swi_now_ns();
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool is_name(const struct step_text *text, const char *name)
{
    return strlen(name) == text->size && memcmp(name, text->at, text->size) == 0;
}

static void name_copy(char *to, const struct step_text *from)
{
    size_t size = from->size < WATCHED_NAME ? from->size : WATCHED_NAME - 1;
    memcpy(to, from->at, size);
    to[size] = '\0';
}

/* The action of a name, made at its first step; NULL: there are too many. */
static struct watched_action *action_get(struct watched *watched, const struct step_text *name)
{
    for (size_t i = 0; i < watched->actions; i++)
        if (is_name(name, watched->action[i].name))
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
static void rate_take(struct watched *watched, const struct scanned *step, int64_t ns)
{
    watched->second_samples += (double)step->samples;
    watched->second_ns += (double)ns;
    if (watched->second_ns < (double)SECOND && watched->second_ns > 0 && watched->steps > 64)
        return;
    double rate = watched->second_samples * 1e9 / watched->second_ns;
    series_add(&watched->rates, watched->second_samples * 1e9, watched->second_ns);
    watched->rate = rate;
    if (watched->lowest <= 0 || rate < watched->lowest) {
        watched->lowest = rate;
        watched->lowest_step = step->step;
    }
    watched->highest = rate > watched->highest ? rate : watched->highest;
    watched->second_samples = watched->second_ns = 0;
}

static void training_take(struct watched *watched, const struct scanned *step)
{
    size_t at = (size_t)watched->steps % WATCHED_STEPS;
    int64_t sum = 0;
    for (size_t i = 0; i < watched->actions; i++)
        watched->action[i].ns[at] = 0;
    for (size_t i = 0; i < step->parts; i++) {
        bool whole = is_name(&step->part[i].action, "batch");
        if (whole || is_name(&step->part[i].action, "draw"))
            sum += step->part[i].ns;
        struct watched_action *action = whole ? NULL : action_get(watched, &step->part[i].action);
        if (action)
            action->ns[at] += step->part[i].ns;
    }
    watched->step_ns[at] = sum;
    watched->step_number[at] = step->step;
    watched->steps++;
    rate_take(watched, step, sum > 0 ? sum : 1);
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

static void step_take(struct watched *watched, const struct scanned *step)
{
    place_take(watched, step->t, step->step);
    watched->validating = step->valid;
    if (!step->valid && step->samples >= 0)
        training_take(watched, step);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct watched_metric *metric_get(struct watched *watched, const struct step_text *name)
{
    for (size_t i = 0; i < watched->metrics; i++)
        if (is_name(name, watched->metric[i].name))
            return &watched->metric[i];
    if (watched->metrics == WATCHED_METRICS)
        return NULL;
    struct watched_metric *metric = &watched->metric[watched->metrics++];
    *metric = (struct watched_metric){.newest = NAN};
    name_copy(metric->name, name);
    return metric;
}

/* A log without steps has the profiler's own averages in place of them. */
static void own_take(struct watched *watched, const struct scanned *scanned)
{
    if (watched->steps > 0 || !is_name(&scanned->name, "throughput/step"))
        return;
    watched->rate = scanned->value;
    series_add(&watched->rates, scanned->value, 1);
}

static void metric_take(struct watched *watched, const struct scanned *scanned)
{
    place_take(watched, scanned->t, scanned->own_step ? watched->step - 1 : scanned->step);
    if (scanned->by_profiler) {
        own_take(watched, scanned);
        return;
    }
    struct watched_metric *metric = metric_get(watched, &scanned->name);
    if (!metric)
        return;
    metric->newest = scanned->value;
    series_add(&metric->series, scanned->value, 1);
}

/* ---- other lines ----------------------------------------------------------------------------- */

static void text_take(char *to, const json_t *line, const char *key)
{
    snprintf(to, WATCHED_NAME, "%s", log_string(line, key, ""));
}

static void run_take(struct watched *watched, const json_t *line)
{
    watched->known = true;
    text_take(watched->name, line, "name");
    text_take(watched->host, line, "host");
    text_take(watched->job, line, "run");
    watched->pid = log_integer(line, "pid", 0);
    watched->rank = log_integer(line, "rank", 0);
    watched->world_size = log_integer(line, "world_size", 1);
    watched->started_s = log_number(json_object_get(line, "started"), 0);
}

/* A log of regions: a step is what ended between two ends of a batch. */
static void region_end(struct watched *watched, const char *name, int64_t t, const json_t *line)
{
    struct scanned *step = watched->regions;
    struct step_text text = {name, strlen(name)};
    bool batch = strcmp(name, "batch") == 0;
    struct watched_action *action = batch ? NULL : action_get(watched, &text);
    int64_t begun = action  ? watched->begun_ns[action - watched->action]
                    : batch ? watched->batch_begun_ns
                            : -1;
    if (begun < 0 || step->parts == SCAN_PARTS)
        return;
    step->part[step->parts].action = action ? (struct step_text){action->name, strlen(action->name)}
                                            : (struct step_text){"batch", 5};
    step->part[step->parts++].ns = t - begun;
    if (!batch)
        return;
    step->t = t;
    /* Regions have no numbers of steps: a value of the step may have told it already. */
    step->step = watched->validating ? watched->step - 1 : watched->steps;
    step->valid = watched->validating;
    step->samples = log_integer(line, "samples", 0);
    step_take(watched, step);
    step->parts = 0;
}

static void region_begin(struct watched *watched, const char *name, int64_t t)
{
    struct step_text text = {name, strlen(name)};
    struct watched_action *action = NULL;
    if (strcmp(name, "batch") == 0)
        watched->batch_begun_ns = t;
    else
        action = action_get(watched, &text);
    if (action)
        watched->begun_ns[action - watched->action] = t;
}

static bool is_container(const char *name)
{
    return strcmp(name, "fit") == 0 || strcmp(name, "epoch") == 0 || strcmp(name, "train") == 0 ||
           strcmp(name, "valid") == 0;
}

static void region_take(struct watched *watched, const json_t *line, const char *type)
{
    const char *name = log_string(line, "action", "");
    bool begins = strcmp(type, "begin") == 0, ends = strcmp(type, "end") == 0;
    int64_t t = log_integer(line, "t", 0);
    if (strcmp(name, "epoch") == 0)
        watched->epoch += begins;
    if (strcmp(name, "valid") == 0)
        watched->validating = begins;
    if (is_container(name) || log_integer(line, "thread", 0) != 0 ||
        json_object_get(line, "window"))
        return;
    if (begins)
        region_begin(watched, name, t);
    else if (ends)
        region_end(watched, name, t, line);
}

static void finish_take(struct watched *watched, const json_t *line)
{
    watched->finished = true;
    watched->interrupted = json_is_true(json_object_get(line, "interrupted"));
    watched->exit_status = (int)log_integer(line, "exit_status", 0);
}

static void alert_take(struct watched *watched, const json_t *line)
{
    snprintf(watched->note, sizeof watched->note, "%s: %s", log_string(line, "title", ""),
             log_string(line, "text", ""));
}

static void object_take(struct watched *watched, const json_t *line)
{
    const char *type = log_string(line, "type", "");
    int64_t t = log_integer(line, "t", 0);
    watched->t_ns = t > watched->t_ns ? t : watched->t_ns;
    if (strcmp(type, "run") == 0)
        run_take(watched, line);
    else if (strcmp(type, "finish") == 0)
        finish_take(watched, line);
    else if (strcmp(type, "expect") == 0)
        watched->expected = log_integer(line, "steps", 0);
    else if (strcmp(type, "alert") == 0)
        alert_take(watched, line);
    else if (strcmp(type, "begin") == 0 || strcmp(type, "end") == 0 || strcmp(type, "cancel") == 0)
        region_take(watched, line, type);
}

static void line_take(void *arg, const char *line, size_t size)
{
    struct watched *watched = arg;
    struct scanned scanned;
    json_error_t wrong;
    if (watched->follow.line_at < watched->tail_at && tail_leaves_out(line, size))
        return;
    if (scan_line(line, size, &scanned)) {
        if (scanned.type == SCANNED_STEP)
            step_take(watched, &scanned);
        else
            metric_take(watched, &scanned);
        return;
    }
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, &wrong);
    if (json_is_object(object))
        object_take(watched, object);
    else
        watched->damaged++;
    json_decref(object);
}
