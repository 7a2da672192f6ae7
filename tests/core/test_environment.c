/* SPDX-License-Identifier: MIT */
/* The environment and the local time are those that sw_open() found: sinks open on threads of their
 * own, up to 0.1 s later, when the program may have changed both. */
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char seen[64], seen_later[64];

static void look(struct sw_sink *sink, char *text, size_t size)
{
    const char *value = sw_sink_getenv(sink, "STEPWATCH_TEST");
    const char *other = sw_sink_getenv(sink, "STEPWATCH_TES");
    snprintf(text, size, "%s %s %" PRId64, value ? value : "unset", other ? other : "unset",
             sink->run->utc_offset_s);
}

static int curious_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)err;
    *(struct sw_sink **)state = sink;
    look(sink, seen, sizeof seen);
    return 0;
}

static int curious_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)record;
    (void)err;
    look(*(struct sw_sink **)state, seen_later, sizeof seen_later);
    return 0;
}

static const struct sw_sink_plugin curious = {
    SW_SINK_HEADER,
    .name = "curious",
    .version = "1.0",
    .license = "MIT",
    .summary = "looks at the environment, for tests",
    .wants = SW_WANT(SW_RECORD_END),
    .state_size = sizeof(struct sw_sink *),
    .open = curious_open,
    .record = curious_record,
};

static void zone_set(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

static struct sw_profiler *open_in(const char *zone, const char *yaml)
{
    struct sw_error err = {0};
    zone_set(zone);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

START_TEST(a_sink_gets_the_environment_and_the_local_time_of_sw_open)
{
    ck_assert_int_eq(sw_sink_register(&curious, NULL, NULL), 0);
    setenv("STEPWATCH_TEST", "before", 1);
    struct sw_profiler *sw =
        open_in("EAST-5:30", "profiler: { show_report: false }\nlogger_callback: curious\n");
    setenv("STEPWATCH_TEST", "after", 1);
    zone_set("WEST+3");
    ck_assert_int_eq(sw_close(sw, NULL), 0);

    ck_assert_str_eq(seen, "before unset 19800");
    ck_assert_str_eq(seen_later, "before unset 19800");
}
END_TEST

START_TEST(a_start_that_the_program_sets_is_taken_in_its_own_zone)
{
    sw_sink_register(&curious, NULL, NULL);
    struct sw_profiler *sw =
        open_in("EAST-5", "profiler: { show_report: false }\nlogger_callback: curious\n");
    zone_set("EAST-2");
    sw_set_start(sw, 1e9);
    zone_set("WEST+3");
    ck_assert_int_eq(sw_close(sw, NULL), 0);

    ck_assert_ptr_nonnull(strstr(seen, " 7200"));
}
END_TEST

/* The one path that matches. */
static void path_of(const char *pattern, char *path, size_t size)
{
    glob_t found;
    ck_assert_msg(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1, "no %s", pattern);
    snprintf(path, size, "%s", found.gl_pathv[0]);
    globfree(&found);
}

/* Hours and minutes of HH:MM at a place of a name, from UTC; the start is not known better than to
 * the minute. */
static void is_ahead(const char *path, size_t at, int minutes)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    int hour = 0, minute = 0;
    ck_assert_int_ge(sscanf(path + at, "%2d%*[-]%2d", &hour, &minute) == 2 ||
                         sscanf(path + at, "%2d%2d", &hour, &minute) == 2,
                     1);
    int ahead = (60 * hour + minute - 60 * utc.tm_hour - utc.tm_min + 2 * 1440) % 1440;
    ck_assert_msg(ahead == minutes || ahead == minutes - 1, "%s: %d minutes ahead", path, ahead);
}

START_TEST(names_of_files_have_the_local_time_of_sw_open)
{
    char path[4096];
    scratch_enter();
    struct sw_profiler *sw =
        open_in("EAST-5:30", "profiler: { show_report: false }\n"
                             "logger_callback: [runlog: { path: 'a-{time}' }]\n");
    zone_set("WEST+3");
    ck_assert_int_eq(sw_close(sw, NULL), 0);

    path_of("a-*", path, sizeof path);
    is_ahead(path, strlen("a-20260101-"), 330);
}
END_TEST

START_TEST(folders_of_runs_are_where_and_when_sw_open_was)
{
    char path[4096];
    if (!strstr(TEST_SINKS, "sinks/wandb.la")) {
        puts("SKIP: wandb and tensorboard are not built");
        return;
    }
    scratch_enter();
    setenv("WANDB_DIR", "before", 1);
    setenv("WANDB_MODE", "offline", 1);
    struct sw_profiler *sw =
        open_in("EAST-5:30", "profiler: { show_report: false }\n"
                             "logger_callback: [wandb, tensorboard: { logdir: runs }]\n");
    setenv("WANDB_DIR", "after", 1);
    zone_set("WEST+3");
    ck_assert_int_eq(sw_close(sw, NULL), 0);

    path_of("before/wandb/offline-run-*", path, sizeof path);
    is_ahead(path, strlen("before/wandb/offline-run-20260101_"), 330);
    path_of("runs/*", path, sizeof path);
    is_ahead(path, strlen("runs/2026-01-01_"), 330);
    ck_assert_int_ne(access("after", F_OK), 0);
}
END_TEST

SUITE(environment)
{
    tcase_add_test(tc, a_sink_gets_the_environment_and_the_local_time_of_sw_open);
    tcase_add_test(tc, a_start_that_the_program_sets_is_taken_in_its_own_zone);
    tcase_add_test(tc, names_of_files_have_the_local_time_of_sw_open);
    tcase_add_test(tc, folders_of_runs_are_where_and_when_sw_open_was);
}
