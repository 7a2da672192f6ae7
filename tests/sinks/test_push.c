/* SPDX-License-Identifier: MIT */
/* The option push of the sink prometheus, against a stand-in for a Pushgateway. */
#include "sinks/prometheus/pushing.h"
#include "tests/mlflow/mlflow_server.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stepwatch/monitor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const labels[][2] = {
    {"digits", "/run/digits"},   {"a b%", "/run/a%20b%25"}, {"", "/run@base64/="},
    {"a/b", "/run@base64/YS9i"}, {"/", "/run@base64/Lw"},   {"\xc3\xa4/1", "/run@base64/w6QvMQ"},
    {".", "/run@base64/Lg"},     {"..", "/run@base64/Li4"}, {"...", "/run/..."},
};

START_TEST(a_label_is_a_part_of_the_path)
{
    struct swi_text path = {0};
    swi_push_label(&path, "run", labels[_i][0]);
    ck_assert_str_eq(path.data, labels[_i][1]);
    swi_text_free(&path);
}
END_TEST

static struct host *push_open(const char *more, const char *profiler)
{
    char options[300];
    snprintf(options, sizeof options, "push: %s\npush_interval: 100ms\n%s",
             getenv("MLFLOW_TRACKING_URI"), more);
    host_name("a/run");
    return host_open_with("prometheus", options, profiler);
}

/* The only group at the gateway, or "". */
static const char *pushed(char path[512], char *text, size_t size)
{
    json_t *state = mlflow_state(), *files = json_object_get(state, "files"), *body;
    const char *name;
    *path = *text = '\0';
    ck_assert_uint_le(json_object_size(files), 1);
    json_object_foreach(files, name, body)
    {
        snprintf(path, 512, "%s", name);
        snprintf(text, size, "%s", json_string_value(body));
    }
    json_decref(state);
    return text;
}

START_TEST(the_gateway_has_the_last_state_after_the_end)
{
    static char text[65536], path[512];
    char begin[64] = "/metrics/job/stepwatch/instance/";
    if (!mlflow_begin(""))
        return;
    struct host *host = push_open("", "");
    host_fit(host, 3);
    host_close(host);
    pushed(path, text, sizeof text);
    ck_assert_int_eq(strncmp(path, begin, strlen(begin)), 0);
    ck_assert_ptr_nonnull(strstr(path, "/run@base64/YS9ydW4/rank/0"));
    ck_assert_ptr_nonnull(
        strstr(text, "stepwatch_run_exit_status{run=\"a/run\",rank=\"0\"} 0.0\n"));
    ck_assert_ptr_nonnull(strstr(text, "phase=\"train\"} 3.0\n"));
    json_t *requests = mlflow_requests(), *first = json_array_get(requests, 0);
    ck_assert_str_eq(json_string_value(json_object_get(first, "method")), "PUT");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(first, "headers"), "Content-Type")),
        "text/plain; version=0.0.4; charset=utf-8");
    json_decref(requests);
    mlflow_end();
}
END_TEST

START_TEST(at_end_delete_deletes_the_metrics_of_a_run_that_ended_well)
{
    static char text[65536], path[512];
    if (!mlflow_begin(""))
        return;
    struct host *host = push_open("at_end: delete\n", "");
    host_fit(host, 3);
    host_close(host);
    ck_assert_str_eq(pushed(path, text, sizeof text), "");
    host = push_open("at_end: delete\n", "");
    host_fit(host, 3);
    sw_set_exit_status(host_profiler(host), 3);
    host_close(host);
    pushed(path, text, sizeof text);
    ck_assert_ptr_nonnull(
        strstr(text, "stepwatch_run_exit_status{run=\"a/run\",rank=\"0\"} 3.0\n"));
    mlflow_end();
}
END_TEST

static const struct {
    const char *fault, *said;
} refusals[] = {
    {"fail:1:400:/metrics", "answered 400 Bad Request; the gateway refuses the metrics"},
    {"fail:1:418:/metrics", "answered 418; the gateway refuses the metrics"},
    {"fail:1:429:/metrics", "answered 429 Too Many Requests; the next state is sent at its time"},
    {"fail:1:307:/metrics", "answered 307 Temporary Redirect; it redirects to another address, "
                            "where the metrics are not sent: set push to the address of"},
};

START_TEST(a_gateway_that_refuses_is_said_once)
{
    if (!mlflow_begin(refusals[_i].fault))
        return;
    struct host *host = push_open("", "");
    host_fit(host, 3);
    sw_flush(host_profiler(host), INT64_C(5000000000));
    host_close(host);
    const char *said = strstr(host_messages(host), refusals[_i].said);
    ck_assert_msg(said != NULL, "%s", host_messages(host));
    ck_assert_ptr_null(strstr(said + 1, refusals[_i].said));
    mlflow_end();
}
END_TEST

/* libcurl repeats an address that it cannot read. */
static const char *const proxies[] = {"someone:horse-battery@host:door",
                                      "someone:horse/battery@host:door"};

START_TEST(the_password_of_a_proxy_is_not_said)
{
    if (!mlflow_begin(""))
        return;
    unsetenv("no_proxy");
    setenv("http_proxy", proxies[_i], 1);
    struct host *host = push_open("", "");
    host_fit(host, 3);
    sw_flush(host_profiler(host), INT64_C(5000000000));
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "; the next state is sent at its time"));
    ck_assert_msg(!strstr(host_messages(host), "horse"), "%s", host_messages(host));
    mlflow_end();
}
END_TEST

static int hang(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    (void)state, (void)sample, (void)err;
    pause();
    return 0;
}

static const struct sw_monitor_plugin hanging = {SW_MONITOR_HEADER,
                                                 .name = "hanging",
                                                 .version = "1",
                                                 .license = "MIT",
                                                 .summary = "uses up half of close_timeout",
                                                 .sample = hang};

/* The sink is open and has all records before, which takes its time on a busy machine. */
START_TEST(a_mute_gateway_delays_the_end_no_longer_than_close_timeout)
{
    struct timespec begin, end;
    struct sw_error err = {0};
    if (!mlflow_begin("mute:1000:/metrics"))
        return;
    ck_assert_int_eq(sw_monitor_register(&hanging, NULL, &err), 0);
    host_monitor(_i ? "hanging" : "");
    struct host *host = push_open("", "close_timeout: 2s\n");
    host_fit(host, 3);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(60000000000)), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    host_close_rc(host, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    ck_assert_int_lt(end.tv_sec - begin.tv_sec, 10);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "before the last state was sent"));
    mlflow_end();
}
END_TEST

SUITE(push)
{
    tcase_add_loop_test(tc, a_label_is_a_part_of_the_path, 0, sizeof labels / sizeof *labels);
    tcase_add_test(tc, the_gateway_has_the_last_state_after_the_end);
    tcase_add_test(tc, at_end_delete_deletes_the_metrics_of_a_run_that_ended_well);
    tcase_add_loop_test(tc, a_gateway_that_refuses_is_said_once, 0,
                        sizeof refusals / sizeof *refusals);
    tcase_add_loop_test(tc, the_password_of_a_proxy_is_not_said, 0,
                        sizeof proxies / sizeof *proxies);
    tcase_add_loop_test(tc, a_mute_gateway_delays_the_end_no_longer_than_close_timeout, 0, 2);
}
