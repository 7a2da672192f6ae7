/* SPDX-License-Identifier: MIT */
#include "tools/log/played_steps.h"
#include "tools/log/played_regions.h"

#include <string.h>

/* What the entry of an action, or number i of its array, says of the shape; NULL: nothing. */
static const char *shape_at(const json_t *shapes, const char *action, size_t i)
{
    const json_t *value = json_object_get(shapes, action);
    return json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
}

/* Between 0 and a century, so that sums of a line's durations fit. */
static int64_t duration_of(const json_t *value)
{
    const double most = 3.2e18 / 1024;
    double ns = json_number_value(value);
    return ns > 0 ? (int64_t)(ns < most ? ns : most) : 0;
}

/* Calls `each` for the duration, or for each one in an array. Returns their sum. */
static int64_t durations_each(struct player *player, const char *action, const json_t *value,
                              void (*each)(struct player *, const char *, int64_t))
{
    int64_t sum = 0;
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    for (size_t i = 0; i < count; i++) {
        int64_t ns = duration_of(json_is_array(value) ? json_array_get(value, i) : value);
        player->counters.call = i;
        player->counters.several = json_is_array(value);
        player->shape = shape_at(player->shapes, action, i);
        if (each)
            each(player, action, ns);
        sum += ns;
    }
    return sum;
}

/* Call number `call` of an action is not as long as it would be with the calls that are played in
 * it: those of other actions are all played in the batch. */
static void self_set(const struct player *player, const char *action, bool inner, size_t call,
                     bool several)
{
    const json_t *self = json_object_get(inner ? player->inner_self : player->self, action);
    if (several)
        self = json_array_get(self, call);
    if (json_is_integer(self))
        sw_set_self(player->sw, json_integer_value(self));
}

static void step_inside(struct player *player, const json_t *line);

static void fields_of(struct player *player, const json_t *line)
{
    player->counters.uses = json_object_get(line, "counters");
    player->counters.inner_uses = json_object_get(line, "inner_counters");
    player->self = json_object_get(line, "self");
    player->inner_self = json_object_get(line, "inner_self");
}

/* Plays what ran in the draws of a step within the first of them, for only that it ran in one is
 * known. */
static void drawn_make(struct player *player)
{
    const struct player before = *player;
    player->in_draw = NULL;
    fields_of(player, before.in_draw);
    step_inside(player, before.in_draw);
    player->counters = before.counters;
    player->shapes = before.shapes;
    player->inner = before.inner;
    player->self = before.self;
    player->inner_self = before.inner_self;
}

/* Plays the calls inside others of the same action, all within the first of those: only that they
 * are inside is known and matters. */
static void region_make(struct player *player, const char *action, int64_t ns)
{
    int64_t start = player->now;
    size_t call = player->counters.call;
    bool several = player->counters.several, is_inner = player->making_inner;
    int handle = played_handle(action, player->shape);
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
    if (player->in_draw && strcmp(action, "draw") == 0)
        drawn_make(player);
    player->now = start + ns;
    counters_use(&player->counters, player->sw, action, is_inner, call, several);
    self_set(player, action, is_inner, call, several);
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
void played_valid_end(struct player *player, const json_t *line)
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

/* Returns the sum of the self times of what ran in the batch. */
static int64_t selves_sum(struct player *player, json_t *durations, const json_t *selves)
{
    int64_t sum = 0;
    const char *action;
    json_t *value;
    json_object_foreach(durations, action, value)
    {
        const json_t *self = json_object_get(selves, action);
        if (strcmp(action, "draw") != 0 && strcmp(action, "batch") != 0)
            sum += durations_each(player, action, self ? self : value, NULL);
    }
    return sum;
}

int played_step(struct player *player, const json_t *line, struct sw_error *err)
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
    fields_of(player, line);
    player->in_draw = json_object_get(line, "in_draw");
    player->now = t - batch_ns - draw_ns;
    valid_make(player, line);
    if (draw)
        durations_each(player, "draw", draw, region_make);
    player->in_draw = NULL;
    sw_begin(player->sw, SW_BATCH);
    step_inside(player, line);
    player->now = t;
    counters_use(&player->counters, player->sw, "batch", false, 0, false);
    if (player->self || player->inner_self)
        sw_set_self(player->sw,
                    batch_ns - selves_sum(player, durations, player->self) -
                        selves_sum(player, json_object_get(line, "inner"), player->inner_self));
    if (samples >= 0)
        played_end(player, "batch", NULL, samples);
    else
        sw_cancel(player->sw, SW_BATCH);
    player->self = player->inner_self = NULL;
    player->valid_end = t;
    return 0;
}
