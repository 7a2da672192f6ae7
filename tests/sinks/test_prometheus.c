/* SPDX-License-Identifier: MIT */
/* The sink prometheus: its options, and its file. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *file_of(struct host *host)
{
    host_close(host);
    return host_file("run.prom");
}

static void assert_line(const char *text, const char *line)
{
    char wanted[400];
    snprintf(wanted, sizeof wanted, "\n%s\n", line);
    ck_assert_msg(strstr(text, wanted) != NULL, "no line \"%s\" in:\n%s", line, text);
}

/* ---- the file -------------------------------------------------------------------------------- */

START_TEST(the_file_has_the_state_of_the_run)
{
    host_name("digits");
    struct host *host = host_open_with("prometheus", "path: run.prom\n", "mode: simple\n");
    sw_expect_steps(host_profiler(host), 3);
    host_fit(host, 3);
    const char *text = file_of(host);
    assert_line(text, "stepwatch_steps_total{run=\"digits\",rank=\"0\",phase=\"train\"} 3.0");
    assert_line(text, "stepwatch_samples_total{run=\"digits\",rank=\"0\",phase=\"valid\"} 64.0");
    assert_line(text,
                "stepwatch_steps_cancelled_total{run=\"digits\",rank=\"0\",phase=\"train\"} 0.0");
    assert_line(
        text, "stepwatch_step_duration_seconds_sum{run=\"digits\",rank=\"0\",phase=\"train\"} 0.3");
    assert_line(text, "stepwatch_step_duration_seconds_bucket{run=\"digits\",rank=\"0\","
                      "phase=\"train\",le=\"0.05\"} 0.0");
    assert_line(text, "stepwatch_step_duration_seconds_bucket{run=\"digits\",rank=\"0\","
                      "phase=\"train\",le=\"0.1\"} 3.0");
    assert_line(text, "stepwatch_step_duration_seconds_bucket{run=\"digits\",rank=\"0\","
                      "phase=\"train\",le=\"+Inf\"} 3.0");
    assert_line(text, "stepwatch_action_seconds_total{run=\"digits\",rank=\"0\",phase=\"train\","
                      "action=\"draw\"} 0.03");
    assert_line(text, "stepwatch_steps_expected{run=\"digits\",rank=\"0\"} 3.0");
    assert_line(text, "stepwatch_run_exit_status{run=\"digits\",rank=\"0\"} 0.0");
    ck_assert_ptr_null(
        strstr(text, "stepwatch_run_end_time_seconds{run=\"digits\",rank=\"0\"} 0.0"));
}
END_TEST

START_TEST(names_and_values_of_any_kind_leave_the_file_readable)
{
    struct host *host = host_open("prometheus", "path: run.prom\n");
    host_metric(host, 0, "a\"b\\c\nd\xff", NAN);
    host_metric(host, 1, "up", INFINITY);
    host_metric(host, 2, "down", -INFINITY);
    host_name("it's \"x\"");
    const char *text = file_of(host);
    ck_assert_ptr_nonnull(strstr(text, ",name=\"a\\\"b\\\\c\\nd\\\\xff\"} NaN\n"));
    ck_assert_ptr_nonnull(strstr(text, ",name=\"up\"} +Inf\n"));
    ck_assert_ptr_nonnull(strstr(text, ",name=\"down\"} -Inf\n"));
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
}
END_TEST

/* A byte that is not UTF-8 is shown as text that another name may have. */
START_TEST(names_that_look_alike_are_two_series)
{
    struct host *host = host_open("prometheus", "path: run.prom\n");
    for (int step = 0; step < 4; step += 2) {
        host_metric(host, step, "\xff", 1);
        host_metric(host, step + 1, "\\xff", 2);
    }
    const char *text = file_of(host);
    ck_assert_ptr_nonnull(strstr(text, ",name=\"\\\\xff\"} 1.0\n"));
    ck_assert_ptr_nonnull(strstr(text, ",name=\"\\\\xff_2\"} 2.0\n"));
}
END_TEST

/* The name of a sample's family: up to its labels, without what a histogram adds. */
static size_t family_of(const char *line)
{
    static const char *const ends[] = {"_bucket", "_sum", "_count"};
    size_t size = strcspn(line, "{ ");
    for (size_t i = 0; i < 3 && strncmp(line, "stepwatch_step_duration", 23) == 0; i++)
        if (strncmp(line + size - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
            return size - strlen(ends[i]);
    return size;
}

/* promtool says nothing of a series that is there twice. */
START_TEST(each_family_is_there_once_and_each_series_too)
{
    struct host *host = host_open_with("prometheus", "path: run.prom\n", "mode: simple\n");
    host_fit(host, 12);
    host_metric(host, 20, "loss", 1);
    host_metric(host, 21, "loss", 2);
    char family[100] = "", head[120], *rest, *text = strdup(file_of(host));
    char *line[1000];
    int lines = 0;
    for (char *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(at, "# HELP ", 7) == 0)
            snprintf(family, sizeof family, "%.*s", (int)strcspn(at + 7, " "), at + 7);
        snprintf(head, sizeof head, "# TYPE %s ", family);
        if (strncmp(at, "# TYPE", 6) == 0)
            ck_assert_msg(strncmp(at, head, strlen(head)) == 0, "%s after %s", at, family);
        if (*at == '#' && strncmp(at, "# HELP", 6) != 0)
            continue;
        if (*at != '#')
            ck_assert_msg(strlen(family) == family_of(at) &&
                              strncmp(at, family, family_of(at)) == 0,
                          "%s in family %s", at, family);
        at[strcspn(at, "}")] = '\0';
        for (int i = 0; i < lines; i++)
            ck_assert_str_ne(line[i], at);
        ck_assert_int_lt(lines, 1000);
        line[lines++] = at;
    }
    ck_assert_int_gt(lines, 60);
    free(text);
}
END_TEST

/* Else the run would go on for ever at node_exporter, and nobody would know. */
START_TEST(a_last_state_that_cannot_be_written_is_lost)
{
    SW_ERROR_SCOPE(err);
    struct host *host = host_open("prometheus", "path: /dev/full\n");
    ck_assert_int_eq(host_close_rc(host, &err), SW_ESINK);
    ck_assert_str_eq(sw_error_text(&err), "sink prometheus: /dev/full: cannot be written: No space "
                                          "left on device");
}
END_TEST

START_TEST(further_names_than_series_allows_are_counted)
{
    struct host *host = host_open("prometheus", "path: run.prom\nseries: 5\n");
    host_metrics(host, 20, 0);
    const char *text = file_of(host);
    ck_assert_ptr_nonnull(strstr(text, ",name=\"m4\"} 4.0\n"));
    ck_assert_ptr_null(strstr(text, ",name=\"m5\"}"));
    ck_assert_ptr_nonnull(strstr(text, "\nstepwatch_series_dropped_total"));
}
END_TEST

/* Each of them is counted once, however often it is logged. */
START_TEST(ten_thousand_names_are_200_series_and_a_count)
{
    struct host *host = host_open("prometheus", "path: run.prom\n");
    for (int round = 0; round < 3; round++) {
        host_metrics(host, 10000, round);
        host_metric(host, round, "m0", 5);
        ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    }
    const char *text = file_of(host);
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\nstepwatch_metric{")); at++)
        count++;
    ck_assert_int_eq(count, 200);
    ck_assert_ptr_nonnull(strstr(text, ",name=\"m0\"} 5.0\n"));
    ck_assert_ptr_nonnull(strstr(text, ",name=\"m199\"} 201.0\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nstepwatch_series_dropped_total{"));
    ck_assert_ptr_nonnull(strstr(text, ",rank=\"0\"} 9800.0\n"));
}
END_TEST

START_TEST(series_can_be_as_many_as_there_are_names)
{
    struct host *host = host_open("prometheus", "path: run.prom\nseries: 10000\n");
    host_metrics(host, 10000, 0);
    host_metric(host, 0, "m0", 5);
    const char *text = file_of(host);
    ck_assert_ptr_nonnull(strstr(text, ",name=\"m9999\"} 9999.0\n"));
    ck_assert_ptr_nonnull(strstr(text, ",name=\"m4711\"} 4711.0\n"));
}
END_TEST

/* Reads the file until `stop` exists. Ends with 1 if it ever lacks its last line. */
static void reads_for_ever(void)
{
    static char text[65536];
    while (access("stop", F_OK) != 0) {
        FILE *file = fopen("run.prom", "r");
        size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
        text[size] = '\0';
        if (!file || !strstr(text, "\nstepwatch_series_dropped_total{") || text[size - 1] != '\n')
            _exit(1);
        fclose(file);
    }
    _exit(0);
}

START_TEST(a_reader_sees_a_whole_file_at_any_time)
{
    int status;
    struct host *host = host_open("prometheus", "path: run.prom\ninterval: 0s\n");
    host_metric(host, 0, "loss", 0);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    pid_t reader = fork();
    if (reader == 0)
        reads_for_ever();
    for (int step = 1; step <= 200; step++) {
        host_metric(host, step, "loss", step);
        ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    }
    FILE *stop = fopen("stop", "w");
    ck_assert_ptr_nonnull(stop);
    fclose(stop);
    ck_assert_int_eq(waitpid(reader, &status, 0), reader);
    ck_assert_int_eq(status, 0);
    host_close(host);
}
END_TEST

/* Epochs are counted from 0, and the end of the last one does not begin another. */
START_TEST(the_epoch_is_the_newest_that_has_begun)
{
    struct host *host = host_open_with("prometheus", "path: run.prom\n", "mode: simple\n");
    host_fit(host, 3);
    const char *text = file_of(host);
    ck_assert_ptr_nonnull(strstr(text, "\nstepwatch_epoch{"));
    ck_assert_ptr_nonnull(strstr(strstr(text, "\nstepwatch_epoch{"), ",rank=\"0\"} 0.0\n"));
    ck_assert_ptr_nonnull(strstr(strstr(text, "\nstepwatch_step{"), ",rank=\"0\"} 2.0\n"));
}
END_TEST

START_TEST(a_second_process_of_a_name_gets_another_file_and_label)
{
    static const struct {
        const char *path, *second;
    } cases[] = {{"digits-{rank}.prom", "digits-0-2.prom"}, {"other.prom", "other-2.prom"}};
    char options[100], folder[200], first[400];
    struct sw_error err = {0};
    host_name("digits");
    snprintf(options, sizeof options, "path: %s\n", cases[_i].path);
    struct host *host = host_open("prometheus", options);
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    snprintf(first, sizeof first,
             "name: digits\nprofiler: {show_report: false}\nlogger_callback: {prometheus: {path: "
             "\"%s/%s\"}}\n",
             folder, cases[_i].path);
    struct sw_profiler *other = sw_open_text(first, &err);
    ck_assert_msg(other != NULL, "%s", sw_error_text(&err));
    sw_log(other, "loss", 2);
    sw_close(other, &err);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_file(cases[_i].second),
                                 "stepwatch_metric{run=\"digits_2\",rank=\"0\",name=\"loss\"} 2"));
}
END_TEST

START_TEST(the_bounds_of_the_histogram_can_be_chosen)
{
    struct host *host = host_open("prometheus", "path: run.prom\nbuckets: [0.05, 0.2]\n");
    host_fit(host, 3);
    const char *text = file_of(host);
    ck_assert_ptr_nonnull(strstr(text, "phase=\"train\",le=\"0.2\"} 3.0\n"));
    ck_assert_ptr_null(strstr(text, "le=\"0.1\""));
}
END_TEST

/* The file of the run before stays, and node_exporter takes the series of only one of them. */
START_TEST(a_file_for_each_process_is_remarked)
{
    static const char yaml[] = "logger_callback:\n"
                               "  - prometheus: {path: 'x-{pid}.prom'}\n"
                               "  - prometheus: {path: 'x-{name}-{rank}.prom'}\n";
    char *text = NULL;
    scratch_enter();
    scratch_write("checked.yaml", yaml, strlen(yaml));
    ck_assert_int_eq(sw_config_check("checked.yaml", &text, NULL), 1);
    ck_assert_str_eq(
        text, "checked.yaml:2:24: sink prometheus: path: \"x-{pid}.prom\" is another file for "
              "each run, with the same labels: node_exporter drops series that another file "
              "has; use {name} and {rank}");
    free(text);
    struct host *host = host_open("prometheus", "path: x-{pid}.prom\n");
    host_close(host);
}
END_TEST

START_TEST(a_wrong_address_or_bound_is_a_mistake_of_the_configuration)
{
    static const struct {
        const char *options, *expected;
    } cases[] = {
        {"listen: nonsense", "\"nonsense\" is not an address and a port"},
        {"listen: \"127.0.0.1:99999\"", "is not an address and a port"},
        {"listen: \"localhost:29464\"", "is not an address and a port"},
        {"listen: \"127.0.0.1:65535+1\"", "is not an address and a port"},
        {"listen: \"127.0.0.1:0+1\"", "is not an address and a port"},
        {"listen: \"127.0.0.1:29464+\"", "is not an address and a port"},
        {"listen: \"::1:29464\"", "is not an address and a port"},
        {"listen: \"[fe80::1%none]:29464\"", "is not an address and a port"},
        {"buckets: [1, x]", "\"x\" is not a number"},
        {"buckets: [2, 1]", "\"1\" is not a number that is larger than 0 and the one before it"},
    };
    char yaml[300];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml, "logger_callback: {prometheus: {path: a.prom, %s}}\n",
             cases[_i].options);
    ck_assert_ptr_null(sw_open_text(yaml, &err));
    ck_assert_msg(strstr(sw_error_text(&err), cases[_i].expected) != NULL, "%s",
                  sw_error_text(&err));
    sw_error_free(&err);
}
END_TEST

SUITE(prometheus)
{
    tcase_add_test(tc, the_file_has_the_state_of_the_run);
    tcase_add_test(tc, names_and_values_of_any_kind_leave_the_file_readable);
    tcase_add_test(tc, names_that_look_alike_are_two_series);
    tcase_add_test(tc, each_family_is_there_once_and_each_series_too);
    tcase_add_test(tc, a_last_state_that_cannot_be_written_is_lost);
    tcase_add_test(tc, further_names_than_series_allows_are_counted);
    tcase_add_test(tc, ten_thousand_names_are_200_series_and_a_count);
    tcase_add_test(tc, series_can_be_as_many_as_there_are_names);
    tcase_add_test(tc, a_reader_sees_a_whole_file_at_any_time);
    tcase_add_test(tc, the_epoch_is_the_newest_that_has_begun);
    tcase_add_loop_test(tc, a_second_process_of_a_name_gets_another_file_and_label, 0, 2);
    tcase_add_test(tc, the_bounds_of_the_histogram_can_be_chosen);
    tcase_add_test(tc, a_file_for_each_process_is_remarked);
    tcase_add_loop_test(tc, a_wrong_address_or_bound_is_a_mistake_of_the_configuration, 0, 7);
}
