/* SPDX-License-Identifier: MIT */
#include "tools/log/run_replay.h"

#include "core/text/names.h"
#include "core/text/parts.h"
#include "core/text/printable.h"
#include "core/text/vec.h"
#include "tools/log/log_lines.h"
#include "tools/log/player.h"
#include "tools/output/print.h"

#include <stepwatch/inspect.h>
#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the run cost ----------------------------------------------------------------------- */

static void report_take(struct sw_profiler *sw, const struct log_value *line)
{
    int64_t fit = log_integer(line, "fit", 0);
    bool whole = !log_false(line, "complete") || log_true(line, "interrupted");
    if (log_is_type(line, LINE_REPORT) && whole && fit > 0 && fit <= INT_MAX)
        sw_set_costs(sw, (int)fit, log_real(line, "own_ns", NAN),
                     log_real(line, "own_threads_ns", 0), log_real(line, "joules", 0));
}

/* What a log has, as far as it decides whether its reports can be passed on, and who is the loop.
 */
struct ahead {
    bool thinned, finished, cut_off;
    long fits, reports;
    int ended; /* the thread of the last end of a fit that no report has followed; -1: none */
    struct played_loops *loops;
};

static int thread_of(const char *text)
{
    const char *thread = strstr(text, "\"thread\":");
    return thread ? atoi(thread + strlen("\"thread\":")) : 0;
}

static void report_look(struct ahead *ahead)
{
    struct played_loops *loops = ahead->loops;
    ahead->reports++;
    if (swi_vec_room(&loops->thread, loops->count, sizeof *loops->thread))
        loops->thread[loops->count++] = ahead->ended;
    ahead->ended = -1;
}

/* In windows, the lines of what is open are there again. */
static bool is_of_fit(const char *text)
{
    return strstr(text, "\"action\":\"fit\"") && !strstr(text, "\"window\":");
}

static void line_look(struct ahead *ahead, const char *text)
{
    if (swi_begins(text, "{\"type\":\"steps\""))
        ahead->thinned = true;
    else if (swi_begins(text, "{\"type\":\"finish\""))
        ahead->finished = true;
    else if (swi_begins(text, "{\"type\":\"begin\"") && is_of_fit(text))
        ahead->fits++;
    else if (swi_begins(text, "{\"type\":\"end\"") && is_of_fit(text))
        ahead->ended = thread_of(text);
    else if (swi_begins(text, "{\"type\":\"run\"") && strstr(text, "\"again\":true"))
        ahead->cut_off = true;
    else if (swi_begins(text, "{\"type\":\"report\"") && !strstr(text, "\"amended\":true") &&
             !strstr(text, "\"complete\":false"))
        report_look(ahead);
}

/* Parses only lines that may be reports. Damaged lines are reported when the log is played. */
static void look_ahead(struct sw_profiler *sw, const char *path, struct ahead *ahead)
{
    SW_ERROR_SCOPE(ignored);
    struct log log;
    char *text;
    size_t size;
    bool whole, twice = !log_is_read_once(path) && log_open(&log, path, &ignored) == 0;
    for (int rc; twice && ((rc = log_text_next(&log, &text, &size, &whole, &ignored)) > 0 ||
                           rc == SW_EFORMAT);) {
        if (rc > 0)
            line_look(ahead, text);
        if (rc > 0 && strstr(text, "\"report\""))
            report_take(sw, log_line_parse(&log.line, text, size));
    }
    if (twice)
        log_close(&log);
}

/* ---- the configuration of a replay ----------------------------------------------------------- */

/* Sets the rank of the run, not that of this process. */
static void own_rank(FILE *out, const struct log_value *run)
{
    long long rank = log_integer(run, "rank", 0), size = log_integer(run, "world_size", 0);
    bool known = rank >= 0 && rank < size && size <= INT32_MAX;
    fprintf(out, "ranks: { rank: %lld, size: %lld }\n", known ? rank : 0, known ? size : 1);
}

/* Writes the options with which the run was measured. --set arrives through the environment and
 * replaces them. */
static void own_yaml(FILE *out, const struct replay *replay, const struct log_value *run)
{
    const char *name = log_string(run, "name", "");
    double peak_flops = log_real(run, "peak_flops", 0);
    fputs("profiler:\n  mode: ", out);
    swi_quote_string(log_string(run, "mode", "simple"), out);
    fprintf(out, "\n  rolling_average: %lld\n  drop_first_batch: %s\n",
            (long long)log_integer(run, "rolling_average", 10),
            log_false(run, "drop_first_batch") ? "false" : "true");
    if (isfinite(peak_flops) && peak_flops > 0)
        fprintf(out, "  peak_flops: %.17g\n", peak_flops);
    fprintf(out, "  show_report: false\n  signals: false\n  close_timeout: 600s\n");
    fprintf(out, "logger_callback: %s\n", replay->record ? "[replay]" : replay->sinks);
    own_rank(out, run);
    if (!*name)
        return;
    fputs("name: ", out);
    swi_quote_string(name, out);
    fputc('\n', out);
}

/* Whose sink it is. sw_close() ends it. */
static const struct replay *now;

static uint32_t sink_select(const void *state, const struct sw_run *run)
{
    (void)state;
    (void)run;
    return now->wants | (now->regions ? now->wants_of_regions : 0);
}

static int sink_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)err;
    *(struct sw_sink **)state = sink;
    return 0;
}

static int sink_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    return now->record(now->arg, *(struct sw_sink **)state, record, err);
}

static int sink_register(const struct replay *replay, struct sw_error *err)
{
    static const struct sw_sink_plugin sink = {
        SW_SINK_HEADER,
        .name = "replay",
        .version = "1.0",
        .license = "MIT",
        .summary = "keeps what a replay makes",
        .wants = REPLAY_WANTS,
        .queue = SW_QUEUE_DROP_NEWEST,
        .queue_records = 65536,
        .state_size = sizeof(struct sw_sink *),
        .open = sink_open,
        .record = sink_record,
        .select = sink_select,
    };
    static bool known;
    int rc = known ? 0 : sw_sink_register(&sink, NULL, err);
    known = rc == 0;
    now = replay;
    return rc;
}

static struct sw_profiler *own_open(const struct replay *replay, const struct log_value *run,
                                    struct sw_error *err)
{
    char *yaml = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&yaml, &size);
    struct sw_profiler *sw = NULL;
    if (out)
        own_yaml(out, replay, run);
    if (out && fclose(out) == 0)
        sw = sw_open_text(yaml, err);
    else
        sw_error_set(err, SW_ENOMEM, "not enough memory for the configuration");
    free(yaml);
    return sw;
}

/* ---- playing --------------------------------------------------------------------------------- */

#define FLUSH_NS (INT64_C(600) * 1000000000)

/* Handles a damaged line. Returns 1 to continue, or the code of the error. */
static int damage(struct replay *replay, struct sw_error *err)
{
    if (err->code != SW_EFORMAT || !replay->leave_out)
        return err->code;
    if (replay->damaged++ == 0)
        sw_error_set(&replay->first_damage, err->code, "%s", sw_error_text(err));
    sw_error_free(err);
    return 1;
}

int replay_next_line(struct replay *replay, struct log *log, const struct log_value **line,
                     struct sw_error *err)
{
    int rc;
    do
        rc = log_next(log, line, err);
    while (rc < 0 && damage(replay, err) > 0);
    return rc;
}

/* Checks that the log has everything that its own report has. A fit that was still open lasted
 * until the report was made. */
static void report_hold(struct replay *replay, struct player *player, const struct log_value *line)
{
    struct sw_report *made;
    SW_ERROR_SCOPE(err);
    bool own_options = !replay->config && (!replay->set || !*replay->set) && !replay->chains.room;
    if (player->results_only || !log_is_type(line, LINE_REPORT))
        return;
    player->now = log_time(line, "t", player->now);
    if (sw_report_new(player->sw, &made, &err) < 0)
        return;
    held_report(&replay->held, line, made, own_options);
    if (replay->report)
        replay->report(replay->arg, line, made);
    sw_report_free(made);
}

/* Returns whether what was made of the lines before it belongs to what this one says. */
static bool follows_records(const struct log_value *line)
{
    return log_is_type(line, LINE_RUN) || log_is_type(line, LINE_REPORT) ||
           log_is_type(line, LINE_RANKS) ||
           (log_is_type(line, LINE_BEGIN) && strcmp(log_string(line, "action", ""), "fit") == 0);
}

static int play_line(struct replay *replay, const struct log *log, struct player *player,
                     const struct log_value *line, struct sw_error *err)
{
    held_line(&replay->held, line);
    if (replay->stacked && replay->held.sampled)
        return sw_error_set(err, SW_EINVAL,
                            "%s: is of a long run, so that it has all regions only of its "
                            "beginning, and stacks need those of the whole run: record it with "
                            "runlog: { detail: regions, thin_after: 0 }",
                            replay->path);
    misuses_line(&replay->misuses, line);
    if (log_is_type(line, LINE_FINISH))
        snprintf(replay->cause, sizeof replay->cause, "%s", log_string(line, "cause", ""));
    if (call_chains_skip(&replay->chains, log->number)) {
        played_reading(player, line);
        return 1;
    }
    if (!log_is_type(line, LINE_STEP) && !log_is_type(line, LINE_METRIC) &&
        played_alike_end(player, err) < 0)
        return err->code;
    report_hold(replay, player, line);
    if (replay->record && follows_records(line))
        sw_flush(player->sw, FLUSH_NS);
    if (replay->line)
        replay->line(replay->arg, line);
    if (player_play(player, line, err) == 0)
        return 1;
    sw_error_prefix(err, "%s:%ld", replay->path, log->number);
    return damage(replay, err);
}

static int play_all(struct replay *replay, struct log *log, struct player *player,
                    const struct log_value *line, struct sw_error *err)
{
    struct progress progress;
    int rc = 1;
    progress_begin(&progress, log);
    /* The table of a configuration may show its own progress. */
    progress.on = progress.on && !replay->config;
    while (rc > 0) {
        progress_update(&progress);
        rc = play_line(replay, log, player, line, err);
        if (rc > 0)
            rc = replay_next_line(replay, log, &line, err);
    }
    progress_end(&progress);
    rc = rc == 0 ? played_alike_end(player, err) : rc;
    /* A log with no other lines gives no report. */
    if (rc == 0 && replay->damaged && replay->damaged == log->number - 1) {
        rc = sw_error_set(err, replay->first_damage.code, "%s",
                          sw_error_text(&replay->first_damage));
    }
    replay->lines = log->number;
    replay->torn = log->torn;
    replay->finished = player->finished;
    replay->interrupted = player->interrupted;
    return rc;
}

/* Prints a message in the format of the library. */
static void message(void *arg, enum sw_level level, const char *text)
{
    static const char *const names[] = {"", "warning: ", "error: "};
    (void)arg;
    if (level != SW_ERROR || stdout_is_read())
        say(NULL, "stepwatch: %s%s", names[level], text);
}

static int play_log(struct replay *replay, struct log *log, const struct log_value *run,
                    struct sw_error *err)
{
    struct player player;
    SW_ERROR_SCOPE(close_err);
    struct sw_profiler *sw = NULL;
    if (set_options_export(replay->set, false, err) == 0 &&
        (!replay->record || sink_register(replay, err) == 0))
        sw = replay->config ? sw_open(replay->config, err) : own_open(replay, run, err);
    if (!sw) {
        if (err->code == 0)
            sw_error_set(err, SW_ECONFIG, "the profiler is off: nothing can be replayed");
        return err->code;
    }
    sw_set_messages(sw, message, NULL);
    player_init(&player, sw, log_real(run, "started", 0));
    sw_set_program(sw, log_string(run, "program", ""), log_string(run, "name", ""));
    player.values.folder = value_folder_open(replay->path);
    player.wants_metric = replay->wants_metric;
    player.alike.wanted = replay->calls_only && !replay->regions;
    struct ahead ahead = {.ended = -1, .loops = &player.loops};
    if (!replay->calls_only || replay->regions)
        look_ahead(sw, replay->path, &ahead);
    bool whole = ahead.finished && !ahead.cut_off && ahead.fits > 0 && ahead.reports == ahead.fits;
    replay->passes_reports = replay->may_pass_reports && ahead.thinned && whole;
    player.passes_reports = log->sums = replay->passes_reports;
    log->steps.one_by_one = sw_set_steps(sw, 1) < 0;
    int rc = play_all(replay, log, &player, run, err);
    player_end(&player);
    if (replay->passes_reports)
        replay->held.thinned = 0; /* the reports are of each step */
    replay->values = player.values;
    replay->results_only = player.results_only;
    replay->reports = player.reports.count;
    player_fini(&player);
    int closed = sw_close(sw, &close_err);
    if (rc == 0 && closed < 0) {
        rc = sw_error_set(err, closed, "%s", sw_error_text(&close_err));
    }
    return rc;
}

static int head_check(const struct replay *replay, const struct log_value *line,
                      struct sw_error *err)
{
    const char *detail = log_string(line, "detail", "regions");
    if (replay->stacked && strcmp(detail, "regions") != 0)
        return sw_error_set(err, SW_EFORMAT,
                            "%s: was recorded with detail: %s, which has no stacks: record it with "
                            "runlog: { detail: regions }",
                            replay->path, detail);
    if (replay->stacked && log_true(line, "windowed"))
        return sw_error_set(err, SW_EFORMAT,
                            "%s: has the regions of windows only, and stacks need those of the "
                            "whole run: record it without schedule and capture",
                            replay->path);
    return 1;
}

int replay_run(struct replay *replay, struct sw_error *err)
{
    struct log log;
    const struct log_value *line;
    int rc = log_open(&log, replay->path, err);
    if (rc < 0)
        return rc;
    rc = log_first_line(&log, &line, err);
    if (rc > 0)
        rc = head_check(replay, line, err);
    if (rc > 0) {
        replay->cut_off = log_true(line, "again");
        replay->regions = log_has_regions(line);
        if (replay->unchained && !call_chains_find(&replay->chains, replay->path))
            sw_error_set(err, SW_ENOMEM, "%s: not enough memory for its regions", replay->path);
        if (err->code == 0)
            rc = play_log(replay, &log, line, err);
        rc = err->code < 0 ? err->code : rc;
        free(replay->chains.skipped);
        replay->chains = (struct call_chains){0};
    }
    log_close(&log);
    return rc;
}

void replay_say_ending(const struct replay *replay)
{
    if (replay->cut_off)
        say(NULL,
            "%s: its beginning is missing: another program truncated it while it was being written",
            replay->path);
    if (replay->damaged)
        say(NULL, "%s; damaged lines that were skipped: %ld", sw_error_text(&replay->first_damage),
            replay->damaged);
    if (replay->interrupted)
        say(NULL, "%s: the program ended before sw_close()%s%s", replay->path,
            *replay->cause ? ": " : "", replay->cause);
    if (replay->torn || !replay->finished)
        say(NULL, "%s: the run did not finish; its log ends %s line %ld", replay->path,
            replay->torn ? "within" : "after", replay->lines);
    if (replay->passes_reports)
        say(NULL, "%s: the log was thinned out: these are the reports that the run made",
            replay->path);
    held_say_lacking(&replay->held, replay->path);
}

static void lacking_say(const char *path, size_t count, const char *one, const char *several)
{
    if (count)
        say(NULL, "%s: %zu %s not in the log and not in %.*s.files: left out", path, count,
            count == 1 ? one : several, (int)swi_length_unpacked(path), path);
}

void replay_say_missing(const struct replay *replay)
{
    const size_t *lacking = replay->values.lacking;
    replay_say_ending(replay);
    held_say_outside(&replay->held, replay->path);
    lacking_say(replay->path, lacking[SW_VALUE_IMAGES], "picture is", "pictures are");
    lacking_say(replay->path, lacking[SW_VALUE_TABLE], "table is", "tables are");
    lacking_say(replay->path, lacking[SW_VALUE_FILE], "file is", "files are");
    if (!replay->results_only)
        misuses_say(&replay->misuses, replay->path);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

json_t *log_json(const struct replay *replay)
{
    const struct held *held = &replay->held;
    json_t *object = json_pack("{s:o, s:I, s:b, s:b}", "path", text_json(replay->path), "lines",
                               (json_int_t)replay->lines, "finished", replay->finished,
                               "interrupted", replay->interrupted);
    if (replay->interrupted)
        json_object_set_new(object, "cause", text_json(replay->cause));
    json_object_set_new(object, "torn", json_boolean(replay->torn));
    json_object_set_new(object, "damaged", json_integer(replay->damaged));
    json_object_set_new(object, "cut_off", json_boolean(replay->cut_off));
    json_object_set_new(object, "thinned_steps", json_integer(replay->held.thinned));
    json_object_set_new(object, "lost",
                        json_pack("{s:I, s:I, s:I}", "metrics", (json_int_t)held->lost.metrics,
                                  "steps", (json_int_t)held->lost.steps, "regions",
                                  (json_int_t)held->lost.regions));
    json_object_set_new(object, "lacks",
                        json_pack("{s:I, s:I, s:I}", "steps", (json_int_t)held->lacks_steps, "rows",
                                  (json_int_t)held->lacks_rows, "rows_outside",
                                  (json_int_t)held->outside));
    return object;
}
