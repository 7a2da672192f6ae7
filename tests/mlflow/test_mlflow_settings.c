/* SPDX-License-Identifier: MIT */
/* The environment of MLflow's own client, and how a run ends. */
#include "tests/mlflow/mlflow_server.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct host *host;

static const char *text_of(const json_t *object, const char *a, const char *b)
{
    const char *text = json_string_value(json_object_get(json_object_get(object, a), b));
    return text ? text : "";
}

static void run_with(const char *options, int exit_status)
{
    host_name("settings");
    host = host_open("mlflow", options);
    host_metric(host, 0, "loss", 1);
    sw_set_exit_status(host_profiler(host), exit_status);
    struct sw_error err = {0};
    host_close_rc(host, &err);
    sw_error_free(&err);
}

static json_t *state_with(const char *options)
{
    run_with(options, 0);
    return mlflow_state();
}

/* ---- the run --------------------------------------------------------------------------------- */

START_TEST(a_run_goes_on_with_the_one_that_mlflow_run_id_names)
{
    if (!mlflow_begin(""))
        return;
    json_t *state = state_with("experiment: e\n");
    setenv("MLFLOW_RUN_ID", text_of(mlflow_run(state), "info", "run_id"), 1);
    json_decref(state);
    run_with("run_name: another\n", 0);
    state = mlflow_state();
    json_t *run = mlflow_run(state); /* fails if there are two */
    ck_assert_str_eq(text_of(run, "info", "run_name"), "settings");
    ck_assert_str_eq(text_of(run, "info", "status"), "FINISHED");
    json_decref(state);
    mlflow_end();
}
END_TEST

START_TEST(a_program_that_fails_has_a_failed_run)
{
    if (!mlflow_begin(""))
        return;
    run_with("", 3);
    json_t *state = mlflow_state();
    ck_assert_str_eq(text_of(mlflow_run(state), "info", "status"), "FAILED");
    json_decref(state);
    mlflow_end();
}
END_TEST

/* The server would cut it without a word, in the middle of a character. */
START_TEST(a_tag_that_is_too_long_is_cut_and_said)
{
    char text[9001] = "";
    if (!mlflow_begin(""))
        return;
    memset(text, 'x', sizeof text - 1);
    host_name("settings");
    host = host_open("mlflow", "");
    sw_summary_text(host_profiler(host), "long", text);
    host_close_rc(host, NULL);
    json_t *state = mlflow_state();
    ck_assert_uint_eq(strlen(text_of(mlflow_run(state), "tags", "long")), 8000);
    ck_assert_ptr_nonnull(
        strstr(host_messages(host), "the value of the tag long is cut after 8000 characters"));
    json_decref(state);
    mlflow_end();
}
END_TEST

START_TEST(a_tag_that_is_refused_does_not_end_the_upload)
{
    if (!mlflow_begin("fail:1:400:set-tag"))
        return;
    host_name("settings");
    host = host_open("mlflow", "");
    sw_summary_text(host_profiler(host), "outcome", "good");
    host_metric(host, 0, "loss", 1);
    host_close_rc(host, NULL);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_str_eq(text_of(run, "info", "status"), "FINISHED");
    ck_assert_ptr_nonnull(strstr(host_messages(host), "outcome was not uploaded: "));
    json_decref(state);
    mlflow_end();
}
END_TEST

/* ---- the experiment -------------------------------------------------------------------------- */

/* 501 characters, one more than MLflow allows. */
#define TEN "abcdefghij"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define TOO_LONG HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED "k"

static const struct {
    const char *name, *id, *options, *found, *said;
} experiments[] = {
    {NULL, NULL, "", "Default", NULL},
    {"first", NULL, "", "first", NULL},
    {"first", NULL, "experiment: second\n", "second", NULL},
    {NULL, "0", "", "Default", NULL},
    {"Default", "0", "", "Default", NULL},
    {"first", "0", "", NULL, "MLFLOW_EXPERIMENT_ID 0 is the experiment \"Default\", but "},
    {TOO_LONG, NULL, "", NULL, "cannot be created (choose another name with the option"},
    {"gone", NULL, "", NULL, "the experiment \"gone\" was deleted: restore it, or set another"},
};

/* The option counts more than the variables, and a number must belong to a name that is set too. */
START_TEST(the_experiment_is_that_of_the_option_or_the_variables)
{
    if (!mlflow_begin("deleted:gone"))
        return;
    if (experiments[_i].name)
        setenv("MLFLOW_EXPERIMENT_NAME", experiments[_i].name, 1);
    if (experiments[_i].id)
        setenv("MLFLOW_EXPERIMENT_ID", experiments[_i].id, 1);
    json_t *state = state_with(experiments[_i].options);
    if (experiments[_i].found) {
        const char *id = text_of(state, "experiments", experiments[_i].found);
        ck_assert_str_eq(text_of(mlflow_run(state), "info", "experiment_id"), id);
        ck_assert_str_ne(id, "");
    } else {
        ck_assert_uint_eq(json_object_size(json_object_get(state, "runs")), 0);
        ck_assert_msg(strstr(host_messages(host), experiments[_i].said) != NULL, "%s",
                      host_messages(host));
    }
    json_decref(state);
    mlflow_end();
}
END_TEST

/* ---- headers --------------------------------------------------------------------------------- */

static const struct {
    const char *variables[3][2], *header, *expected;
} headers[] = {
    {{{"MLFLOW_TRACKING_USERNAME", "someone"}, {"MLFLOW_TRACKING_PASSWORD", "correct-horse"}},
     "Authorization",
     "Basic c29tZW9uZTpjb3JyZWN0LWhvcnNl"},
    /* These letters are in every answer, whose content must not be hidden for them. */
    {{{"MLFLOW_TRACKING_USERNAME", "u"}, {"MLFLOW_TRACKING_PASSWORD", "1"}},
     "Authorization",
     "Basic dTox"},
    {{{"MLFLOW_TRACKING_TOKEN", "t0ken"}}, "Authorization", "Bearer t0ken"},
    {{{"MLFLOW_TRACKING_USERNAME", "someone"},
      {"MLFLOW_TRACKING_PASSWORD", "correct-horse"},
      {"MLFLOW_TRACKING_TOKEN", "t0ken"}},
     "Authorization",
     "Basic c29tZW9uZTpjb3JyZWN0LWhvcnNl"},
    {{{"MLFLOW_WORKSPACE", "team"}}, "X-MLFLOW-WORKSPACE", "team"},
};

START_TEST(a_variable_becomes_a_header_of_each_request)
{
    size_t i;
    json_t *request;
    if (!mlflow_begin(""))
        return;
    for (size_t k = 0; k < 3 && headers[_i].variables[k][0]; k++)
        setenv(headers[_i].variables[k][0], headers[_i].variables[k][1], 1);
    json_t *state = state_with("");
    ck_assert_str_eq(text_of(mlflow_run(state), "info", "status"), "FINISHED");
    json_decref(state);
    json_t *requests = mlflow_requests();
    ck_assert_uint_gt(json_array_size(requests), 3);
    json_array_foreach(requests, i, request)
        ck_assert_str_eq(text_of(request, "headers", headers[_i].header), headers[_i].expected);
    json_decref(requests);
    mlflow_end();
}
END_TEST

/* ---- system metrics -------------------------------------------------------------------------- */

static int system_metrics_of(const json_t *run, const char *prefix)
{
    int count = 0;
    size_t i;
    json_t *metric;
    json_array_foreach(json_object_get(run, "metrics"), i, metric) count +=
        strncmp(json_string_value(json_array_get(metric, 0)), prefix, strlen(prefix)) == 0;
    return count;
}

static const struct {
    const char *name, *value, *options;
    const char *prefix;
    int least, most;
} machines[] = {
    {"MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING", "true", "", "system/", 7, 100},
    {"MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING", "false", "", "system/", 0, 0},
    {"MLFLOW_SYSTEM_METRICS_NODE_ID", "node_7", "", "system/node_7/", 7, 100},
    {"MLFLOW_SYSTEM_METRICS_NODE_ID", "node_7", "system: false\n", "system/", 0, 0},
};

/* The first figure of the processors may be missing: a run of a moment has no share of their time.
 */
START_TEST(system_metrics_are_on_and_follow_the_clients_variables)
{
    if (!mlflow_begin(""))
        return;
    setenv(machines[_i].name, machines[_i].value, 1);
    json_t *state = state_with(machines[_i].options);
    int count = system_metrics_of(mlflow_run(state), machines[_i].prefix);
    ck_assert_int_ge(count, machines[_i].least);
    ck_assert_int_le(count, machines[_i].most);
    json_decref(state);
    mlflow_end();
}
END_TEST

SUITE(mlflow_settings)
{
    tcase_add_test(tc, a_run_goes_on_with_the_one_that_mlflow_run_id_names);
    tcase_add_test(tc, a_program_that_fails_has_a_failed_run);
    tcase_add_test(tc, a_tag_that_is_too_long_is_cut_and_said);
    tcase_add_test(tc, a_tag_that_is_refused_does_not_end_the_upload);
    tcase_add_loop_test(tc, the_experiment_is_that_of_the_option_or_the_variables, 0,
                        sizeof experiments / sizeof *experiments);
    tcase_add_loop_test(tc, a_variable_becomes_a_header_of_each_request, 0,
                        sizeof headers / sizeof *headers);
    tcase_add_loop_test(tc, system_metrics_are_on_and_follow_the_clients_variables, 0,
                        sizeof machines / sizeof *machines);
}
