/* SPDX-License-Identifier: MIT */
#include "tests/support/host.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"
#include "tests/support/terminal.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- the report ------------------------------------------------------------------------------ */

#define PLAIN_OF_FIT                                                                               \
    "\n"                                                                                           \
    "Profiling Results:\n"                                                                         \
    "Phase Action Mean Duration Duration Std Dev  Number of Calls Samples/Second Total Time "      \
    "Percent of Total\n"                                                                           \
    "  fit                    -                -                1              -    400.0ms "      \
    "            100%\n"                                                                           \
    "       epoch       400.0ms                -                1              -    400.0ms "      \
    "            100%\n"                                                                           \
    "       train       300.0ms                -                1            640    300.0ms "      \
    "             75%\n"                                                                           \
    "       valid       100.0ms                -                1            640    100.0ms "      \
    "             25%\n"                                                                           \
    "train   step       100.0ms                -                2            640    200.0ms "      \
    "             50%\n"                                                                           \
    "        draw       10.00ms                -                2            -71    20.00ms "      \
    "              5%\n"                                                                           \
    "       batch       90.00ms                -                2            711    180.0ms "      \
    "             45%\n"                                                                           \
    "valid   step             -                -                0              -          - "      \
    "              0%\n"                                                                           \
    "        draw             -                -                0              -          - "      \
    "              0%\n"                                                                           \
    "       batch             -                -                0              -          - "      \
    "              0%\n"                                                                           \
    "Batch dropped. train and valid phases show 1 less batch than fit.\n"

static const char *const off = "accounting: false\n";

START_TEST(plain_without_accounting_is_the_text_of_the_specification)
{
    struct host *host = host_open_with("table", "plain: true\n", off);
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(host_stdout(), PLAIN_OF_FIT);
}
END_TEST

static const char *after(const char *text, const char *begin)
{
    ck_assert_msg(strncmp(text, begin, strlen(begin)) == 0, "expected \"%s\" at \"%.80s\"", begin,
                  text);
    return text + strlen(begin);
}

START_TEST(the_accounting_follows_the_table)
{
    int ns;
    double percent;
    char end;
    struct host *host = host_open("table", "plain: true\n");
    host_fit(host, 3);
    host_close(host);
    const char *rest = after(host_stdout(), PLAIN_OF_FIT);
    rest = after(rest, "The negative rate of draw is what drawing costs: so many samples a second "
                       "more without it.\n");
    rest = after(rest, "Overall: 640 samples/s in train (640 in valid).\n");
    rest = after(rest, "Accounted for: 400.0ms, 100.0 % of fit; other: 0 s, 0.0 % of fit.\n");
    ck_assert_int_eq(
        sscanf(rest, "stepwatch itself: %d ns a step, %lf %% of fit%c", &ns, &percent, &end), 3);
    /* A sanitizer makes the calls as slow as it likes. */
    double most = SANITIZED ? 100 : 1;
    ck_assert(ns > 0 && ns < most * 1000000 && percent >= 0 && percent < most && end == '.');
    ck_assert_str_eq(strchr(rest, '\n'), "\n");
}
END_TEST

/* Rows of dashes are nothing to look at. Programs get all rows. */
START_TEST(a_program_without_a_loop_has_the_rows_that_it_measured)
{
    struct host *host = host_open("table", "plain: true\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, sw_action("solve"));
    host_wait(host, 1000000);
    sw_end(sw, sw_action("solve"));
    sw_end(sw, SW_FIT);
    host_close(host);
    const char *text = host_stdout();
    ck_assert_ptr_nonnull(strstr(text, "solve"));
    ck_assert_msg(!strstr(text, "epoch") && !strstr(text, "draw") && !strstr(text, "valid"), "%s",
                  text);
}
END_TEST

/* Standard output is a file here. An empty NO_COLOR says nothing; another one wins. */
START_TEST(colours_and_width_can_be_asked_for)
{
    static const struct {
        const char *no, *force, *columns;
        bool bold, narrow;
    } cases[] = {{NULL, NULL, NULL, false, false}, {"", "1", NULL, true, false},
                 {"1", "1", NULL, false, false},   {NULL, "0", NULL, false, false},
                 {NULL, NULL, "70", false, true},  {NULL, NULL, "wide", false, false}};
    setenv("NO_COLOR", cases[_i].no ? cases[_i].no : "", 1);
    setenv("CLICOLOR_FORCE", cases[_i].force ? cases[_i].force : "", 1);
    setenv("COLUMNS", cases[_i].columns ? cases[_i].columns : "", 1);
    struct host *host = host_open("table", "");
    host_fit(host, 3);
    host_close(host);
    const char *text = host_stdout();
    ck_assert_msg(!strstr(text, "\033[1m") == !cases[_i].bold, "%s", text);
    ck_assert_msg(!strstr(text, "Mean Duration") == cases[_i].narrow, "%s", text);
}
END_TEST

/* The only batch of each phase is dropped; or the fit is cancelled in the first one. */
START_TEST(a_loop_has_all_rows_even_if_they_are_empty)
{
    struct host *host = host_open("table", "plain: true\n");
    if (_i == 0) {
        host_fit(host, 1);
    } else {
        sw_begin(host_profiler(host), SW_FIT);
        sw_begin(host_profiler(host), SW_EPOCH);
        sw_begin(host_profiler(host), SW_TRAIN);
        sw_begin(host_profiler(host), SW_BATCH);
        host_wait(host, 1000);
        sw_end(host_profiler(host), SW_FIT);
    }
    host_close(host);
    ck_assert_ptr_nonnull(strstr(
        host_stdout(),
        "train   step             -                -                0              -          -"
        "               0%\n"));
    ck_assert_ptr_nonnull(strstr(host_stdout(), "valid   step             -"));
}
END_TEST

START_TEST(time_between_the_regions_is_other)
{
    double percent;
    char end;
    struct host *host = host_open("table", "");
    sw_begin(host_profiler(host), SW_FIT);
    host_wait(host, 100000000);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    const char *rest = strstr(host_stdout(), "Accounted for: ");
    ck_assert_ptr_nonnull(rest);
    rest = after(rest, "Accounted for: 0 s, 0.0 % of fit; other: 100.0ms, 100.0 % of fit.\n");
    ck_assert_int_eq(sscanf(rest, "stepwatch itself: %lf %% of fit.%c", &percent, &end), 2);
    ck_assert(percent >= 0 && percent < 100 && end == '\n');
}
END_TEST

START_TEST(misuse_and_discarded_regions_are_counted_below)
{
    struct host *host = host_open_with("table", "", "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_LOSS);
    sw_begin(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    host_close(host);
    const char *lines = strstr(host_stdout(), "Calls that");
    ck_assert_ptr_nonnull(lines);
    ck_assert_str_eq(lines, "Calls that did not fit, such as an end without a begin: 1.\n"
                            "Regions cancelled, or still open when an outer one ended: 1.\n"
                            "loss was ended without a begin: 1.\n"
                            "ending fit discarded epoch, which was still open: 1.\n");
}
END_TEST

/* clang-format off */
static const char box_of_fit[] = "\n"
    "Profiling Results:\n"
    "┌───────┬────────┬───────────────┬──────────────────┬─────────────────┬────────────────┬────────────┬──────────────────┐\n"
    "│ Phase │ Action │ Mean Duration │ Duration Std Dev │ Number of Calls │ Samples/Second │ Total Time │ Percent of Total │\n"
    "├───────┼────────┼───────────────┼──────────────────┼─────────────────┼────────────────┼────────────┼──────────────────┤\n"
    "│ fit   │        │             - │                - │               1 │              - │    400.0µs │             100% │\n"
    "│       │ epoch  │       400.0µs │                - │               1 │              - │    400.0µs │             100% │\n"
    "│       │ train  │       300.0µs │                - │               1 │        640,000 │    300.0µs │              75% │\n"
    "│       │ valid  │       100.0µs │                - │               1 │        640,000 │    100.0µs │              25% │\n"
    "├───────┼────────┼───────────────┼──────────────────┼─────────────────┼────────────────┼────────────┼──────────────────┤\n"
    "│ train │ step   │       100.0µs │                - │               2 │        640,000 │    200.0µs │              50% │\n"
    "│       │ draw   │       10.00µs │                - │               2 │        -71,111 │    20.00µs │               5% │\n"
    "│       │ batch  │       90.00µs │                - │               2 │        711,111 │    180.0µs │              45% │\n"
    "├───────┼────────┼───────────────┼──────────────────┼─────────────────┼────────────────┼────────────┼──────────────────┤\n"
    "│ valid │ step   │             - │                - │               0 │              - │          - │               0% │\n"
    "│       │ draw   │             - │                - │               0 │              - │          - │               0% │\n"
    "│       │ batch  │             - │                - │               0 │              - │          - │               0% │\n"
    "└───────┴────────┴───────────────┴──────────────────┴─────────────────┴────────────────┴────────────┴──────────────────┘\n"
    "Batch dropped. train and valid phases show 1 less batch than fit.\n";
/* clang-format on */

/* The program itself is in the locale "C", as most are. */
START_TEST(the_default_is_a_box)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    struct host *host = host_open_with("table", "", off);
    host_fit_of(host, 3, 1000);
    host_close(host);
    ck_assert_str_eq(host_stdout(), box_of_fit);
}
END_TEST

/* The locale of the program does not know them. */
START_TEST(wide_and_combining_characters_keep_the_columns_of_the_box)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    struct host *host = host_open_with("table", "", off);
    static const char *const names[] = {"前向", "e\u0301tape", "plain"};
    sw_begin(host_profiler(host), SW_FIT);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sw_begin(host_profiler(host), sw_action(names[i]));
        host_wait(host, 1000000);
        sw_end(host_profiler(host), sw_action(names[i]));
    }
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "│ Phase │ Action │"));
    ck_assert_ptr_nonnull(strstr(host_stdout(), "│       │ 前向   │"));
    ck_assert_ptr_nonnull(strstr(host_stdout(), "│       │ e\u0301tape  │"));
    ck_assert_ptr_nonnull(strstr(host_stdout(), "│       │ plain  │"));
}
END_TEST

START_TEST(the_box_is_typed_where_the_terminal_is_not_utf8)
{
    setenv("LC_ALL", "C", 1);
    struct host *host = host_open_with("table", "", off);
    host_fit(host, 3);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "\n+-------+--------+---------------+"));
    ck_assert_ptr_nonnull(strstr(host_stdout(), "\n|       | epoch  |       400.0ms |"));
}
END_TEST

START_TEST(a_name_cannot_steer_the_terminal)
{
    static const char *const forms[] = {"plain: true\n", "plain: false\n"};
    struct host *host = host_open_with("table", forms[_i], off);
    int action = sw_action("a\033[2J\u202e\xff");
    sw_begin(host_profiler(host), SW_FIT);
    sw_begin(host_profiler(host), action);
    sw_end(host_profiler(host), action);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "a\\x1b[2J\\u{202e}\\xff"));
    ck_assert_ptr_null(strchr(host_stdout(), '\033'));
}
END_TEST

START_TEST(a_file_holds_the_table_of_one_fit)
{
    struct host *host = host_open_with("table", "plain: true\npath: out/report.txt\n", off);
    host_fit(host, 3);
    host_fit(host, 4);
    host_close(host);
    ck_assert_str_eq(host_file("out/report.txt"), PLAIN_OF_FIT);
    ck_assert_ptr_nonnull(
        strstr(host_file("out/report-2.txt"), "                3            640"));
    ck_assert_str_eq(host_stdout(), "");
}
END_TEST

START_TEST(on_standard_output_the_tables_follow_each_other)
{
    struct host *host = host_open_with("table", "plain: true\n", off);
    host_fit(host, 3);
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(host_stdout(), PLAIN_OF_FIT PLAIN_OF_FIT);
}
END_TEST

/* As many names as stepwatch keeps apart; a sink has close_timeout for its table. */
START_TEST(ten_thousand_actions_are_one_table)
{
    static const char *const forms[] = {"plain: true\n", "plain: false\n"};
    char name[32];
    struct host *host = host_open_with("table", forms[_i], off);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 9900; i++) {
        snprintf(name, sizeof name, "action %d", i);
        sw_begin(sw, sw_action(name));
        sw_end(sw, sw_action(name));
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "action 9899"));
}
END_TEST

/* ---- a terminal ------------------------------------------------------------------------------ */

static struct terminal terminal;
static int replaced = -1; /* the standard stream that is the terminal */
static int stream_before;

/* Makes a standard stream a terminal. False if no terminal is available: skip the test. */
static bool terminal_open(int stream, const char *term, int columns)
{
    if (!terminal_new(&terminal, columns))
        return false;
    replaced = stream;
    stream_before = dup(stream);
    dup2(terminal.program, stream);
    close(terminal.program);
    setenv("TERM", term, 1);
    return true;
}

/* What was drawn on it. */
static const char *terminal_close(void)
{
    static char seen[8192];
    dup2(stream_before, replaced);
    close(stream_before);
    size_t used = 0;
    ssize_t n;
    while ((n = read(terminal.user, seen + used, sizeof seen - 1 - used)) > 0)
        used += (size_t)n;
    ck_assert_int_eq(errno, EIO); /* the other side is closed: there is no more */
    seen[used] = '\0';
    close(terminal.user);
    return seen;
}

/* ---- the table on one ------------------------------------------------------------------------ */

/* clang-format off */
static const struct {
    int columns;
    const char *begin;
    const char *last;
} widths[] = {
    {120, "| Phase | Action | Mean Duration | Duration Std Dev | Number of Calls | Samples/Second | Total Time | Percent of Total |\r\n",
          "\r\n|       | batch  |             - |                - |               0 |              - |          - |               0% |\r\n"},
    {119, "| Phase | Action |    Mean | Std Dev | Calls | Samples/s |   Total | Share |\r\n",
          "\r\n|       | batch  |       - |       - |     0 |         - |       - |    0% |\r\n"},
    {76,  "| Phase | Action |    Mean | Std Dev | Calls | Samples/s |   Total | Share |\r\n",
          "\r\n|       | batch  |       - |       - |     0 |         - |       - |    0% |\r\n"},
    {75,  "| Phase | Action |    Mean | Calls | Samples/s |   Total | Share |\r\n",
          "\r\nFor a wider terminal or a file: Duration Std Dev.\r\n"},
    {20,  "| Phase | Action |    Mean | Samples/s | Share |\r\n",
          "\r\nFor a wider terminal or a file: Duration Std Dev, Number of Calls, Total Time.\r\n"},
};
/* clang-format on */

START_TEST(the_box_fits_the_terminal)
{
    setenv("LC_ALL", "C", 1);
    setenv("NO_COLOR", "1", 1);
    struct host *host = host_open_with("table", "live: off\n", off);
    if (!terminal_open(STDOUT_FILENO, "xterm", widths[_i].columns)) {
        host_close(host);
        return;
    }
    host_fit(host, 3);
    sw_flush(host_profiler(host), INT64_C(60000000000));
    const char *seen = terminal_close();
    host_close(host);
    ck_assert_msg(strstr(seen, widths[_i].begin) != NULL, "%s", seen);
    ck_assert_msg(strstr(seen, widths[_i].last) != NULL, "%s", seen);
}
END_TEST

START_TEST(who_asks_for_all_columns_gets_them_on_any_terminal)
{
    setenv("LC_ALL", "C", 1);
    setenv("NO_COLOR", "1", 1);
    struct host *host = host_open_with("table", "live: off\ncolumns: all\n", off);
    if (!terminal_open(STDOUT_FILENO, "xterm", 80)) {
        host_close(host);
        return;
    }
    host_fit(host, 3);
    sw_flush(host_profiler(host), INT64_C(60000000000));
    const char *seen = terminal_close();
    host_close(host);
    ck_assert_msg(strstr(seen, "|   Total | Share |          Unrounded |") != NULL, "%s", seen);
    ck_assert_msg(strstr(seen, "|     P99 | Overall |\r\n") != NULL, "%s", seen);
}
END_TEST

/* ---- the live line --------------------------------------------------------------------------- */

static const char *const slow = "rolling_average: 1000\naccounting: false\n";

START_TEST(the_live_line_says_how_far_the_loop_is)
{
    setenv("NO_COLOR", "1", 1);
    if (!terminal_open(STDERR_FILENO, "xterm", 55))
        return;
    struct host *host = host_open_with("table", "plain: true\ninterval: 100ms\n", slow);
    sw_expect_steps(host_profiler(host), 3000);
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(terminal_close(),
                     "\r\033[K0:00  epoch 1  step 1/3,000  640 samples/s"
                     "\r\033[K0:00  epoch 1  step 2/3,000  640 samples/s  eta 5:00"
                     "\r\033[K0:00  epoch 1  step 3/3,000  640 samples/s  eta 5:00"
                     "\r\033[Kepoch 1  step 3/3,000  eta 7:30  validating"
                     "\r\033[K");
    ck_assert_str_eq(host_stdout(), PLAIN_OF_FIT);
}
END_TEST

/* 64 samples in 0.1 s, and another 64 after 0.9 s of something else. */
START_TEST(its_rate_is_what_really_went_through)
{
    setenv("NO_COLOR", "1", 1);
    if (!terminal_open(STDERR_FILENO, "xterm", 55))
        return;
    struct host *host = host_open_with("table", "interval: 100ms\n", slow);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 2; i++) {
        host_wait(host, i ? 900000000 : 0);
        sw_begin(sw, SW_BATCH);
        host_wait(host, 100000000);
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_TRAIN);
    host_close(host);
    ck_assert_str_eq(terminal_close(), "\r\033[K0:00  epoch 1  step 1  640 samples/s"
                                       "\r\033[K0:01  epoch 1  step 2  116 samples/s  1.00 s/step"
                                       "\r\033[K");
}
END_TEST

START_TEST(what_ran_after_the_fit_is_a_table_of_its_own_and_in_a_file_a_part_of_the_whole)
{
    struct host *host =
        host_open_with("table", _i ? "plain: true\npath: out.txt\n" : "plain: true\n", off);
    int save = sw_action("save");
    host_fit(host, 3);
    sw_begin(host_profiler(host), save);
    host_wait(host, 10000000);
    sw_end(host_profiler(host), save);
    host_close(host);
    const char *rest = _i ? host_file("out.txt") : after(host_stdout(), PLAIN_OF_FIT);
    const char *title = _i ? "\nProfiling Results:\n" : "\nAfter the fit:\n";
    ck_assert_str_eq(rest, after(rest, title) - strlen(title));
    ck_assert_ptr_nonnull(strstr(rest, "\nafter   save "));
    if (_i)
        ck_assert_ptr_nonnull(strstr(rest, "Batch dropped"));
    else
        ck_assert_ptr_null(strstr(rest, "batch"));
}
END_TEST

static void *steps_elsewhere(void *sw)
{
    for (int i = 0; i < 4; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    return NULL;
}

START_TEST(steps_on_another_thread_than_the_fit_are_reported)
{
    pthread_t thread;
    struct host *host = host_open("table", "plain: true\n");
    sw_begin(host_profiler(host), SW_FIT);
    ck_assert_int_eq(pthread_create(&thread, NULL, steps_elsewhere, host_profiler(host)), 0);
    pthread_join(thread, NULL);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(),
                                 "\nBatches on another thread than the fit: 4. They are not steps: "
                                 "begin and end fit on the thread that runs the loop.\n"));
}
END_TEST

START_TEST(no_batch_is_reported_as_dropped_if_there_was_none)
{
    struct host *host = host_open_with("table", "plain: true\n", _i ? off : "mode: simple\n");
    sw_begin(host_profiler(host), SW_FIT);
    host_wait(host, 100);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_stdout(), "Profiling Results"));
    ck_assert_ptr_null(strstr(host_stdout(), "Batch dropped"));
    ck_assert_ptr_null(strstr(host_stdout(), "Overall"));
}
END_TEST

START_TEST(it_is_drawn_no_more_often_than_its_interval)
{
    setenv("NO_COLOR", "1", 1);
    if (!terminal_open(STDERR_FILENO, "xterm", 55))
        return;
    struct host *host = host_open_with("table", "interval: 1s\n", slow);
    host_fit(host, 21);
    host_close(host);
    ck_assert_str_eq(terminal_close(), "\r\033[K0:00  epoch 1  step 1  640 samples/s"
                                       "\r\033[K0:01  epoch 1  step 11  640 samples/s  100 ms/step"
                                       "\r\033[K0:02  epoch 1  step 21  640 samples/s  100 ms/step"
                                       "\r\033[K");
}
END_TEST

START_TEST(it_is_dim_where_colours_are_wanted)
{
    unsetenv("NO_COLOR");
    if (!terminal_open(STDERR_FILENO, "xterm", 55))
        return;
    struct host *host = host_open_with("table", "interval: 1h\n", slow);
    host_fit(host, 2);
    host_close(host);
    ck_assert_str_eq(terminal_close(),
                     "\r\033[K\033[2m0:00  epoch 1  step 1  640 samples/s\033[0m\r\033[K");
}
END_TEST

static const struct {
    const char *term;
    const char *options;
} silent[] = {
    {"dumb", ""},
    {"", ""},
    {"xterm", "live: off\n"},
};

START_TEST(there_is_none_on_a_dumb_terminal_or_if_it_is_off)
{
    if (!terminal_open(STDERR_FILENO, silent[_i].term, 55))
        return;
    struct host *host = host_open("table", silent[_i].options);
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(terminal_close(), "");
}
END_TEST

START_TEST(on_a_dumb_terminal_it_can_be_asked_for_and_is_wiped_by_blanks)
{
    if (!terminal_open(STDERR_FILENO, "dumb", 55))
        return;
    struct host *host = host_open_with("table", "live: on\ninterval: 1h\n", slow);
    host_fit(host, 2);
    host_close(host);
    char expected[256];
    snprintf(expected, sizeof expected, "\r%54s\r0:00  epoch 1  step 1  640 samples/s\r%54s\r", "",
             "");
    ck_assert_str_eq(terminal_close(), expected);
}
END_TEST

/* ---- the same terminal for the line and for what the program prints -------------------------- */

static int64_t now_ns;

static int64_t clock_of_loop(void *arg)
{
    (void)arg;
    return now_ns;
}

/* A loop that prints a line in two parts at each of its three steps. */
static void loop_that_prints(const char *live)
{
    char yaml[256];
    struct sw_error err;
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false }\n"
             "logger_callback: { table: { path: /dev/null, interval: 10ms, live: %s } }\n",
             live);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_clock(sw, clock_of_loop, NULL);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        now_ns += 100000000;
        dprintf(STDOUT_FILENO, "loss ");
        sw_end_batch(sw, 64);
        sw_flush(sw, INT64_C(60000000000));
        dprintf(STDOUT_FILENO, "0.%d\n", i);
    }
    sw_close(sw, NULL);
}

/* What is seen on a terminal that both streams go to. */
static const char *seen_on_both(const char *live)
{
    if (!terminal_open(STDERR_FILENO, "xterm", 55))
        return NULL;
    int before = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    loop_that_prints(live);
    dup2(before, STDOUT_FILENO);
    close(before);
    return terminal_close();
}

START_TEST(it_leaves_what_the_program_prints_to_the_same_terminal_alone)
{
    const char *seen = seen_on_both("auto");
    if (seen)
        ck_assert_str_eq(seen, "loss 0.0\r\nloss 0.1\r\nloss 0.2\r\n");
}
END_TEST

START_TEST(it_is_drawn_on_the_same_terminal_for_whoever_asks)
{
    const char *seen = seen_on_both("on");
    if (seen)
        ck_assert_msg(strstr(seen, "epoch 1  step 1") != NULL, "%s", seen);
}
END_TEST

START_TEST(it_is_drawn_where_stdout_is_another_terminal)
{
    struct terminal other;
    if (!terminal_open(STDERR_FILENO, "xterm", 55) || !terminal_new(&other, 80))
        return;
    int before = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(other.program, STDOUT_FILENO);
    close(other.program);
    loop_that_prints("auto");
    dup2(before, STDOUT_FILENO);
    close(before);
    close(other.user);
    const char *seen = terminal_close();
    ck_assert_msg(strstr(seen, "epoch 1  step 1") != NULL, "%s", seen);
}
END_TEST

START_TEST(there_is_none_in_a_file)
{
    int before = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    dup2(fileno(file), STDERR_FILENO);
    struct host *host = host_open("table", "live: on\n");
    host_fit(host, 3);
    host_close(host);
    dup2(before, STDERR_FILENO);
    close(before);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    ck_assert_int_eq(ftell(file), 0);
    fclose(file);
}
END_TEST

SUITE(table)
{
    tcase_add_test(tc, plain_without_accounting_is_the_text_of_the_specification);
    tcase_add_test(tc, the_accounting_follows_the_table);
    tcase_add_test(tc, a_program_without_a_loop_has_the_rows_that_it_measured);
    tcase_add_loop_test(tc, a_loop_has_all_rows_even_if_they_are_empty, 0, 2);
    tcase_add_test(tc, time_between_the_regions_is_other);
    tcase_add_test(tc, misuse_and_discarded_regions_are_counted_below);
    tcase_add_test(tc, the_default_is_a_box);
    tcase_add_test(tc, wide_and_combining_characters_keep_the_columns_of_the_box);
    tcase_add_loop_test(tc, colours_and_width_can_be_asked_for, 0, 6);
    tcase_add_test(tc, the_box_is_typed_where_the_terminal_is_not_utf8);
    tcase_add_loop_test(tc, the_box_fits_the_terminal, 0, sizeof widths / sizeof *widths);
    tcase_add_test(tc, who_asks_for_all_columns_gets_them_on_any_terminal);
    tcase_add_loop_test(tc, a_name_cannot_steer_the_terminal, 0, 2);
    tcase_add_test(tc, a_file_holds_the_table_of_one_fit);
    tcase_add_test(tc, on_standard_output_the_tables_follow_each_other);
    tcase_add_loop_test(tc, ten_thousand_actions_are_one_table, 0, 2);
    tcase_add_test(tc, the_live_line_says_how_far_the_loop_is);
    tcase_add_loop_test(
        tc, what_ran_after_the_fit_is_a_table_of_its_own_and_in_a_file_a_part_of_the_whole, 0, 2);
    tcase_add_test(tc, steps_on_another_thread_than_the_fit_are_reported);
    tcase_add_loop_test(tc, no_batch_is_reported_as_dropped_if_there_was_none, 0, 2);
    tcase_add_test(tc, its_rate_is_what_really_went_through);
    tcase_add_test(tc, it_is_drawn_no_more_often_than_its_interval);
    tcase_add_test(tc, it_is_dim_where_colours_are_wanted);
    tcase_add_loop_test(tc, there_is_none_on_a_dumb_terminal_or_if_it_is_off, 0,
                        sizeof silent / sizeof *silent);
    tcase_add_test(tc, on_a_dumb_terminal_it_can_be_asked_for_and_is_wiped_by_blanks);
    tcase_add_test(tc, it_leaves_what_the_program_prints_to_the_same_terminal_alone);
    tcase_add_test(tc, it_is_drawn_on_the_same_terminal_for_whoever_asks);
    tcase_add_test(tc, it_is_drawn_where_stdout_is_another_terminal);
    tcase_add_test(tc, there_is_none_in_a_file);
}
