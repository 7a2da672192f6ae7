/* SPDX-License-Identifier: MIT */
#include "tools/log/player.h"
#include "tools/log/ranks_line.h"
#include "tools/log/value_folder.h"

#include <stepwatch/monitor.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sinks are waited for after this many lines, so that their queues do not overflow. */
enum { FLUSH_LINES = 1000 };
#define FLUSH_NS (INT64_C(60) * 1000000000)

static int64_t clock_read(void *arg)
{
    return ((struct player *)arg)->now;
}

void player_init(struct player *player, struct sw_profiler *sw, double started)
{
    *player = (struct player){.sw = sw, .values.folder = -1};
    sw_set_clock(sw, clock_read, player);
    sw_set_start(sw, started);
    sw_set_thread(sw, 0);
}

void player_beside(struct player *player, const char *path)
{
    player->values.folder = value_folder_open(path);
}

/* ---- values of the user's
 * ------------------------------------------------------------------------ */

static int value_wait(struct player *player, const json_t *line, bool number, struct sw_error *err)
{
    struct waiting *all =
        realloc(player->waiting, (player->waiting_count + 1) * sizeof *player->waiting);
    if (!all)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the values of a step");
    player->waiting = all;
    all[player->waiting_count++] = (struct waiting){
        .name = strdup(log_string(line, "name", "")),
        .value = log_number(json_object_get(line, "value"), 0),
        .step = log_integer(line, "step", 0),
        .line = number ? NULL : json_incref((json_t *)line),
    };
    return 0;
}

/* At the time that it was logged. */
static int value_play(struct player *player, const json_t *line, struct sw_error *err)
{
    int64_t now = player->now;
    player->now = log_integer(line, "t", now);
    int rc = value_line_play(player->sw, &player->values, line, err);
    player->now = now;
    return rc;
}

static void waiting_play(struct player *player, struct waiting *w)
{
    SW_ERROR_SCOPE(ignored);
    if (w->line)
        value_play(player, w->line, &ignored);
    else
        sw_log(player->sw, w->name, w->value);
    json_decref(w->line);
    free(w->name);
}

/* Logs the values that wait for a step up to this one, and moves the rest up. */
static void metrics_log(struct player *player, int64_t step)
{
    size_t kept = 0;
    for (size_t i = 0; i < player->waiting_count; i++) {
        struct waiting *w = &player->waiting[i];
        if (w->step > step) {
            player->waiting[kept++] = *w;
            continue;
        }
        waiting_play(player, w);
    }
    player->waiting_count = kept;
}

/* Those of steps that the log does not have. */
static void metrics_log_rest(struct player *player)
{
    for (size_t i = 0; i < player->waiting_count; i++) {
        struct waiting *w = &player->waiting[i];
        if (w->line && w->step >= sw_get_step(player->sw))
            sw_set_step(player->sw, w->step + 1);
        waiting_play(player, w);
    }
    player->waiting_count = 0;
}

/* A value of a step that has not ended waits for its end. Others belong to the last step. */
static int metric_play(struct player *player, const json_t *line, struct sw_error *err)
{
    if (log_integer(line, "step", 0) >= sw_get_step(player->sw))
        return value_wait(player, line, true, err);
    sw_log(player->sw, log_string(line, "name", ""), log_number(json_object_get(line, "value"), 0));
    return 0;
}

/* The same of any other value; what belongs to no step is logged at once. */
static int rich_play(struct player *player, const json_t *line, struct sw_error *err)
{
    bool of_step = strcmp(log_string(line, "type", ""), "value") == 0;
    if (of_step && log_integer(line, "step", 0) >= sw_get_step(player->sw) &&
        (log_integer(line, "step", 0) > 0 || player->in_fit))
        return value_wait(player, line, false, err);
    return value_play(player, line, err);
}

/* ---- samples of monitors ------------------------------------------------------------------------
 */

static void sample_clear(struct player *player)
{
    for (size_t i = 0; i < player->sample_count; i++)
        free(player->sample_name[i]);
    player->sample_count = 0;
}

/* Logs the sample whose lines have come, at its time. */
static void sample_log(struct player *player)
{
    int64_t now = player->now;
    if (!player->sample_count)
        return;
    player->now = player->sample_t;
    sw_log_sample(player->sw, (const char *const *)player->sample_name, player->sample_value,
                  player->sample_count);
    player->now = now;
    sample_clear(player);
}

static int sample_wait(struct player *player, const json_t *line, struct sw_error *err)
{
    size_t count = player->sample_count;
    char **name = realloc(player->sample_name, (count + 1) * sizeof *name);
    if (name)
        player->sample_name = name;
    double *value = realloc(player->sample_value, (count + 1) * sizeof *value);
    if (value)
        player->sample_value = value;
    char *copy = name && value ? strdup(log_string(line, "name", "")) : NULL;
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the values of a sample");
    name[count] = copy;
    value[count] = log_number(json_object_get(line, "value"), 0);
    player->sample_count++;
    player->sample_t = player->now;
    return 0;
}

static bool is_sample(const json_t *line)
{
    return strcmp(log_string(line, "by", ""), "monitor") == 0;
}

/* Of a metric by a monitor: is the line one more of the sample that waits? */
static bool continues(const struct player *player, const json_t *line)
{
    return is_sample(line) && log_integer(line, "t", player->now) == player->sample_t;
}

/* ---- regions ------------------------------------------------------------------------------------
 */

/* shape: NULL if it has none. */
static int handle_of(const char *action, const char *shape)
{
    return sw_action_shaped(sw_action(action), shape);
}

static void end(struct player *player, const char *action, const char *shape, int64_t samples)
{
    if (strcmp(action, "batch") != 0) {
        sw_end(player->sw, handle_of(action, shape));
        return;
    }
    metrics_log(player, sw_get_step(player->sw));
    sw_end_batch(player->sw, samples);
}

/* Returns whether a line repeats what is known, or what has ended before: a truncated log repeats
 * lines. */
static bool is_known(struct player *player, const char *action, bool begins)
{
    int id = sw_action(action);
    unsigned bit = id >= SW_FIT && id <= SW_VALID ? 1u << id : 0;
    bool known = player->cut_off && bit && begins == ((player->open & bit) != 0);
    player->open = begins ? player->open | bit : player->open & ~bit;
    return known;
}

static int region_play(struct player *player, const json_t *line, const char *type,
                       struct sw_error *err)
{
    const char *action = log_string(line, "action", NULL);
    const char *shape = log_string(line, "shape", NULL);
    if (!action)
        return sw_error_set(err, SW_EFORMAT, "\"%s\" without an action", type);
    /* A log with windows has the steps too, and these are played. */
    if (json_object_get(line, "window"))
        return 0;
    player->cut_off = player->cut_off || json_is_true(json_object_get(line, "again"));
    if (is_known(player, action, strcmp(type, "begin") == 0))
        return 0;
    /* The next line discards it again: an end around it, a begin of the same action, or a pause. */
    if (json_is_true(json_object_get(line, "left_open")))
        return 0;
    if (strcmp(action, "fit") == 0) {
        player->in_fit = strcmp(type, "begin") == 0;
        player->loop = (int)log_integer(line, "thread", 0);
    }
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    counters_read(&player->counters, player->sw, line);
    if (strcmp(type, "begin") == 0)
        sw_begin(player->sw, handle_of(action, shape));
    else if (strcmp(type, "end") == 0)
        end(player, action, shape, log_integer(line, "samples", 0));
    else
        sw_cancel(player->sw, handle_of(action, shape));
    return 0;
}

/* ---- spans and notes ---- */

static int span_begin(struct player *player, const json_t *line, struct sw_error *err)
{
    const char *action = log_string(line, "action", NULL);
    if (!action)
        return sw_error_set(err, SW_EFORMAT, "\"span_begin\" without an action");
    struct played_span *all =
        realloc(player->span, (player->span_count + 1) * sizeof *player->span);
    if (!all)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the open spans");
    player->span = all;
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    all[player->span_count++] = (struct played_span){log_integer(line, "id", 0),
                                                     sw_span_begin(player->sw, sw_action(action))};
    return 0;
}

/* A span that began before the log was truncated is not known. */
static void span_end(struct player *player, const json_t *line)
{
    int64_t id = log_integer(line, "id", 0);
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    for (size_t i = player->span_count; i-- > 0;) {
        if (player->span[i].logged != id)
            continue;
        sw_span_end(player->sw, player->span[i].id);
        player->span[i] = player->span[--player->span_count];
        return;
    }
}

static void note_play(struct player *player, const json_t *line)
{
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    sw_note(player->sw, log_string(line, "text", ""));
}

/* One of stepwatch's own is said as it was then, as an alert of the program. */
static void alert_play(struct player *player, const json_t *line)
{
    const char *name = log_string(line, "level", "");
    enum sw_level level = strcmp(name, "error") == 0 || strcmp(name, "ERROR") == 0    ? SW_ERROR
                          : strcmp(name, "warning") == 0 || strcmp(name, "WARN") == 0 ? SW_WARNING
                                                                                      : SW_NOTE;
    sw_alert(player->sw, level, log_string(line, "title", ""), log_string(line, "text", ""));
}

static void pause_play(struct player *player, const json_t *line, bool paused)
{
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    if (paused)
        sw_pause(player->sw);
    else
        sw_resume(player->sw);
}

/* ---- steps: regions made again from their durations, one after the other
 * ------------------------- */

/* What the entry of an action, or number i of its array, says of the shape; NULL: nothing. */
static const char *shape_at(const json_t *shapes, const char *action, size_t i)
{
    const json_t *value = json_object_get(shapes, action);
    return json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
}

/* Calls `each` for the duration, or for each one in an array. Returns their sum. */
static int64_t durations_each(struct player *player, const char *action, const json_t *value,
                              void (*each)(struct player *, const char *, int64_t))
{
    int64_t sum = 0;
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    for (size_t i = 0; i < count; i++) {
        int64_t ns =
            (int64_t)json_number_value(json_is_array(value) ? json_array_get(value, i) : value);
        player->counters.call = i;
        player->counters.several = json_is_array(value);
        player->shape = shape_at(player->shapes, action, i);
        if (each)
            each(player, action, ns);
        sum += ns;
    }
    return sum;
}

/* Plays the calls inside others of the same action, all within the first of those: only that they
 * are inside is known and matters. */
static void region_make(struct player *player, const char *action, int64_t ns)
{
    int64_t start = player->now;
    size_t call = player->counters.call;
    bool several = player->counters.several, is_inner = player->making_inner;
    int handle = handle_of(action, player->shape);
    json_t *inner = json_incref(json_object_get(player->inner, action));
    sw_begin(player->sw, handle);
    if (inner) {
        const json_t *shapes = player->shapes;
        player->shapes = NULL;
        json_object_del(player->inner, action);
        player->making_inner = true;
        durations_each(player, action, inner, region_make);
        player->making_inner = is_inner;
        player->shapes = shapes;
    }
    json_decref(inner);
    player->now = start + ns;
    counters_use(&player->counters, player->sw, action, is_inner, call, several);
    sw_end(player->sw, handle);
}

static void regions_make(struct player *player, json_t *durations)
{
    const char *action;
    json_t *value;
    void *next;
    json_object_foreach_safe(durations, next, action,
                             value) if (strcmp(action, "draw") != 0 && strcmp(action, "batch") != 0)
        durations_each(player, action, value, region_make);
}

/* The remaining inner calls belong to an outer call around the step. */
static void step_inside(struct player *player, const json_t *line)
{
    player->inner = json_copy(json_object_get(line, "inner"));
    player->shapes = json_object_get(line, "shapes");
    regions_make(player, json_object_get(line, "durations"));
    player->shapes = NULL;
    json_t *left = player->inner;
    player->inner = NULL;
    player->making_inner = true;
    regions_make(player, left);
    player->making_inner = false;
    json_decref(left);
}

/* ---- validation that the log does not begin ---- */

static bool is_valid_step(const json_t *line)
{
    return strcmp(log_string(line, "type", ""), "step") == 0 &&
           strcmp(log_string(line, "phase", "train"), "valid") == 0;
}

/* A step of validation outside of any valid gets one, which lasts as long as such steps follow. */
static void valid_make(struct player *player, const json_t *line)
{
    if (!is_valid_step(line) || player->made_valid || player->open & (1u << SW_VALID))
        return;
    player->made_valid = true;
    sw_begin(player->sw, SW_VALID);
}

/* Ends it before whatever is not its own. */
static void valid_end(struct player *player, const json_t *line)
{
    static const char *const inside[] = {"metric", "config", "note", "span_begin", "span_end"};
    bool stays = line && is_valid_step(line);
    for (size_t i = 0; line && i < sizeof inside / sizeof *inside; i++)
        stays = stays || strcmp(log_string(line, "type", ""), inside[i]) == 0;
    if (!player->made_valid || stays)
        return;
    int64_t now = player->now;
    player->made_valid = false;
    player->now = player->valid_end;
    sw_set_thread(player->sw, player->loop);
    sw_end(player->sw, SW_VALID);
    player->now = now;
}

static int step_play(struct player *player, const json_t *line, struct sw_error *err)
{
    json_t *durations = json_object_get(line, "durations");
    if (!json_is_object(durations))
        return sw_error_set(err, SW_EFORMAT, "\"step\" without durations");
    int64_t t = player->now, samples = log_integer(line, "samples", 0);
    json_t *draw = json_object_get(durations, "draw"), *batch = json_object_get(durations, "batch");
    int64_t batch_ns = batch ? durations_each(player, "batch", batch, NULL) : 0;
    int64_t draw_ns = draw ? durations_each(player, "draw", draw, NULL) : 0;
    bool training = strcmp(log_string(line, "phase", "train"), "valid") != 0;
    if (training && log_integer(line, "step", -1) >= 0)
        sw_set_step(player->sw, log_integer(line, "step", 0));
    sw_set_thread(player->sw, player->loop);
    player->counters.uses = json_object_get(line, "counters");
    player->counters.inner_uses = json_object_get(line, "inner_counters");
    player->now = t - batch_ns - draw_ns;
    valid_make(player, line);
    if (draw)
        durations_each(player, "draw", draw, region_make);
    sw_begin(player->sw, SW_BATCH);
    step_inside(player, line);
    player->now = t;
    counters_use(&player->counters, player->sw, "batch", false, 0, false);
    if (samples >= 0)
        end(player, "batch", NULL, samples);
    else
        sw_cancel(player->sw, SW_BATCH);
    player->valid_end = t;
    return 0;
}

/* ---- the rest
 * ------------------------------------------------------------------------------------ */

static void config_play(struct player *player, const json_t *line)
{
    const json_t *value = json_object_get(line, "value");
    const char *name = log_string(line, "name", "");
    if (json_is_integer(value))
        sw_hparam_int(player->sw, name, json_integer_value(value));
    else if (json_is_real(value))
        sw_hparam_float(player->sw, name, json_real_value(value));
    else if (json_is_string(value))
        sw_hparam_string(player->sw, name, json_string_value(value));
}

static int line_play(struct player *player, const json_t *line, struct sw_error *err)
{
    const char *type = log_string(line, "type", "");
    bool by_profiler = strcmp(log_string(line, "by", ""), "profiler") == 0;
    valid_end(player, line);
    if (strcmp(type, "run") == 0) {
        player->cut_off = player->cut_off || json_is_true(json_object_get(line, "again"));
        counters_of_run(&player->counters, player->sw, line);
    } else if (strcmp(type, "counter") == 0) {
        counters_name(&player->counters, player->sw, line);
    } else if (strcmp(type, "finish") == 0) {
        player->finished = true;
        player->closed = !json_is_true(json_object_get(line, "interrupted"));
        sw_set_exit_status(player->sw, (int)log_integer(line, "exit_status", 0));
    } else if (by_profiler) {
        return 0;
    } else if (strcmp(type, "begin") == 0 || strcmp(type, "end") == 0 ||
               strcmp(type, "cancel") == 0) {
        return region_play(player, line, type, err);
    } else if (strcmp(type, "pause") == 0 || strcmp(type, "resume") == 0) {
        pause_play(player, line, strcmp(type, "pause") == 0);
    } else if (strcmp(type, "step") == 0) {
        return step_play(player, line, err);
    } else if (strcmp(type, "span_begin") == 0) {
        return span_begin(player, line, err);
    } else if (strcmp(type, "span_end") == 0) {
        span_end(player, line);
    } else if (strcmp(type, "note") == 0) {
        note_play(player, line);
    } else if (strcmp(type, "expect") == 0) {
        sw_expect_steps(player->sw, log_integer(line, "steps", 0));
    } else if (strcmp(type, "alert") == 0) {
        alert_play(player, line);
    } else if (value_line_is(type)) {
        return rich_play(player, line, err);
    } else if (strcmp(type, "metric") == 0 && is_sample(line)) {
        return sample_wait(player, line, err);
    } else if (strcmp(type, "metric") == 0) {
        return metric_play(player, line, err);
    } else if (strcmp(type, "config") == 0) {
        config_play(player, line);
    } else if (strcmp(type, "ranks") == 0) {
        return ranks_line_play(player->sw, line, err);
    } else if (strcmp(type, "clock") == 0) {
        sw_log_clock(player->sw, log_integer(line, "clock_offset_ns", 0),
                     log_integer(line, "clock_error_ns", 0));
    }
    return 0;
}

static bool is_finish(const json_t *line)
{
    return strcmp(log_string(line, "type", ""), "finish") == 0;
}

int player_play(struct player *player, const json_t *line, struct sw_error *err)
{
    if (!continues(player, line))
        sample_log(player);
    player->now = log_integer(line, "t", player->now);
    /* A fit that an interrupted run left open ended where its report was made. */
    bool later = player->now > player->end && !(player->reported && is_finish(line));
    player->end = later ? player->now : player->end;
    player->reported = player->reported || json_is_true(json_object_get(line, "interrupted"));
    int rc = line_play(player, line, err);
    player->now = player->end;
    if (++player->lines % FLUSH_LINES == 0)
        sw_flush(player->sw, FLUSH_NS);
    return rc;
}

/* Regions that a killed run left open were not open at sw_close(), so no warning is due. The last
 * pause may have lasted until then. */
void player_end(struct player *player)
{
    metrics_log_rest(player);
    valid_end(player, NULL);
    metrics_log(player, INT64_MAX);
    sample_log(player);
    sw_set_thread(player->sw, player->loop);
    sw_resume(player->sw);
    if (player->in_fit && !player->closed)
        sw_end(player->sw, SW_FIT);
}

void player_fini(struct player *player)
{
    for (size_t i = 0; i < player->waiting_count; i++) {
        json_decref(player->waiting[i].line);
        free(player->waiting[i].name);
    }
    if (player->values.folder >= 0)
        close(player->values.folder);
    player->values.folder = -1;
    free(player->waiting);
    player->waiting = NULL;
    sample_clear(player);
    free(player->sample_name);
    free(player->sample_value);
    player->sample_name = NULL;
    player->sample_value = NULL;
    free(player->span);
    player->span = NULL;
}
