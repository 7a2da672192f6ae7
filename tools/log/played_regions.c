/* SPDX-License-Identifier: MIT */
#include "tools/log/player.h"

#include "core/text/vec.h"

#include <stepwatch/replay.h>

#include <string.h>

/* ---- counters -------------------------------------------------------------------------------- */

struct sw_counter_info counter_of(const struct log_value *line)
{
    bool peak = strcmp(log_string(line, "kind", "sum"), "peak") == 0;
    return (struct sw_counter_info){.size = sizeof(struct sw_counter_info),
                                    .name = log_string(line, "name", ""),
                                    .unit = log_string(line, "unit", ""),
                                    .kind = peak ? SW_COUNTER_PEAK : SW_COUNTER_SUM,
                                    .less = log_integer(line, "less", 0),
                                    .steps_only = log_true(line, "steps"),
                                    .standard = (int)log_integer(line, "standard", 0)};
}

int64_t counter_value(const struct log_value *value)
{
    return log_is(value, LOG_INTEGER) ? value->integer : SW_COUNTER_NONE;
}

void counters_name(struct played_counters *counters, struct sw_profiler *sw,
                   const struct log_value *line)
{
    const struct sw_counter_info info = counter_of(line);
    if (counters->count == PLAYED_COUNTERS)
        return;
    counters->item[counters->count].number = sw_set_counter(sw, &info);
    counters->item[counters->count++].kind = info.kind;
}

static bool is_mark(const struct log_value *line)
{
    int action = sw_action(log_string(line, "action", ""));
    return action >= SW_FIT && action <= SW_VALID;
}

/* Returns by how much a counter went up since the line before. The first mark after the regions
 * with which a long log begins counts what these had, too. */
static int64_t increase_of(struct played_counters *counters, size_t i, int64_t value, bool mark)
{
    bool known = value != SW_COUNTER_NONE && value != INT64_MAX;
    int64_t *read = &counters->item[i].read, before = *read;
    *read = mark ? 0 : known ? (int64_t)((uint64_t)before + (uint64_t)value) : before;
    return mark && known && counters->of_marks ? value - before : value;
}

void played_reading(struct player *player, const struct log_value *line)
{
    struct played_counters *counters = &player->counters;
    struct sw_profiler *sw = player->sw;
    bool loop = log_thread_of(line) == player->loop, mark = counters->count && is_mark(line);
    const struct log_value *sums = log_get(line, "c"), *peaks = log_get(line, "p");
    size_t sum = 0, peak = 0;
    sw_set_thread(sw, log_thread_of(line));
    for (size_t i = 0; i < counters->count; i++) {
        bool is_peak = counters->item[i].kind == SW_COUNTER_PEAK;
        if (is_peak && peaks)
            sw_set_use(sw, counters->item[i].number, counter_value(log_at(peaks, peak)),
                       SW_COUNTER_NONE);
        else if (!is_peak && sum < log_count(sums)) {
            int64_t value = counter_value(log_at(sums, sum));
            sw_set_reading(sw, counters->item[i].number,
                           loop ? increase_of(counters, i, value, mark) : value);
        }
        peak += is_peak;
        sum += !is_peak;
    }
}

/* ---- regions --------------------------------------------------------------------------------- */

static int handle_of(struct player *player, const char *action)
{
    size_t size = strlen(action);
    struct played_action *known = &player->known[log_key_mark(action, size)];
    if (strcmp(known->name, action) == 0 && *action)
        return known->handle;
    int handle = sw_action(action);
    if (size < sizeof known->name) {
        memcpy(known->name, action, size + 1);
        known->handle = handle;
    }
    return handle;
}

int played_handle(struct player *player, const char *action, const char *shape)
{
    return sw_action_shaped(handle_of(player, action), shape);
}

void played_end(struct player *player, const char *action, const char *shape, int64_t samples)
{
    if (strcmp(action, "batch") != 0) {
        sw_end(player->sw, played_handle(player, action, shape));
        return;
    }
    /* In validation, only values of a cancelled batch wait, for the next one of training. */
    bool training = !player->made_valid && !(player->open & (1u << SW_VALID));
    if (player->waiting_count && training)
        waiting_values_log(player, sw_get_step(player->sw));
    sw_end_batch(player->sw, samples);
}

/* The program had numbered the step with sw_set_step(). */
static void region_end(struct player *player, const struct log_value *line, const char *action,
                       const char *shape)
{
    int64_t step = log_integer(line, "step", -1);
    if (step >= 0)
        sw_set_step(player->sw, step);
    played_end(player, action, shape, log_integer(line, "samples", 0));
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

static int region_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    enum line_type type = log_type(line);
    const char *action = log_string(line, "action", NULL);
    const char *shape = log_string(line, "shape", NULL);
    if (!action)
        return sw_error_set(err, SW_EFORMAT, "\"%s\" without an action",
                            log_string(line, "type", ""));
    /* A log with windows has the steps too, and these are played. */
    if (log_get(line, "window"))
        return 0;
    player->cut_off = player->cut_off || log_true(line, "again");
    if (is_known(player, action, type == LINE_BEGIN))
        return 0;
    /* The next line discards it again: an end around it, a begin of the same action, or a pause. */
    if (log_true(line, "left_open"))
        return 0;
    if (strcmp(action, "fit") == 0) {
        player->in_fit = type == LINE_BEGIN;
        player->loop = (int)log_integer(line, "thread", 0);
    }
    played_reading(player, line);
    if (type == LINE_BEGIN)
        sw_begin(player->sw, played_handle(player, action, shape));
    else if (type == LINE_END)
        region_end(player, line, action, shape);
    else
        sw_cancel(player->sw, played_handle(player, action, shape));
    return 0;
}

/* ---- which thread is the loop's -------------------------------------------------------------- */

/* What other threads did comes before what the loop's thread did in the same time. So if they
 * measure batches of their own, these wait until the loop's thread has begun: whoever begins first
 * is taken for the loop. */

static bool makes_loop(const struct played_loops *loops, const struct log_value *line)
{
    if (loops->begun || !log_is_type(line, LINE_BEGIN))
        return false;
    int action = sw_action(log_string(line, "action", ""));
    return (action >= SW_FIT && action <= SW_VALID) || action == SW_BATCH;
}

/* Returns whether a line must wait: the next fit is known to be another thread's. */
static bool waits_for_loop(const struct played_loops *loops, const struct log_value *line)
{
    int of = loops->fit < loops->count ? loops->thread[loops->fit] : -1;
    return !loops->begun && of >= 0 && of != (int)log_integer(line, "thread", 0) &&
           !log_get(line, "window") && (loops->held.count || makes_loop(loops, line));
}

int played_regions_held(struct player *player, struct sw_error *err)
{
    struct kept_lines held = player->loops.held;
    int64_t now = player->now;
    int rc = 0;
    player->loops.held = (struct kept_lines){0};
    player->loops.begun = true;
    for (size_t i = 0; i < held.count && rc == 0; i++) {
        player->now = log_time(held.line[i], "t", player->now);
        rc = region_play(player, held.line[i], err);
    }
    kept_lines_free(&held);
    player->now = now;
    return rc;
}

int played_region(struct player *player, const struct log_value *line, struct sw_error *err)
{
    struct played_loops *loops = &player->loops;
    bool loop = makes_loop(loops, line), waits = waits_for_loop(loops, line);
    if (waits && !kept_lines_add(&loops->held, line))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for regions of other threads");
    int rc = waits ? 0 : region_play(player, line, err);
    return loop && !waits && rc == 0 ? played_regions_held(player, err) : rc;
}

/* ---- spans ----------------------------------------------------------------------------------- */

int played_span_begin(struct player *player, const struct log_value *line, struct sw_error *err)
{
    const char *action = log_string(line, "action", NULL);
    if (!action)
        return sw_error_set(err, SW_EFORMAT, "\"span_begin\" without an action");
    if (!swi_vec_room(&player->span, player->span_count, sizeof *player->span))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the open spans");
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    player->span[player->span_count++] = (struct played_span){
        log_integer(line, "id", 0), sw_span_begin(player->sw, sw_action(action))};
    return 0;
}

/* A span that began before the log was truncated is not known. */
void played_span_end(struct player *player, const struct log_value *line)
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
