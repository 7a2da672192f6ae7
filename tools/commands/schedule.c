/* SPDX-License-Identifier: MIT */
/* stepwatch schedule - shows which training steps a configuration records, and which it never
 * records. */
#include "tools/commands/commands.h"
#include "tools/output/print.h"

#include <stepwatch/inspect.h>

#include <stdlib.h>

static const char help[] =
    "usage: stepwatch schedule [FILE] --steps N [--json]\n\n"
    "Shows in which of N training steps the schedule of a configuration records\n"
    "regions, and which steps it never records. Steps are counted from 0, from the\n"
    "start of the run. FILE defaults to $STEPWATCH_CONFIG, or else to stepwatch.yaml.\n\n"
    "  --steps N  the number of training steps of the run, 1 to 100000000\n"
    "  --json     print the schedule and the ranges of steps as JSON\n";

#define STEPS_MAX INT64_C(100000000)
enum { RANGES_SHOWN = 24 };

/* Steps of one kind as ranges. */
struct ranges {
    int64_t steps, count;
    int64_t first, last; /* of the current range; first is -1 if there is none */
    struct {
        int64_t first, last;
    } shown[RANGES_SHOWN];
};

static void range_end(struct ranges *ranges)
{
    if (ranges->first < 0)
        return;
    if (ranges->count < RANGES_SHOWN) {
        ranges->shown[ranges->count].first = ranges->first;
        ranges->shown[ranges->count].last = ranges->last;
    }
    ranges->count++;
    ranges->first = -1;
}

static int64_t ranges_shown(const struct ranges *ranges)
{
    return ranges->count < RANGES_SHOWN ? ranges->count : RANGES_SHOWN;
}

static void range_add(struct ranges *ranges, int64_t step)
{
    ranges->steps++;
    if (ranges->first >= 0 && ranges->last == step - 1) {
        ranges->last = step;
        return;
    }
    range_end(ranges);
    ranges->first = ranges->last = step;
}

/* Prints "recorded      16-18, 25-27 (6 steps)". */
static void ranges_print(const char *title, const struct ranges *ranges)
{
    if (!ranges->steps)
        return;
    printf("%-13s ", title);
    for (int64_t i = 0; i < ranges_shown(ranges); i++) {
        printf("%s%" PRId64, i ? ", " : "", ranges->shown[i].first);
        if (ranges->shown[i].last > ranges->shown[i].first)
            printf("-%" PRId64, ranges->shown[i].last);
    }
    if (ranges->count > RANGES_SHOWN)
        printf(", and %" PRId64 " more ranges", ranges->count - RANGES_SHOWN);
    printf(" (%" PRId64 " step%s)\n", ranges->steps, ranges->steps == 1 ? "" : "s");
}

/* The fate of the steps. */
struct forecast {
    struct ranges recorded, warmup, never;
    int64_t windows; /* windows with a recorded step */
    int64_t first;   /* the first recorded step, or -1 */
    bool cut;        /* the run ends within the last window */
    bool follows;    /* a window begins after the last step */
};

static void forecast_make(struct forecast *forecast, const struct sw_schedule *schedule,
                          int64_t steps)
{
    enum sw_schedule_action before = SW_SCHEDULE_NONE;
    forecast->recorded.first = forecast->warmup.first = forecast->never.first = -1;
    forecast->first = -1;
    for (int64_t step = 0; step < steps; step++) {
        enum sw_schedule_action action = sw_schedule_action(schedule, step);
        bool records = action >= SW_SCHEDULE_RECORD;
        forecast->windows += records && before != SW_SCHEDULE_RECORD;
        forecast->first = records && forecast->first < 0 ? step : forecast->first;
        range_add(records                        ? &forecast->recorded
                  : action == SW_SCHEDULE_WARMUP ? &forecast->warmup
                                                 : &forecast->never,
                  step);
        before = action;
    }
    range_end(&forecast->recorded);
    range_end(&forecast->warmup);
    range_end(&forecast->never);
    forecast->cut = before == SW_SCHEDULE_RECORD;
    forecast->follows = !forecast->cut && sw_schedule_action(schedule, steps) >= SW_SCHEDULE_RECORD;
}

/* Returns the first recorded step, whatever the number of steps. */
static int64_t first_recorded(const struct sw_schedule *schedule)
{
    int64_t step = schedule->skip_first + (schedule->skip_first_wait ? 0 : schedule->wait);
    return step + schedule->warmup;
}

static void schedule_print(const struct sw_schedule *s)
{
    printf("schedule: skip_first %" PRId64 ", wait %" PRId64 ", warmup %" PRId64 ", active %" PRId64
           ", repeat %" PRId64 "%s\n",
           s->skip_first, s->wait, s->warmup, s->active, s->repeat,
           s->skip_first_wait ? ", skip_first_wait" : "");
}

/* Prints from which step on nothing is recorded, if the run continues. */
static void end_print(const struct sw_schedule *schedule, int64_t steps)
{
    int64_t cycle = schedule->wait + schedule->warmup + schedule->active;
    int64_t end = schedule->skip_first + schedule->repeat * cycle -
                  (schedule->skip_first_wait ? schedule->wait : 0);
    if (schedule->repeat && end < steps)
        printf("From step %" PRId64 " on no step is recorded: the schedule has ended.\n", end);
}

static json_t *ranges_json(const struct ranges *ranges)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < ranges_shown(ranges); i++)
        json_array_append_new(list,
                              json_pack("{s:I, s:I}", "first", (json_int_t)ranges->shown[i].first,
                                        "last", (json_int_t)ranges->shown[i].last));
    return json_pack("{s:I, s:I, s:o}", "steps", (json_int_t)ranges->steps, "count",
                     (json_int_t)ranges->count, "ranges", list);
}

static json_t *forecast_json(const struct sw_schedule *s, int64_t steps)
{
    struct forecast forecast = {.windows = 0};
    forecast_make(&forecast, s, steps);
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:b, s:b, s:I, s:o, s:o, s:o}", "skip_first",
        (json_int_t)s->skip_first, "wait", (json_int_t)s->wait, "warmup", (json_int_t)s->warmup,
        "active", (json_int_t)s->active, "repeat", (json_int_t)s->repeat, "skip_first_wait",
        s->skip_first_wait, "windows", (json_int_t)forecast.windows, "last_window_cut",
        forecast.cut, "window_after_end", forecast.follows, "first_window_step",
        (json_int_t)first_recorded(s), "recorded_steps", ranges_json(&forecast.recorded),
        "warmup_steps", ranges_json(&forecast.warmup), "never_steps", ranges_json(&forecast.never));
}

static void forecast_print(const struct sw_schedule *schedule, int64_t steps)
{
    struct forecast forecast = {.windows = 0};
    forecast_make(&forecast, schedule, steps);
    schedule_print(schedule);
    ranges_print("recorded", &forecast.recorded);
    ranges_print("warm-up", &forecast.warmup);
    ranges_print("never", &forecast.never);
    if (forecast.first < 0) {
        int64_t first = first_recorded(schedule);
        printf("No step will be recorded: the first window begins with step %" PRId64
               ", but the run ends after %" PRId64 " step%s. Shorten skip_first, wait or warmup, "
               "or run at least %" PRId64 " steps.\n",
               first, steps, steps == 1 ? "" : "s", first + 1);
        return;
    }
    printf("%" PRId64 " window%s%s\n", forecast.windows, forecast.windows == 1 ? "" : "s",
           forecast.cut ? "; the end of the run cuts the last one" : "");
    if (forecast.follows)
        puts("One more window begins after the last step: it records what follows, but no step.");
    end_print(schedule, steps);
}

static int schedule_show(const char *path, int64_t steps, bool json)
{
    struct sw_schedule schedule;
    SW_ERROR_SCOPE(err);
    bool on_demand = false;
    if (sw_config_schedule(path, &schedule, &on_demand, &err) < 0) {
        say_error("schedule", &err);
        return EXIT_FAILED;
    }
    if (json) {
        json_t *shown =
            json_pack("{s:I, s:b, s:o}", "steps", (json_int_t)steps, "on_demand", on_demand,
                      "schedule", schedule.given ? forecast_json(&schedule, steps) : json_null());
        return json_show("schedule", shown) ? EXIT_FINE : EXIT_FAILED;
    }
    if (schedule.given)
        forecast_print(&schedule, steps);
    else if (!on_demand)
        puts("There is no schedule: the whole run is recorded.");
    else
        puts("There is no schedule: no step will be recorded, except on demand (key capture).");
    if (schedule.given && on_demand)
        puts("More steps are recorded on demand (key capture).");
    return EXIT_FINE;
}

/* The library checks that a file that nobody named was not put there by another user. */
static int run(int argc, char **argv)
{
    const char *steps = NULL;
    bool json = false;
    const struct argument arguments[] = {{.name = "steps", .value = &steps},
                                         {.name = "json", .flag = &json}};
    arguments_take(&schedule_command, arguments, 2, &argc, argv);
    if (argc > 2)
        return usage_error(&schedule_command, "expected at most one FILE, found %d", argc - 1);
    if (!steps)
        return usage_error(&schedule_command,
                           "--steps is missing: expected the number of training steps of the run");
    int64_t count = argument_number(steps, 1, STEPS_MAX);
    if (count < 0)
        return usage_error(&schedule_command, "--steps: \"%s\" is not a number from 1 to %" PRId64,
                           steps, STEPS_MAX);
    return schedule_show(argc == 2 ? argv[1] : NULL, count, json);
}

const struct command schedule_command = {"schedule", "shows which steps a schedule records", help,
                                         run};
