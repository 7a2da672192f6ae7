/* SPDX-License-Identifier: MIT */
/* Texts, tables, images, files, alerts, lines and values of the summary, and figures of the
 * machine, in runs of MLflow. */
#include "tests/mlflow/mlflow_server.h"
#include "tests/mlflow/rich_log.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct host *host;

/* ---- what the server has --------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *a, const char *b)
{
    const char *text = json_string_value(json_object_get(json_object_get(object, a), b));
    return text ? text : "";
}

/* A file of the run; "" if it has none of this path. */
static const char *file_of(const json_t *state, const json_t *run, const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "1/%s/artifacts/%s", text_of(run, "info", "run_id"), path);
    return text_of(state, "files", whole);
}

/* How many files have a path with these two parts. */
static int files_like(const json_t *state, const char *begin, const char *end)
{
    int count = 0;
    const char *path;
    json_t *body;
    json_object_foreach(json_object_get(state, "files"), path, body)
    {
        const char *at = strstr(path, begin), *rest = at ? strstr(at, end) : NULL;
        count += rest && strlen(rest) == strlen(end);
    }
    return count;
}

/* The value of a metric at the greatest step, of equal ones the newest, and of those of one
 * millisecond the largest: what the page shows. */
static double last_of(const json_t *run, const char *key)
{
    size_t i;
    json_t *metric;
    json_int_t step = -1, ms = -1;
    double value = -1;
    json_array_foreach(json_object_get(run, "metrics"), i, metric)
    {
        json_int_t s = json_integer_value(json_array_get(metric, 1));
        json_int_t t = json_integer_value(json_array_get(metric, 2));
        double v = json_number_value(json_array_get(metric, 3));
        if (strcmp(json_string_value(json_array_get(metric, 0)), key) != 0 || s < step ||
            (s == step && (t < ms || (t == ms && v < value))))
            continue;
        step = s;
        ms = t;
        value = v;
    }
    return value;
}

static void assert_once(const char *messages, const char *text)
{
    const char *found = strstr(messages, text);
    ck_assert_msg(found != NULL, "not said: %s\n%s", text, messages);
    ck_assert_msg(!strstr(found + 1, text), "said twice: %s", text);
}

static void assert_tables(const json_t *state, const json_t *run)
{
    ck_assert_str_eq(file_of(state, run, "worst.json"),
                     "{\"columns\":[\"id\",\"label\",\"score\"],\"data\":[[1,\"cat \\\"|\\\" "
                     "dog\",0.25],[2,null,1e-07],[1,\"cat \\\"|\\\" dog\",0.25]]}");
    ck_assert_str_eq(file_of(state, run, "worst_2.json"),
                     "{\"columns\":[\"id\",\"label\"],\"data\":[[1,\"cat \\\"|\\\" dog\"]]}");
    ck_assert_str_eq(file_of(state, run, "odd/name_ _x_-b036fa59.json"),
                     "{\"columns\":[\"id\"],\"data\":[[1],[2]]}");
    ck_assert_ptr_nonnull(strstr(file_of(state, run, "alerts.json"),
                                 ",\"warning\",\"diverged\",\"loss is \\\"9\\\"\"]]}"));
    ck_assert_str_eq(
        text_of(run, "tags", "mlflow.loggedArtifacts"),
        "[{\"path\": \"worst.json\", \"type\": \"table\"}, {\"path\": "
        "\"worst_2.json\", \"type\": \"table\"}, {\"path\": \"odd/name_ "
        "_x_-b036fa59.json\", \"type\": \"table\"}, {\"path\": \"alerts.json\", "
        "\"type\": \"table\"}, {\"path\": \"profile_report.json\", \"type\": \"table\"}]");
}

static void assert_files(const json_t *state, const json_t *run)
{
    ck_assert_int_eq(files_like(state, "artifacts/images/valid~samples _8_-", ".png"), 1);
    ck_assert_int_eq(files_like(state, "artifacts/images/valid~samples _8_-", "+compressed.webp"),
                     1);
    ck_assert_int_eq(files_like(state, "artifacts/images/grey+step+0+timestamp+", ".png"), 2);
    ck_assert_str_eq(text_of(run, "tags", "mlflow.loggedImages"), "True");
    ck_assert_str_eq(file_of(state, run, "weights/model.bin"), "second");
    ck_assert_str_eq(file_of(state, run, "files/report.md"), "the program's own");
    ck_assert_str_eq(file_of(state, run, "texts/note_1.md"), "**bold** \u00e4");
    ck_assert_ptr_nonnull(
        strstr(file_of(state, run, "histograms/histogram_1.json"),
               "{\"columns\":[\"low\",\"high\",\"count\"],\"data\":[[0.0,1.0,1],[1.0,2.0,1]"));
    ck_assert_str_eq(file_of(state, run, "output.log"), "first line\nsecond line\n");
}

static void assert_rich(void)
{
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    assert_files(state, run);
    assert_tables(state, run);
    ck_assert_double_eq(last_of(run, "best"), 0.25);
    ck_assert_str_eq(text_of(run, "tags", "outcome"), "good");
    ck_assert_str_eq(text_of(run, "info", "status"), "FINISHED");
    json_decref(state);
}

/* ---- the values ------------------------------------------------------------------------------ */

static void run_make(const char *options)
{
    host_name("rich");
    host = host_open_with("mlflow", options, "mode: simple\n");
    rich_log(host_profiler(host));
    struct sw_error err = {0};
    ck_assert_msg(host_close_rc(host, &err) == 0, "%s\n%s", sw_error_text(&err),
                  host_messages(host));
}

START_TEST(each_value_is_where_the_client_puts_it)
{
    if (!mlflow_begin(""))
        return;
    run_make("experiment: e\n");
    assert_rich();
    assert_once(host_messages(host), "MLflow has no captions of images");
    assert_once(host_messages(host), "sw_define() changes nothing there");
    assert_once(host_messages(host), "MLflow has no aliases and descriptions of files");
    mlflow_end();
}
END_TEST

START_TEST(values_of_a_run_without_a_server_are_uploaded_later)
{
    if (!mlflow_begin(""))
        return;
    run_make("experiment: e\nmode: offline\nsystem: false\n"); /* all at one time of the clock */
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_rich();
    ck_assert_int_eq(stepwatch("sync --again"), 0);
    assert_rich();
    mlflow_end();
}
END_TEST

START_TEST(a_server_that_loses_answers_has_each_value_once)
{
    if (!mlflow_begin("lose:2:/ fail:3:503:/"))
        return;
    run_make("experiment: e\n");
    assert_rich();
    mlflow_end();
}
END_TEST

SUITE(mlflow_values)
{
    tcase_add_test(tc, each_value_is_where_the_client_puts_it);
    tcase_add_test(tc, values_of_a_run_without_a_server_are_uploaded_later);
    tcase_add_test(tc, a_server_that_loses_answers_has_each_value_once);
}
