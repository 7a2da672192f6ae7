/* SPDX-License-Identifier: MIT */
#include "tools/log/player.h"

#include "sinks/common/step_fields.h"

#include <stepwatch/replay.h>

#include <stdlib.h>
#include <string.h>

/* ---- the calls of a step --------------------------------------------------------------------- */

/* Call number `index` of an action, which was called more than once if it is one of several. */
struct played_call {
    const char *action;
    size_t index;
    bool several;
};

/* Returns what a field of the step says of a call; NULL: nothing. */
static const struct log_value *said_of(const struct player *player, const char *field,
                                       const struct played_call *call)
{
    const struct log_value *value = log_get(log_get(player->fields, field), call->action);
    return call->several ? log_at(value, call->index) : value;
}

/* Sets what the region used, before its end is played. A peak is there once for each step. */
static void counters_use(const struct player *player, const struct played_call *call)
{
    const struct played_counters *counters = &player->counters;
    const struct log_value *uses =
        counters->count ? said_of(player, player->inner ? "inner_counters" : "counters", call)
                        : NULL;
    for (size_t i = 0; i < counters->count && i < log_count(uses); i++) {
        const struct log_value *use = log_at(uses, i);
        int64_t total = counter_value(log_at(use, 0));
        if (counters->item[i].kind == SW_COUNTER_PEAK && total != SW_COUNTER_NONE)
            total /= player->steps;
        if (log_is(use, LOG_ARRAY))
            sw_set_use(player->sw, counters->item[i].number, total, counter_value(log_at(use, 1)));
    }
}

/* Hands what the log says of a call to the profiler, before its end is played. A call is not as
 * long as it would be with the calls that are played in it, so it has a self time: those of other
 * actions are all played in the batch. */
static void numbers_set(const struct player *player, const struct played_call *call)
{
    typedef void set_fn(struct sw_profiler * sw, int64_t number);
    static const struct replayed {
        const char *key;
        bool inner;
        set_fn *set;
    } fields[] = {
#define NUMBER(key, is_inner, field, written, divided, replayed) {#key, is_inner, replayed},
        SWI_STEP_FIELDS(NUMBER)
#undef NUMBER
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].set || fields[i].inner != player->inner)
            continue;
        const struct log_value *said = said_of(player, fields[i].key, call);
        if (log_is(said, LOG_INTEGER))
            fields[i].set(player->sw, log_whole(said));
    }
}

/* Only calls in the batch that are in no other call of the same action have shapes. */
static const char *shape_of(const struct player *player, const struct played_call *call)
{
    const struct log_value *value = log_get(log_get(player->fields, "shapes"), call->action);
    if (!player->in_batch || player->inner)
        return NULL;
    return log_text(log_is(value, LOG_ARRAY) ? log_at(value, call->index) : value);
}

static void calls_make(struct player *player, const char *action, const struct log_value *value);
static void step_inside(struct player *player);

/* Plays what ran in the draws of a step within the first of them, for only that it ran in one is
 * known. */
static void drawn_make(struct player *player)
{
    const struct log_value *fields = player->fields;
    player->fields = player->in_draw;
    player->in_draw = NULL;
    step_inside(player);
    player->fields = fields;
}

/* Returns how long the actions took that ran in the batch of a step, or in its draws: `fields` are
 * its own, or those of in_draw. */
static int64_t inside_of(const struct log_value *fields)
{
    return log_selves_sum(log_get(fields, "durations"), log_get(fields, "self")) +
           log_selves_sum(log_get(fields, "inner"), log_get(fields, "inner_self"));
}

/* In which of the draws they ran is not known: the first ones have no time of their own, as far as
 * these reach. */
static void draw_self_set(struct player *player, int64_t ns)
{
    int64_t inside = player->in_draws_ns < ns ? player->in_draws_ns : ns;
    sw_set_self(player->sw, ns - inside);
    player->in_draws_ns -= inside;
}

/* Plays the calls inside others of the same action, all within the first of those: only that they
 * are inside is known and matters. */
static void call_make(struct player *player, const struct played_call *call, int64_t ns)
{
    int64_t start = player->now;
    int handle = played_handle(player, call->action, shape_of(player, call));
    bool has_inner = player->in_batch && !player->inner && call->index == 0;
    const struct log_value *inner =
        has_inner ? log_get(log_get(player->fields, "inner"), call->action) : NULL;
    sw_begin(player->sw, handle);
    if (inner) {
        player->inner = true;
        calls_make(player, call->action, inner);
        player->inner = false;
    }
    bool draws = strcmp(call->action, "draw") == 0;
    if (player->in_draw && draws)
        drawn_make(player);
    player->now = start + ns;
    counters_use(player, call);
    if (draws)
        draw_self_set(player, ns);
    /* Those inside may have run in another call, which was cancelled. Without a self time in the
     * log, none ran in this one. */
    if (inner)
        sw_set_self(player->sw, ns);
    numbers_set(player, call);
    sw_end(player->sw, handle);
}

/* Plays a call that took so long, or each of a list. */
static void calls_make(struct player *player, const char *action, const struct log_value *value)
{
    struct played_call call = {.action = action, .several = log_is(value, LOG_ARRAY)};
    size_t count = call.several ? value->size : 1;
    for (; call.index < count; call.index++)
        call_make(player, &call, log_ns(call.several ? log_at(value, call.index) : value));
}

static void regions_make(struct player *player, const struct log_value *durations)
{
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k))
        if (log_is_in_batch(k->text))
            calls_make(player, k->text, k + 1);
}

/* The outer call was cancelled, or is around the step. It is no call of the step, but without it
 * these would be outer calls themselves. */
static void inner_make(struct player *player, const char *action, const struct log_value *value)
{
    int handle = played_handle(player, action, NULL);
    sw_begin(player->sw, handle);
    player->inner = true;
    calls_make(player, action, value);
    player->inner = false;
    sw_cancel(player->sw, handle);
}

static void step_inside(struct player *player)
{
    const struct log_value *durations = log_get(player->fields, "durations");
    const struct log_value *inner = log_get(player->fields, "inner");
    player->in_batch = true;
    regions_make(player, durations);
    for (const struct log_value *k = log_first_key(inner); k; k = log_next_key(inner, k)) {
        const struct log_value *outer = log_get(durations, k->text);
        bool was_played = outer && (!log_is(outer, LOG_ARRAY) || outer->size);
        if (log_is_in_batch(k->text) && !was_played)
            inner_make(player, k->text, k + 1);
    }
    player->in_batch = false;
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

/* Returns what the calls in a batch used of a counter, each without those inside it. */
static int64_t uses_sum(const struct log_value *durations, const struct log_value *uses,
                        size_t counter)
{
    uint64_t sum = 0;
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k)) {
        const struct log_value *of_all = log_get(uses, k->text);
        bool several = log_is(k + 1, LOG_ARRAY);
        const struct log_value *use = several ? log_first(of_all) : of_all;
        for (; use && log_is_in_batch(k->text); use = several ? log_after(of_all, use) : NULL) {
            int64_t self = counter_value(log_at(log_at(use, counter), 1));
            sum += self != SW_COUNTER_NONE ? (uint64_t)self : 0;
        }
    }
    return (int64_t)sum;
}

/* Sets what the regions in a batch that was cancelled used together: they are all played in the
 * batch itself, so that what one of them used in another would count twice. */
static void cancelled_use_set(const struct player *player, const struct log_value *line)
{
    const struct played_counters *counters = &player->counters;
    for (size_t i = 0; i < counters->count; i++) {
        int64_t total = uses_sum(log_get(line, "durations"), log_get(line, "counters"), i);
        int64_t inner = uses_sum(log_get(line, "inner"), log_get(line, "inner_counters"), i);
        if (counters->item[i].kind == SW_COUNTER_SUM)
            sw_set_use(player->sw, counters->item[i].number,
                       (int64_t)((uint64_t)total + (uint64_t)inner), 0);
    }
}

/* A step that is made of the sums of several says what its batch took by itself. */
static void batch_self_set(const struct player *player, const struct log_value *line,
                           int64_t batch_ns)
{
    int64_t batch_self = log_integer(line, "batch_self", -1);
    sw_set_self(player->sw, batch_self >= 0 ? batch_self : batch_ns - inside_of(line));
}

static int step_play(struct player *player, const struct log_value *line, int64_t steps,
                     struct sw_error *err)
{
    static const struct played_call whole = {.action = "batch"};
    const struct log_value *durations = log_get(line, "durations");
    if (!log_is(durations, LOG_OBJECT))
        return sw_error_set(err, SW_EFORMAT, "\"step\" without durations");
    int64_t t = player->now, samples = log_integer(line, "samples", 0);
    const struct log_value *draw = log_get(durations, "draw"), *batch = log_get(durations, "batch");
    /* Of a batch that was cancelled, only what was in it is known. */
    int64_t batch_ns = batch ? log_ns_sum(batch) : inside_of(line);
    bool training = strcmp(log_string(line, "phase", "train"), "valid") != 0;
    if (training && log_integer(line, "step", -1) >= 0)
        sw_set_step(player->sw, log_integer(line, "step", 0));
    sw_set_thread(player->sw, player->loop);
    player->fields = line;
    player->steps = steps;
    player->in_draw = log_get(line, "in_draw");
    player->in_draws_ns = inside_of(player->in_draw);
    player->now = t - batch_ns - log_ns_sum(draw);
    valid_make(player, line);
    if (player->steps > 1)
        sw_set_steps(player->sw, player->steps);
    if (draw)
        calls_make(player, "draw", draw);
    player->in_draw = NULL;
    sw_begin(player->sw, SW_BATCH);
    step_inside(player);
    player->now = t;
    counters_use(player, &whole);
    batch_self_set(player, line, batch_ns);
    if (samples >= 0) {
        played_end(player, "batch", NULL, samples);
    } else {
        cancelled_use_set(player, line);
        sw_cancel(player->sw, SW_BATCH);
    }
    player->fields = NULL;
    player->valid_end = t;
    return 0;
}

/* ---- steps that are alike -------------------------------------------------------------------- */

/* Returns whether two lines differ only in their numbers. */
static bool is_alike(const struct log_value *a, const struct log_value *b)
{
    if (a->span != b->span ||
        (log_integer(a, "samples", 0) < 0) != (log_integer(b, "samples", 0) < 0))
        return false;
    for (size_t i = 0; i < a->span; i++)
        if (a[i].kind != b[i].kind || a[i].size != b[i].size ||
            (a[i].kind == LOG_STRING && memcmp(a[i].text, b[i].text, a[i].size) != 0))
            return false;
    return true;
}

/* Takes the numbers of a line that is alike. */
static void numbers_take(struct log_value *line, const struct log_value *from)
{
    for (size_t i = 0; i < line->span; i++)
        if (line[i].kind == LOG_INTEGER)
            line[i].integer = from[i].integer;
}

int played_alike_end(struct player *player, struct sw_error *err)
{
    struct alike_steps *alike = &player->alike;
    int64_t now = player->now;
    int rc = 0;
    if (alike->count) {
        player->now = log_time(alike->line, "t", now);
        rc = step_play(player, alike->line, alike->count, err);
    }
    player->now = now;
    free(alike->line);
    alike->line = NULL;
    alike->count = 0;
    return rc;
}

int played_step(struct player *player, const struct log_value *line, struct sw_error *err)
{
    enum { MOST = 1 << 20 };
    struct alike_steps *alike = &player->alike;
    int64_t steps = thinned_steps_of(line);
    if (alike->line && alike->count < MOST && is_alike(alike->line, line)) {
        numbers_take(alike->line, line);
        alike->count += steps;
        return 0;
    }
    if (alike->line && played_alike_end(player, err) < 0)
        return err->code;
    played_valid_end(player, line);
    /* Each step has its own uses of counters. */
    if (alike->wanted && !player->counters.count)
        alike->line = log_value_copy(line);
    return step_play(player, line, steps, err);
}
