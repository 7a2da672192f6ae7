/* SPDX-License-Identifier: MIT */
/* The limits of an MLflow server, refused logins, and tracking addresses that are not servers. */
#include "sinks/mlflow/upload/tracking_server.h"
#include "tests/mlflow/mlflow_server.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct host *host;

static void host_begin(void)
{
    host_name("limits");
    host = host_open("mlflow", "");
}

static const char *param_of(json_t *state, const char *name)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(mlflow_run(state), "params"), name));
    ck_assert_msg(text != NULL, "no parameter %s", name);
    return text;
}

/* Returns a text of so many times a character, for one call. */
static const char *many(const char *character, size_t count)
{
    static char text[65536];
    size_t size = strlen(character);
    ck_assert_uint_lt(size * count, sizeof text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * size, character, size);
    text[size * count] = '\0';
    return text;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* The server would cut it without a word. It counts characters, of up to four bytes. */
START_TEST(a_parameter_has_at_most_6000_characters)
{
    if (!mlflow_begin(""))
        return;
    host_begin();
    sw_hparam_string(host_profiler(host), "whole", many("\xf0\x9f\x8d\x8a", 6000));
    sw_hparam_string(host_profiler(host), "long", many("\xc3\xa4", 6001));
    sw_hparam_string(host_profiler(host), "empty", "");
    host_close_rc(host, NULL);
    json_t *state = mlflow_state();
    ck_assert_uint_eq(strlen(param_of(state, "whole")), 4 * 6000);
    ck_assert_uint_eq(strlen(param_of(state, "long")), 2 * 6000);
    ck_assert_str_eq(param_of(state, "empty"), "");
    ck_assert_ptr_nonnull(strstr(host_messages(host), "the value of the parameter long is cut "));
    ck_assert_ptr_null(strstr(host_messages(host), "the parameter whole"));
    json_decref(state);
    mlflow_end();
}
END_TEST

/* Takes the requests with parameters. Returns how many parameters they have. */
static size_t params_of(const json_t *requests, size_t *largest)
{
    size_t i, count = 0;
    json_t *request;
    *largest = 0;
    json_array_foreach(requests, i, request)
    {
        const json_t *text = json_object_get(request, "body");
        json_t *body = json_loads(json_string_value(text), 0, NULL);
        count += json_array_size(json_object_get(body, "params"));
        *largest = json_string_length(text) > *largest ? json_string_length(text) : *largest;
        json_decref(body);
    }
    return count;
}

/* A proxy commonly refuses requests of more than 1 MB. 48 of these parameters have 899,952 bytes,
 * so that they fit, but not with what is around them. */
START_TEST(a_request_is_smaller_than_a_megabyte)
{
    char name[20];
    size_t largest;
    if (!mlflow_begin(""))
        return;
    host_begin();
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "p%02d", i);
        sw_hparam_string(host_profiler(host), name, many("\xf0\x9f\x8d\x8a", 4681));
    }
    host_close_rc(host, NULL);
    json_t *requests = mlflow_requests();
    ck_assert_uint_eq(params_of(requests, &largest), 100);
    ck_assert_uint_le(largest, 900000);
    ck_assert_uint_gt(largest, 800000);
    json_decref(requests);
    mlflow_end();
}
END_TEST

/* Batches follow one another on a connection, which libcurl would repeat without a word where it
 * breaks. */
START_TEST(a_store_of_folders_has_each_value_once)
{
    enum { VALUES = 2500 };
    if (!mlflow_begin("folders lose:2:log-batch"))
        return;
    host_begin();
    for (int i = 0; i < VALUES; i++)
        host_metric(host, i, "loss", i);
    host_close_rc(host, NULL);
    json_t *state = mlflow_state(), *metric;
    size_t i, count = 0;
    json_array_foreach(json_object_get(mlflow_run(state), "metrics"), i, metric) count +=
        strcmp(json_string_value(json_array_get(metric, 0)), "loss") == 0;
    ck_assert_uint_eq(count, VALUES);
    json_decref(state);
    mlflow_end();
}
END_TEST

/* ---- the login ------------------------------------------------------------------------------- */

static const struct {
    const char *variables[2][2], *advice;
} logins[] = {
    {{{NULL, NULL}}, "; set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or "},
    {{{"MLFLOW_TRACKING_USERNAME", "someone"}, {"MLFLOW_TRACKING_PASSWORD", "wrong-horse"}},
     "; the server does not accept MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD as set"},
    {{{"MLFLOW_TRACKING_TOKEN", "t0ken"}},
     "; the server does not accept MLFLOW_TRACKING_TOKEN; with --app-name basic-auth it expects "
     "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"},
};

START_TEST(a_login_that_is_refused_is_said_with_what_to_do)
{
    if (!mlflow_begin("fail:1:401:/"))
        return;
    for (size_t i = 0; i < 2; i++)
        if (logins[_i].variables[i][0])
            setenv(logins[_i].variables[i][0], logins[_i].variables[i][1], 1);
    host_begin();
    host_metric(host, 0, "loss", 1);
    host_close_rc(host, NULL);
    const char *said = host_messages(host);
    ck_assert_msg(strstr(said, logins[_i].advice) != NULL, "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "upload the rest with: stepwatch sync "));
    ck_assert_ptr_null(strstr(said, "horse"));
    ck_assert_ptr_null(strstr(said, "t0ken"));
    mlflow_end();
}
END_TEST

/* A page, or nothing, in place of the first answer is said at once; nothing waits for MLflow to
 * come back. */
static const char *const strangers[] = {"foreign:1:/", "empty:1:/"};

START_TEST(an_address_that_is_not_mlflow_is_said)
{
    if (!mlflow_begin(strangers[_i]))
        return;
    host_begin();
    host_metric(host, 0, "loss", 1);
    host_close_rc(host, NULL);
    const char *said = host_messages(host);
    ck_assert_ptr_nonnull(strstr(said, "answered 200, but not as MLflow does"));
    ck_assert_ptr_nonnull(strstr(said, "is the address in MLFLOW_TRACKING_URI correct?"));
    ck_assert_ptr_nonnull(strstr(said, "upload the rest with: stepwatch sync "));
    json_t *requests = mlflow_requests();
    ck_assert_uint_eq(json_array_size(requests), 1);
    json_decref(requests);
    mlflow_end();
}
END_TEST

/* ---- tracking addresses that are not servers ------------------------------------------------- */

static const char *const stores[][2] = {
    {"file:///home/me/mlruns",
     "MLFLOW_TRACKING_URI is a folder, but MLflow no longer keeps runs in folders"},
    {"./mlruns", "MLFLOW_TRACKING_URI is a folder, "},
    {"/data/mlruns", "MLFLOW_TRACKING_URI is a folder, "},
    {"sqlite:///m.db", "MLFLOW_TRACKING_URI is a database, which only `mlflow server "
                       "--backend-store-uri` can write"},
    {"postgresql+psycopg2://me:horse@h/d", "MLFLOW_TRACKING_URI is a database, "},
    {"gopher://host", "MLFLOW_TRACKING_URI is not the address of a server (http"},
    {"localhost:5000", "MLFLOW_TRACKING_URI is not the address of a server (http"},
    {"databricks://profile", "a Databricks workspace is not supported yet"},
};

static const char *variable(void *arg, const char *name)
{
    return strcmp(name, "MLFLOW_TRACKING_URI") == 0 ? arg : NULL;
}

START_TEST(a_store_without_a_server_is_named_with_what_to_do)
{
    struct swi_tracking_server server;
    struct sw_error err = {0};
    void *uri = (void *)(uintptr_t)stores[_i][0];
    ck_assert_int_eq(swi_tracking_server_find(&server, NULL, variable, uri, &err), 0);
    ck_assert_str_eq(server.base_url, "");
    ck_assert_msg(strncmp(server.why, stores[_i][1], strlen(stores[_i][1])) == 0, "%s", server.why);
    ck_assert_ptr_null(strstr(server.why, "horse"));
    swi_tracking_server_forget(&server);
}
END_TEST

START_TEST(an_option_that_is_no_server_is_found_before_the_run_and_named)
{
    static const char yaml[] = "logger_callback:\n"
                               "  - mlflow: {tracking_uri: 'localhost:5000'}\n"
                               "  - mlflow: {tracking_uri: ./mlruns, mode: offline}\n"
                               "  - mlflow: {tracking_uri: 'http://localhost:5000'}\n";
    struct swi_tracking_server server;
    struct sw_error err = {0};
    char *text = NULL, uri[] = "";
    scratch_enter();
    scratch_write("checked.yaml", yaml, strlen(yaml));
    ck_assert_int_eq(sw_config_check("checked.yaml", &text, NULL), 1);
    ck_assert_str_eq(text, "checked.yaml:2:28: sink mlflow: tracking_uri: tracking_uri is not the "
                           "address of a server (http://... or https://...)");
    free(text);
    ck_assert_int_eq(swi_tracking_server_find(&server, "./mlruns", variable, uri, &err), 0);
    ck_assert_ptr_nonnull(strstr(server.why, "the tracking URI is a folder, "));
    ck_assert_ptr_null(strstr(server.why, "MLFLOW_TRACKING_URI"));
    swi_tracking_server_forget(&server);
}
END_TEST

/* Else its values would be sent to no run and count as uploaded, or it would be created again at
 * once, without end. */
static const char *const nameless[] = {"nameless:1:runs/search", "nameless:1:runs/create"};

START_TEST(a_server_that_names_no_run_has_none)
{
    if (!mlflow_begin(nameless[_i]))
        return;
    host_begin();
    host_close_rc(host, NULL);
    ck_assert_ptr_nonnull(strstr(host_messages(host), ": the answer has no run_id: is it MLflow?"));
    ck_assert_ptr_nonnull(strstr(host_messages(host), "not all of the run was uploaded"));
    json_t *requests = mlflow_requests();
    ck_assert_uint_lt(json_array_size(requests), 4);
    json_decref(requests);
    mlflow_end();
}
END_TEST

SUITE(mlflow_limits)
{
    tcase_add_loop_test(tc, a_server_that_names_no_run_has_none, 0,
                        sizeof nameless / sizeof *nameless);
    tcase_add_test(tc, a_parameter_has_at_most_6000_characters);
    tcase_add_test(tc, a_request_is_smaller_than_a_megabyte);
    tcase_add_test(tc, a_store_of_folders_has_each_value_once);
    tcase_add_loop_test(tc, a_login_that_is_refused_is_said_with_what_to_do, 0,
                        sizeof logins / sizeof *logins);
    tcase_add_loop_test(tc, an_address_that_is_not_mlflow_is_said, 0,
                        sizeof strangers / sizeof *strangers);
    tcase_add_loop_test(tc, a_store_without_a_server_is_named_with_what_to_do, 0,
                        sizeof stores / sizeof *stores);
    tcase_add_test(tc, an_option_that_is_no_server_is_found_before_the_run_and_named);
}
