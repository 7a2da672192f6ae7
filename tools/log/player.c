/* SPDX-License-Identifier: MIT */
#include "tools/log/player.h"

#include "core/text/vec.h"

#include <stepwatch/monitor.h>
#include <stepwatch/ranks.h>
#include <stepwatch/replay.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the report of all ranks ----------------------------------------------------------------- */

static struct sw_ranks_row ranks_row_of(const struct log_value *line)
{
    struct sw_ranks_row row = {.phase = log_string(line, "phase", "fit"),
                               .action = log_string(line, "action", ""),
                               .ranks = log_integer(line, "ranks", 0),
                               .calls = log_integer(line, "calls", 0),
                               .min_ns = log_real(line, "min_ns", NAN),
                               .min_rank = log_integer(line, "min_rank", 0),
                               .mean_ns = log_real(line, "mean_ns", NAN),
                               .max_ns = log_real(line, "max_ns", NAN),
                               .max_rank = log_integer(line, "max_rank", 0),
                               .imbalance = log_real(line, "imbalance", NAN),
                               .call_mean_ns = log_real(line, "call_mean_ns", NAN),
                               .call_std_ns = log_real(line, "call_std_ns", NAN),
                               .p50_ns = log_real(line, "p50_ns", NAN),
                               .p95_ns = log_real(line, "p95_ns", NAN),
                               .p99_ns = log_real(line, "p99_ns", NAN)};
    row.phase_id = log_phase(line) < 0 ? SW_PHASE_FIT : (enum sw_phase)log_phase(line);
    row.action_id = sw_action(row.action);
    return row;
}

/* The texts are borrowed from the line. */
static struct sw_ranks ranks_of(const struct log_value *line)
{
    const struct log_value *found = log_get(line, "straggler");
    return (struct sw_ranks){.size = sizeof(struct sw_ranks),
                             .world_size = log_integer(line, "world_size", 0),
                             .ranks = log_integer(line, "ranks", 0),
                             .fit = (int)log_integer(line, "fit", 1),
                             .complete = log_true(line, "complete"),
                             .epoch = log_integer(line, "epochs", 0),
                             .step = log_integer(line, "step", 0),
                             .steps = log_integer(line, "steps", 0),
                             .block = log_integer(line, "steps_in_a_block", 1),
                             .took_ns = log_integer(line, "took_ns", 0),
                             .lost = log_real(line, "lost", NAN),
                             .communication = log_real(line, "communication", NAN),
                             .verdict = log_string(found, "verdict", NULL),
                             .why = log_string(found, "why", NULL),
                             .sentence = log_string(found, "sentence", NULL),
                             .slow_rank = log_integer(found, "rank", -1),
                             .slow_host = log_string(found, "host", NULL),
                             .slow_action = log_string(found, "phase", NULL),
                             .late_ns = log_real(found, "late_ns", NAN),
                             .gain = log_real(found, "gain", NAN),
                             .confidence = log_real(found, "confidence", NAN)};
}

static int ranks_play(struct sw_profiler *sw, const struct log_value *line, struct sw_error *err)
{
    const struct log_value *rows = log_get(line, "rows");
    if (!log_is(rows, LOG_ARRAY))
        return sw_error_set(err, SW_EFORMAT, "\"ranks\" without rows");
    struct sw_ranks ranks = ranks_of(line);
    struct sw_ranks_row *row = calloc(log_count(rows) + 1, sizeof *row);
    if (!row)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the report of all ranks");
    for (size_t i = 0; i < log_count(rows); i++)
        row[i] = ranks_row_of(log_at(rows, i));
    ranks.row = row;
    ranks.row_size = sizeof *row;
    ranks.count = log_count(rows);
    int rc = sw_log_ranks(sw, &ranks, err);
    free(row);
    return rc;
}

/* ---- the other lines ------------------------------------------------------------------------- */

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

/* ---- samples of monitors --------------------------------------------------------------------- */

static void sample_clear(struct player *player)
{
    for (size_t i = 0; i < player->sample_count; i++)
        free(player->sample_name[i]);
    player->sample_count = 0;
}

/* Logs the sample whose lines have come, at its time and step. Its lines may come after those of
 * later steps. */
static void sample_log(struct player *player)
{
    if (!player->sample_count)
        return;
    int64_t now = player->now, next = sw_get_step(player->sw);
    player->now = player->sample_t;
    bool is_there = player->sample_step == (next > 0 ? next - 1 : 0);
    if (!is_there)
        sw_set_step(player->sw, player->sample_step + 1);
    sw_log_sample(player->sw, (const char *const *)player->sample_name, player->sample_value,
                  player->sample_count);
    player->now = now;
    if (!is_there)
        sw_set_step(player->sw, next);
    sample_clear(player);
}

static int sample_add(struct player *player, const struct log_value *line, struct sw_error *err)
{
    size_t count = player->sample_count;
    bool fits = swi_vec_room(&player->sample_name, count, sizeof(*player->sample_name)) &&
                swi_vec_room(&player->sample_value, count, sizeof *player->sample_value);
    char *copy = fits ? strdup(log_string(line, "name", "")) : NULL;
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the values of a sample");
    player->sample_name[count] = copy;
    player->sample_value[count] = log_real(line, "value", 0);
    player->sample_count++;
    player->sample_t = player->now;
    player->sample_step = log_step(line);
    return 0;
}

static bool is_sample(const struct log_value *line)
{
    return strcmp(log_string(line, "by", ""), "monitor") == 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void config_play(struct player *player, const struct log_value *line)
{
    const struct log_value *value = log_get(line, "value");
    const char *name = log_string(line, "name", "");
    if (log_is(value, LOG_INTEGER))
        sw_hparam_int(player->sw, name, log_whole(value));
    else if (log_is(value, LOG_REAL))
        sw_hparam_float(player->sw, name, log_digits(value, 0));
    else if (log_is(value, LOG_STRING))
        sw_hparam_string(player->sw, name, log_text(value));
}

static void run_play(struct player *player, const struct log_value *line)
{
    player->cut_off = player->cut_off || log_true(line, "again");
    if (!player->begun)
        player->results_only = player->passes_reports || log_is_of_results(line);
    player->begun = true;
    /* A log that was cut off names them again. */
    const struct log_value *list = log_get(line, "counters");
    for (size_t i = player->counters.count; i < log_count(list) && !player->results_only; i++)
        counters_name(&player->counters, player->sw, log_at(list, i));
}

static void finish_play(struct player *player, const struct log_value *line)
{
    player->interrupted = log_true(line, "interrupted");
    sw_set_exit_status(player->sw, (int)log_integer(line, "exit_status", 0));
    if (player->interrupted)
        sw_set_interrupted(player->sw, (int)log_integer(line, "signal", 0),
                           log_string(line, "cause", ""));
}

/* Plays what the run's profiler has made. A replay makes most of it again. */
static int result_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    if (player->results_only && log_is_type(line, LINE_FINDING))
        played_finding(&player->reports, line);
    else if (player->results_only && log_is_type(line, LINE_REPORT))
        return played_report(&player->reports, player->sw, line, err);
    return 0;
}

static int metric_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    if (player->alike.wanted ||
        (player->wants_metric && !player->wants_metric(log_string(line, "name", ""))))
        return 0;
    return is_sample(line) ? sample_add(player, line, err)
                           : waiting_values_metric(player, line, err);
}

static void thread_set(struct player *player, const struct log_value *line)
{
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
}

/* Plays what the program has done. */
static int own_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    switch (log_type(line)) {
    case LINE_BEGIN:
    case LINE_END:
    case LINE_CANCEL:
        return played_region(player, line, err);
    case LINE_WINDOW_END:
        player->counters.of_marks = true;
        return 0;
    case LINE_PAUSE:
        thread_set(player, line);
        sw_pause(player->sw);
        return 0;
    case LINE_RESUME:
        thread_set(player, line);
        sw_resume(player->sw);
        return 0;
    case LINE_STEP:
        return played_step(player, line, err);
    case LINE_SPAN_BEGIN:
        return played_span_begin(player, line, err);
    case LINE_SPAN_END:
        played_span_end(player, line);
        return 0;
    case LINE_NOTE:
        thread_set(player, line);
        sw_note(player->sw, log_string(line, "text", ""));
        return 0;
    case LINE_EXPECT:
        sw_expect_steps(player->sw, log_integer(line, "steps", 0));
        return 0;
    case LINE_ALERT:
    case LINE_VALUE:
    case LINE_RULE:
    case LINE_SUMMARY:
    case LINE_LINE:
        return waiting_values_rich(player, line, err);
    case LINE_METRIC:
        return metric_play(player, line, err);
    case LINE_CONFIG:
        config_play(player, line);
        return 0;
    case LINE_RANKS:
        return ranks_play(player->sw, line, err);
    case LINE_CLOCK:
        sw_log_clock(player->sw, log_integer(line, "clock_offset_ns", 0),
                     log_integer(line, "clock_error_ns", 0));
        return 0;
    default:
        return 0;
    }
}

/* Returns whether reports were made of it, or nobody looks at it in them. */
static bool is_in_reports(const struct log_value *line)
{
    static const enum line_type types[] = {LINE_STEP,   LINE_BEGIN,  LINE_END,        LINE_CANCEL,
                                           LINE_PAUSE,  LINE_RESUME, LINE_SPAN_BEGIN, LINE_SPAN_END,
                                           LINE_METRIC, LINE_COUNTER};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (log_is_type(line, types[i]))
            return true;
    return false;
}

/* Returns whether all regions before the line must be played. */
static bool is_mark(const struct log_value *line)
{
    return log_is_type(line, LINE_PAUSE) || log_is_type(line, LINE_RESUME) ||
           log_is_type(line, LINE_REPORT) || log_is_type(line, LINE_FINISH);
}

static bool ends_fit(const struct log_value *line)
{
    return log_is_type(line, LINE_REPORT) && !log_true(line, "amended") &&
           !log_false(line, "complete");
}

static int line_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    if (player->passes_reports && is_in_reports(line))
        return 0;
    if (player->loops.held.count && is_mark(line) && played_regions_held(player, err) < 0)
        return err->code;
    if (ends_fit(line)) {
        player->loops.fit++;
        player->loops.begun = false;
    }
    played_valid_end(player, line);
    switch (log_type(line)) {
    case LINE_STEP:
    case LINE_BEGIN:
    case LINE_END:
        return own_play(player, line, err);
    case LINE_RUN:
        run_play(player, line);
        return 0;
    case LINE_COUNTER:
        counters_name(&player->counters, player->sw, line);
        return 0;
    case LINE_FINISH:
        player->finished = true;
        finish_play(player, line);
        return 0;
    default:
        return strcmp(log_string(line, "by", ""), "profiler") == 0 ? result_play(player, line, err)
                                                                   : own_play(player, line, err);
    }
}

int player_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    if (player->sample_count &&
        !(is_sample(line) && log_time(line, "t", player->now) == player->sample_t))
        sample_log(player);
    player->now = log_time(line, "t", player->now);
    /* A fit that an interrupted run left open ended where its report was made. */
    bool later = player->now > player->end && !(player->reported && log_is_type(line, LINE_FINISH));
    player->end = later ? player->now : player->end;
    player->reported |= log_is_type(line, LINE_REPORT) && log_true(line, "interrupted");
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
    waiting_values_log_rest(player);
    played_valid_end(player, NULL);
    sample_log(player);
    sw_set_thread(player->sw, player->loop);
    sw_resume(player->sw);
    if (player->in_fit && !player->finished)
        sw_end(player->sw, SW_FIT);
}

void player_fini(struct player *player)
{
    waiting_values_fini(player);
    sample_clear(player);
    free(player->sample_name);
    free(player->sample_value);
    played_reports_fini(&player->reports);
    if (player->values.folder >= 0)
        close(player->values.folder);
    player->values.folder = -1;
    free(player->alike.line);
    player->alike.line = NULL;
    kept_lines_free(&player->loops.held);
    free(player->loops.thread);
    player->loops = (struct played_loops){0};
    free(player->span);
    player->span = NULL;
}
