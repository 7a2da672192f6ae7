/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched.h"

#include "tools/watch/tail.h"

#include "core/clock/now.h"
#include "tools/log/log_lines.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* ---- begin and end -----------------------------------------------------------------------------
 */

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

/* ---- steps -------------------------------------------------------------------------------------
 */

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

/* ---- values ------------------------------------------------------------------------------------
 */

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
    place_take(watched, scanned->t, scanned->step);
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

/* ---- other lines -------------------------------------------------------------------------------
 */

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

/* ---- figures -----------------------------------------------------------------------------------
 */

size_t watched_kept(const struct watched *watched)
{
    return watched->steps < WATCHED_STEPS ? (size_t)watched->steps : WATCHED_STEPS;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double quantile(const int64_t *sorted, size_t count, double p)
{
    double place = p * (double)(count - 1);
    size_t low = (size_t)place, high = low + 1 < count ? low + 1 : low;
    return (double)sorted[low] + (place - (double)low) * (double)(sorted[high] - sorted[low]);
}

struct watched_figures watched_figures(const struct watched *watched, const int64_t *ns)
{
    int64_t sorted[WATCHED_STEPS];
    struct watched_figures figures = {0};
    size_t count = watched_kept(watched);
    if (count == 0)
        return figures;
    memcpy(sorted, ns, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 0; i < count; i++)
        figures.sum_ns += (double)sorted[i];
    figures.mean_ns = figures.sum_ns / (double)count;
    figures.p50_ns = quantile(sorted, count, 0.5);
    figures.p99_ns = quantile(sorted, count, 0.99);
    return figures;
}

size_t watched_slowest(const struct watched *watched)
{
    size_t slowest = 0;
    for (size_t i = 1; i < watched_kept(watched); i++)
        if (watched->step_ns[i] > watched->step_ns[slowest])
            slowest = i;
    return slowest;
}

double watched_eta(const struct watched *watched)
{
    int64_t done = watched->step - 1 - watched->first_step;
    int64_t left = watched->expected - watched->step;
    if (watched->first_step < 0 || watched->expected <= 0 || left < 0 || done <= 0)
        return -1;
    return (double)(watched->t_ns - watched->first_t_ns) * 1e-9 * (double)left / (double)done;
}

/* ---- how it is ---------------------------------------------------------------------------------
 */

/* The number of a process may be another's by now: that one began later than the run. */
static bool is_of_run(const struct watched *watched)
{
    char path[64], text[1024] = "";
    unsigned long long began = 0;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)watched->pid);
    FILE *stat = fopen(path, "re");
    size_t size = stat ? fread(text, 1, sizeof text - 1, stat) : 0;
    if (stat)
        fclose(stat);
    text[size] = '\0';
    const char *behind = strrchr(text, ')');
    struct timespec now, up;
    if (!behind || sscanf(behind,
                          ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
                          "%*d %*d %*d %*d %llu",
                          &began) != 1)
        return true;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    double since_boot = (double)began / (double)sysconf(_SC_CLK_TCK);
    double began_s = (double)now.tv_sec - ((double)up.tv_sec - since_boot);
    return began_s <= watched->started_s + 2;
}

static bool process_is_gone(const struct watched *watched)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (strcmp(host, watched->host) != 0 || watched->pid <= 0)
        return false;
    return (kill((pid_t)watched->pid, 0) < 0 && errno == ESRCH) || !is_of_run(watched);
}

static int64_t silence_of(const struct watched *watched)
{
    double p99 = watched_figures(watched, watched->step_ns).p99_ns;
    double limit = fmax(10e9, 20 * p99);
    int64_t silent = swi_now_ns() - watched->grown_ns;
    return (double)silent > limit ? silent : 0;
}

enum watched_state watched_state(const struct watched *watched)
{
    if (!watched->known)
        return WATCHED_WAITS;
    if (watched->finished)
        return WATCHED_FINISHED;
    if (process_is_gone(watched))
        return WATCHED_DEAD;
    return silence_of(watched) ? WATCHED_SILENT : WATCHED_RUNS;
}

const char *watched_state_text(const struct watched *watched, char *buffer, size_t size)
{
    int silent = (int)((swi_now_ns() - watched->grown_ns) / SECOND);
    switch (watched_state(watched)) {
    case WATCHED_WAITS:
        snprintf(buffer, size, "waiting");
        break;
    case WATCHED_RUNS:
        snprintf(buffer, size, "%s", watched->validating ? "validating" : "runs");
        break;
    case WATCHED_SILENT:
        snprintf(buffer, size, "silent for %d:%02d", silent / 60, silent % 60);
        break;
    case WATCHED_FINISHED:
        snprintf(buffer, size,
                 watched->interrupted   ? "interrupted"
                 : watched->exit_status ? "failed"
                                        : "finished");
        break;
    case WATCHED_DEAD:
        snprintf(buffer, size, "ended without finish (killed?)");
        break;
    }
    return buffer;
}
