/* SPDX-License-Identifier: MIT */
#include "tools/log/played_steps.h"
#include "tools/log/played_regions.h"

#include <stepwatch/replay.h>

#include <string.h>

/* What the entry of an action, or number i of its array, says of the shape; NULL: nothing. */
static const char *shape_at(const struct log_value *shapes, const char *action, size_t i)
{
    const struct log_value *value = log_get(shapes, action);
    return log_text(log_is(value, LOG_ARRAY) ? log_at(value, i) : value);
}

/* Calls `each` for the duration, or for each one in an array. Returns their sum. */
static int64_t durations_each(struct player *player, const char *action,
                              const struct log_value *value,
                              void (*each)(struct player *, const char *, int64_t))
{
    int64_t sum = 0;
    bool several = log_is(value, LOG_ARRAY);
    size_t count = several ? value->size : 1;
    for (size_t i = 0; i < count; i++) {
        int64_t ns = log_ns(several ? log_at(value, i) : value);
        player->counters.call = i;
        player->counters.several = several;
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
    const struct log_value *self = log_get(inner ? player->inner_self : player->self, action);
    if (several)
        self = log_at(self, call);
    if (log_is(self, LOG_INTEGER))
        sw_set_self(player->sw, log_whole(self));
}

static void step_inside(struct player *player, const struct log_value *line);

static void fields_of(struct player *player, const struct log_value *line)
{
    player->counters.uses = log_get(line, "counters");
    player->counters.inner_uses = log_get(line, "inner_counters");
    player->self = log_get(line, "self");
    player->inner_self = log_get(line, "inner_self");
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
    int handle = played_handle(player, action, player->shape);
    const struct log_value *inner = call == 0 && !is_inner ? log_get(player->inner, action) : NULL;
    sw_begin(player->sw, handle);
    if (inner) {
        const struct log_value *shapes = player->shapes;
        player->shapes = NULL;
        player->making_inner = true;
        durations_each(player, action, inner, region_make);
        player->making_inner = is_inner;
        player->shapes = shapes;
    }
    if (player->in_draw && strcmp(action, "draw") == 0)
        drawn_make(player);
    player->now = start + ns;
    counters_use(&player->counters, player->sw, action, is_inner, call, several);
    self_set(player, action, is_inner, call, several);
    sw_end(player->sw, handle);
}

static bool is_in_batch(const char *action)
{
    return strcmp(action, "draw") != 0 && strcmp(action, "batch") != 0;
}

/* Those of actions in `but` are left out. */
static void regions_make(struct player *player, const struct log_value *durations,
                         const struct log_value *but)
{
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        const struct log_value *other = log_get(but, k->text);
        bool out = other && (!log_is(other, LOG_ARRAY) || other->size);
        if (is_in_batch(k->text) && !out)
            durations_each(player, k->text, k + 1, region_make);
    }
}

/* The remaining inner calls belong to an outer call around the step. */
static void step_inside(struct player *player, const struct log_value *line)
{
    const struct log_value *durations = log_get(line, "durations");
    player->inner = log_get(line, "inner");
    player->shapes = log_get(line, "shapes");
    regions_make(player, durations, NULL);
    player->shapes = NULL;
    player->making_inner = true;
    regions_make(player, player->inner, durations);
    player->making_inner = false;
    player->inner = NULL;
}

/* ---- validation that the log does not begin ---- */

static bool is_valid_step(const struct log_value *line)
{
    return log_is_type(line, LINE_STEP) && strcmp(log_string(line, "phase", "train"), "valid") == 0;
}

/* A step of validation outside of any valid gets one, which lasts as long as such steps follow. */
static void valid_make(struct player *player, const struct log_value *line)
{
    if (!is_valid_step(line) || player->made_valid || player->open & (1u << SW_VALID))
        return;
    player->made_valid = true;
    sw_begin(player->sw, SW_VALID);
}

/* Ends it before whatever is not its own. */
void played_valid_end(struct player *player, const struct log_value *line)
{
    enum line_type type = log_type(line);
    if (!player->made_valid || type == LINE_METRIC || type == LINE_CONFIG || type == LINE_NOTE ||
        type == LINE_SPAN_BEGIN || type == LINE_SPAN_END || is_valid_step(line))
        return;
    int64_t now = player->now;
    player->made_valid = false;
    player->now = player->valid_end;
    sw_set_thread(player->sw, player->loop);
    sw_end(player->sw, SW_VALID);
    player->now = now;
}

/* Returns the sum of the self times of what ran in the batch. */
static int64_t selves_sum(struct player *player, const struct log_value *durations,
                          const struct log_value *selves)
{
    int64_t sum = 0;
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        const struct log_value *self = log_get(selves, k->text);
        if (is_in_batch(k->text))
            sum += durations_each(player, k->text, self ? self : k + 1, NULL);
    }
    return sum;
}

int played_step(struct player *player, const struct log_value *line, struct sw_error *err)
{
    const struct log_value *durations = log_get(line, "durations");
    if (!log_is(durations, LOG_OBJECT))
        return sw_error_set(err, SW_EFORMAT, "\"step\" without durations");
    int64_t t = player->now, samples = log_integer(line, "samples", 0);
    const struct log_value *draw = log_get(durations, "draw"), *batch = log_get(durations, "batch");
    int64_t batch_ns = batch ? durations_each(player, "batch", batch, NULL) : 0;
    int64_t draw_ns = draw ? durations_each(player, "draw", draw, NULL) : 0;
    bool training = strcmp(log_string(line, "phase", "train"), "valid") != 0;
    if (training && log_integer(line, "step", -1) >= 0)
        sw_set_step(player->sw, log_integer(line, "step", 0));
    sw_set_thread(player->sw, player->loop);
    fields_of(player, line);
    player->counters.steps = thinned_steps_of(line);
    player->in_draw = log_get(line, "in_draw");
    player->now = t - batch_ns - draw_ns;
    valid_make(player, line);
    if (player->counters.steps > 1)
        sw_set_steps(player->sw, player->counters.steps);
    if (draw)
        durations_each(player, "draw", draw, region_make);
    player->in_draw = NULL;
    sw_begin(player->sw, SW_BATCH);
    step_inside(player, line);
    player->now = t;
    counters_use(&player->counters, player->sw, "batch", false, 0, false);
    int64_t batch_self = log_integer(line, "batch_self", -1);
    if (batch_self >= 0)
        sw_set_self(player->sw, batch_self);
    else if (player->self || player->inner_self)
        sw_set_self(player->sw, batch_ns - selves_sum(player, durations, player->self) -
                                    selves_sum(player, log_get(line, "inner"), player->inner_self));
    if (samples >= 0)
        played_end(player, "batch", NULL, samples);
    else
        sw_cancel(player->sw, SW_BATCH);
    player->self = player->inner_self = NULL;
    player->valid_end = t;
    return 0;
}
