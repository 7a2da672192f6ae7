/* SPDX-License-Identifier: MIT */
/* The sink mlflow and stepwatch sync, against a server that records and fails on demand. */
#include "sinks/mlflow/upload/tracking.h"
#include "sinks/mlflow/upload/tracking_server.h"
#include "tests/mlflow/mlflow_server.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GOLDEN SRCDIR "/tests/golden/mlflow/"
#define UID "8aa6b6c8243d7ca6c47fc2ff9c912864"

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const names[][2] = {
    {"train/loss", "train/loss"},
    {"loss(train)", "loss_train_-68f7b682"},
    {"a//b", "a/b-206f76be"},
    {"\xc3\xa4", "\xc3\xa4"},
    {"gpu:0/util", "gpu:0/util"},
    {"\xf0\x9f\x94\xa5", "_-e2fc2e0f"},
    {"a\xe2\x80\x93"
     "b",
     "a_b-06e3e27e"},
    {"\\xff", "_-ff000000"},
    {"note \"x\"\n2", "note _x__2-453d344d"},
    {"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac"},
    {"..a", "__a-fc20ea1a"},
    {"../a", "__/a-7bd30558"},
    {"a/./b", "a/b-1952457b"},
};

START_TEST(a_name_becomes_a_key_that_the_server_takes)
{
    struct swi_tracking_keys keys = {0};
    ck_assert_str_eq(swi_tracking_key(&keys, names[_i][0]), names[_i][1]);
    ck_assert_str_eq(swi_tracking_key(&keys, names[_i][0]), names[_i][1]);
    swi_tracking_keys_free(&keys);
}
END_TEST

START_TEST(no_two_names_share_a_key)
{
    struct swi_tracking_keys keys = {0};
    char longer[400];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const char *odd = swi_tracking_key(&keys, "loss(train)");
    ck_assert_str_ne(swi_tracking_key(&keys, "loss_train_-68f7b682"), odd);
    ck_assert_uint_eq(strlen(swi_tracking_key(&keys, longer)), 250);
    ck_assert_str_eq(swi_tracking_key(&keys, "loss(train)"), odd);
    swi_tracking_keys_free(&keys);
}
END_TEST

/* ---- the golden requests --------------------------------------------------------------------- */

/* The body as JSON, where it is, with this server's ids in place of the recorded ones. */
static json_t *comparable(const json_t *request, const char *run, const char *experiment)
{
    char *body = strdup(json_string_value(json_object_get(request, "body"))), *at;
    char *path = strdup(json_string_value(json_object_get(request, "path")));
    while ((at = strstr(body, run)) || (at = strstr(path, run)))
        memcpy(at, "RUN-RUN-RUN-RUN-RUN-RUN-RUN-RUN-", 32);
    if ((at = strstr(path, experiment)))
        at[1] = 'E';
    json_t *json = json_loads(body, 0, NULL);
    if (json_object_get(json, "experiment_id"))
        json_object_set_new(json, "experiment_id", json_string("E"));
    if (json_object_get(json, "experiment_ids"))
        json_object_set_new(json, "experiment_ids", json_string("E"));
    json_t *whole = json_pack("[s,s,o]", json_string_value(json_object_get(request, "method")),
                              path, json ? json : json_string(body));
    free(body);
    free(path);
    return whole;
}

/* 1 and 1.0 are the same number. */
static void assert_alike(const json_t *found, const json_t *expected, const char *where)
{
    const char *name;
    json_t *value;
    size_t i;
    if (json_is_number(found) && json_is_number(expected)) {
        ck_assert_msg(json_number_value(found) == json_number_value(expected), "%s", where);
        return;
    }
    ck_assert_msg(json_typeof(found) == json_typeof(expected), "%s", where);
    if (json_is_object(expected)) {
        ck_assert_msg(json_object_size(found) == json_object_size(expected), "%s", where);
        json_object_foreach((json_t *)expected, name, value)
            assert_alike(json_object_get(found, name), value, name);
    } else if (json_is_array(expected)) {
        ck_assert_msg(json_array_size(found) == json_array_size(expected), "%s", where);
        json_array_foreach(expected, i, value) assert_alike(json_array_get(found, i), value, where);
    } else {
        ck_assert_msg(json_equal(found, expected), "%s", where);
    }
}

static const char *golden_journal(void)
{
    size_t size;
    char path[256], *text;
    scratch_copy(GOLDEN "run.jsonl", "golden.jsonl");
    text = scratch_read("golden.jsonl", &size);
    const char *folder = mlflow_journal(UID, text);
    free(text);
    snprintf(path, sizeof path, "%s/report.md", folder);
    scratch_write(path, "# report\n", 9);
    return folder;
}

START_TEST(the_golden_journal_makes_the_golden_requests)
{
    static const char recorded_run[] = "c27c6b4371754da59142660611c8b375";
    if (!mlflow_begin(""))
        return;
    golden_journal();
    setenv("MLFLOW_EXPERIMENT_NAME", "golden", 1);
    ck_assert_int_eq(stepwatch("sync ."), 0);
    json_t *state = mlflow_state(), *requests = mlflow_requests(), *golden,
           *expected = json_array();
    const char *run =
        json_string_value(json_object_get(json_object_get(mlflow_run(state), "info"), "run_id"));
    FILE *file = fopen(GOLDEN "sink.jsonl", "r");
    while ((golden = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)))
        json_array_append_new(expected, golden);
    fclose(file);
    ck_assert_uint_eq(json_array_size(requests), json_array_size(expected));
    for (size_t i = 0; i < json_array_size(expected); i++) {
        json_t *a = comparable(json_array_get(requests, i), run, "/1/");
        json_t *b = comparable(json_array_get(expected, i), recorded_run, "/7/");
        assert_alike(a, b, json_string_value(json_array_get(b, 1)));
        json_decref(a);
        json_decref(b);
    }
    json_decref(expected);
    json_decref(requests);
    json_decref(state);
    mlflow_end();
}
END_TEST

/* ---- a run ----------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *a, const char *b)
{
    const json_t *found = json_object_get(object, a);
    const char *text = json_string_value(b ? json_object_get(found, b) : found);
    return text ? text : "";
}

/* The only folder of a run, in the default place. */
static const char *run_folder(void)
{
    static char path[512];
    glob_t found;
    ck_assert_int_eq(glob("runs/mlflow/run-*", 0, NULL, &found), 0);
    ck_assert_uint_eq(found.gl_pathc, 1);
    snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
    globfree(&found);
    return path;
}

static int64_t count_of(const json_t *run, const char *key)
{
    int64_t count = 0;
    size_t i;
    json_t *metric;
    json_array_foreach(json_object_get(run, "metrics"), i, metric) count +=
        strcmp(json_string_value(json_array_get(metric, 0)), key) == 0;
    return count;
}

static struct host *host;

/* A run as a program makes one: parameters, a fit, values. */
static int run_make(const char *options, int values)
{
    host_name("digits");
    host = host_open("mlflow", options);
    sw_hparam_float(host_profiler(host), "lr", 0.001);
    sw_hparam_int(host_profiler(host), "epochs", 3);
    host_fit(host, 3);
    for (int step = 0; step < values; step++)
        host_metric(host, 3 + step, "loss", 1.0 / (step + 1));
    host_metric(host, 3 + values, "odd(name)", NAN);
    struct sw_error err = {0};
    int rc = host_close_rc(host, &err);
    ck_assert_msg(rc == 0, "%s\n%s", sw_error_text(&err), host_messages(host));
    return rc;
}

static void assert_whole(const json_t *run, int values)
{
    ck_assert_str_eq(text_of(run, "info", "status"), "FINISHED");
    ck_assert_str_eq(text_of(run, "info", "run_name"), "digits");
    ck_assert_str_eq(text_of(run, "params", "lr"), "0.001");
    ck_assert_str_eq(text_of(run, "params", "epochs"), "3");
    ck_assert_int_eq(count_of(run, "loss"), values);
    ck_assert_int_eq(count_of(run, "odd_name_-1adb1d80"), 1);
    ck_assert_int_ge(count_of(run, "train/step_duration"), 1);
    /* Each action that the fit called has a row in its report, as train and valid have theirs. */
    ck_assert_int_eq(count_of(run, "fit/epoch_duration"), 1);
    ck_assert_int_eq(count_of(run, "fit/train_duration"), 1);
    ck_assert_int_eq(count_of(run, "fit/train_throughput"), 1);
    ck_assert_int_eq(count_of(run, "fit/valid_duration"), 1);
    ck_assert_int_eq(count_of(run, "fit/duration"), 2); /* the values came in a fit of their own */
    ck_assert_int_eq(count_of(run, "fit/fit_duration"), 0);
    ck_assert_str_eq(text_of(run, "tags", "mlflow.user"), "me");
    ck_assert_str_eq(text_of(run, "tags", "team"), "vision");
    ck_assert_ptr_nonnull(strstr(text_of(run, "tags", "mlflow.note.content"), "train"));
}

static void assert_files(const json_t *state, const json_t *run)
{
    char path[256];
    snprintf(path, sizeof path, "1/%s/artifacts/report.md", text_of(run, "info", "run_id"));
    ck_assert_ptr_nonnull(strstr(text_of(state, "files", path), "| "));
    snprintf(path, sizeof path, "1/%s/artifacts/profile_report.json",
             text_of(run, "info", "run_id"));
    ck_assert_ptr_nonnull(strstr(text_of(state, "files", path), "{\"columns\":[\"phase\""));
}

#define OPTIONS "experiment: e\ntags: {team: vision}\n"

START_TEST(a_run_is_uploaded_while_it_is_written)
{
    if (!mlflow_begin(""))
        return;
    ck_assert_int_eq(run_make(OPTIONS, 1500), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    assert_whole(run, 1500);
    assert_files(state, run);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "the run's page is http://127.0.0.1:"));
    json_decref(state);
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("is already uploaded");
    mlflow_end();
}
END_TEST

/* Of any script, as far as the server takes them: [1] is an old one, or on Windows. */
static const char *const servers[][4] = {
    {"", "\xe6\x8d\x9f\xe5\xa4\xb1/pr\xc3\xa9", "gpu:0/util", "f\xc3\xbc"},
    {"plain", "__/pr_-3b94f048", "gpu_0/util-70780385", "f_-911b15aa"},
};

START_TEST(names_arrive_as_the_server_takes_them)
{
    if (!mlflow_begin(servers[_i][0]))
        return;
    host_name("names");
    host = host_open("mlflow", "experiment: e\ntags: {\"f\xc3\xbc\": x}\n");
    sw_hparam_int(host_profiler(host), servers[0][2], 1);
    for (int step = 0; step < 3; step++) {
        host_metric(host, step, servers[0][1], step);
        host_metric(host, step, servers[0][2], step);
        host_metric(host, step, "plain", step);
    }
    ck_assert_int_eq(host_close_rc(host, NULL), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_eq(count_of(run, "plain"), 3);
    ck_assert_int_eq(count_of(run, servers[_i][1]), 3);
    ck_assert_int_eq(count_of(run, servers[_i][2]), 3);
    ck_assert_str_eq(text_of(run, "params", servers[_i][2]), "1");
    ck_assert_str_eq(text_of(run, "tags", servers[_i][3]), "x");
    ck_assert_ptr_null(strstr(host_messages(host), "was not uploaded"));
    json_decref(state);
    mlflow_end();
}
END_TEST

/* What the server has of a metric at a step. */
static double value_at(const json_t *run, const char *key, json_int_t step)
{
    size_t i;
    json_t *metric;
    json_array_foreach(json_object_get(run, "metrics"), i, metric)
    {
        if (strcmp(json_string_value(json_array_get(metric, 0)), key) == 0 &&
            json_integer_value(json_array_get(metric, 1)) == step)
            return json_number_value(json_array_get(metric, 3));
    }
    return NAN;
}

START_TEST(a_point_of_several_steps_has_its_limits_beside_it)
{
    if (!mlflow_begin(""))
        return;
    host = host_open("mlflow", "experiment: e\nevery: 10\n");
    for (int step = 0; step < 20; step++)
        host_metric(host, step, "loss", step);
    ck_assert_int_eq(host_close_rc(host, NULL), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_eq(count_of(run, "loss"), 2);
    ck_assert_double_eq(value_at(run, "loss", 19), 14.5);
    ck_assert_double_eq(value_at(run, "loss/min", 19), 10);
    ck_assert_double_eq(value_at(run, "loss/max", 19), 19);
    ck_assert_double_eq(value_at(run, "loss/count", 19), 10);
    json_decref(state);
    mlflow_end();
}
END_TEST

START_TEST(a_full_run_gets_no_more_values)
{
    if (!mlflow_begin(""))
        return;
    host = host_open("mlflow", "experiment: e\nmax_size: 20kB\nwhen_full: stop\nsystem: false\n");
    for (int step = 0; step < 1000; step++)
        host_metric(host, step, "loss", step);
    ck_assert_int_eq(host_close_rc(host, NULL), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_gt(count_of(run, "loss"), 50);
    ck_assert_int_lt(count_of(run, "loss"), 300);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "max_size is reached at step "));
    json_decref(state);
    mlflow_end();
}
END_TEST

START_TEST(a_run_without_a_server_is_uploaded_whole_later)
{
    if (!mlflow_begin(""))
        return;
    char *uri = strdup(getenv("MLFLOW_TRACKING_URI"));
    unsetenv("MLFLOW_TRACKING_URI");
    ck_assert_int_eq(run_make(OPTIONS, 20), 0);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "stepwatch sync"));
    ck_assert_int_eq(stepwatch("sync --dry-run"), 0);
    assert_printed(" values, 0 files, exit status 0");
    ck_assert_int_eq(stepwatch("sync"), 1);
    assert_printed("MLFLOW_TRACKING_URI is not set: set it to the address of your MLflow server");
    setenv("MLFLOW_TRACKING_URI", uri, 1);
    ck_assert_int_eq(stepwatch("sync"), 0);
    ck_assert_int_eq(stepwatch("sync --again"), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    assert_whole(run, 20);
    assert_files(state, run);
    json_decref(state);
    free(uri);
    mlflow_end();
}
END_TEST

START_TEST(samples_of_monitors_are_system_metrics)
{
    struct sw_error err = {0};
    if (!mlflow_begin(""))
        return;
    struct sw_profiler *sw =
        sw_open_text("profiler: {show_report: false}\nmonitors: { interval: 100ms, system: }\n"
                     "logger_callback: {mlflow: }\n",
                     &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    usleep(300000);
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_gt(count_of(run, "system/system_memory_usage_percentage"), 0);
    ck_assert_int_gt(count_of(run, "system/system_memory_usage_megabytes"), 0);
    ck_assert_int_eq(count_of(run, "system/memory_percent"), 0);
    json_decref(state);
    mlflow_end();
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

static const char *const faults[] = {
    "fail:2:503:/",     "fail:3:500:/", "lose:2:log-batch", "lose:1:runs/create",
    "fail:2:429:runs/", "foreign:2:/",  "cut:2:/"};

START_TEST(a_server_that_fails_loses_and_doubles_nothing)
{
    if (!mlflow_begin(faults[_i]))
        return;
    ck_assert_int_eq(run_make(OPTIONS, 1200), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    assert_whole(run, 1200);
    json_decref(state);
    mlflow_end();
}
END_TEST

START_TEST(what_the_server_refuses_is_skipped_alone_and_said)
{
    if (!mlflow_begin("refuse:odd_name_-1adb1d80"))
        return;
    ck_assert_int_eq(run_make(OPTIONS, 30), 0);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "odd(name) was not uploaded: "));
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_eq(count_of(run, "loss"), 30);
    ck_assert_int_eq(count_of(run, "odd_name_-1adb1d80"), 0);
    ck_assert_str_eq(text_of(run, "info", "status"), "FINISHED");
    json_decref(state);
    mlflow_end();
}
END_TEST

START_TEST(a_server_that_keeps_no_files_gets_the_rest)
{
    if (!mlflow_begin("files:nowhere"))
        return;
    ck_assert_int_eq(run_make(OPTIONS, 3), 0);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "so the files of the run stay in "));
    json_t *state = mlflow_state();
    assert_whole(mlflow_run(state), 3);
    json_decref(state);
    mlflow_end();
}
END_TEST

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

START_TEST(a_mute_server_delays_the_end_no_longer_than_close_timeout)
{
    if (!mlflow_begin("mute:1:/"))
        return;
    host = host_open_with("mlflow", "experiment: e\n", "close_timeout: 1s\n");
    host_metric(host, 0, "loss", 1);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(60000000000)), 0);
    double begin_s = now_s();
    host_close_rc(host, NULL);
    ck_assert_double_lt(now_s() - begin_s, 10);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "upload the rest with: stepwatch sync "));
    ck_assert_int_eq(stepwatch("sync"), 0);
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_eq(count_of(run, "loss"), 1);
    ck_assert_str_eq(text_of(run, "info", "status"), "FINISHED");
    json_decref(state);
    mlflow_end();
}
END_TEST

static void logs_for_ever(void)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = sw_open_text("profiler: {show_report: false}\n"
                                          "logger_callback: {mlflow: {mode: offline}}\n",
                                          &err);
    int step = 0;
    while (sw) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", step++);
        usleep(500);
        sw_end_batch(sw, 1);
    }
    _exit(1);
}

/* How many values the journal has: whole lines only. */
static int values_in(const char *folder)
{
    size_t size;
    int count = 0;
    char path[600];
    snprintf(path, sizeof path, "%s/journal.jsonl", folder);
    char *text = scratch_read(path, &size);
    for (char *at = text; (at = strstr(at, "\"name\":\"loss\"")); at++)
        count += strchr(at, '\n') != NULL;
    free(text);
    return count;
}

static bool has_values(void)
{
    glob_t found;
    bool one = glob("runs/mlflow/run-*/journal.jsonl", 0, NULL, &found) == 0;
    if (one)
        globfree(&found);
    return one && values_in(run_folder()) > 0;
}

START_TEST(a_killed_run_is_uploaded_with_all_that_was_written)
{
    if (!mlflow_begin(""))
        return;
    pid_t child = fork();
    if (child == 0)
        logs_for_ever();
    for (int i = 0; i < 1000 && !has_values(); i++)
        usleep(20000);
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("its program is still writing it");
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("was killed");
    json_t *state = mlflow_state(), *run = mlflow_run(state);
    ck_assert_int_eq(count_of(run, "loss"), values_in(run_folder()));
    ck_assert_str_eq(text_of(run, "info", "status"), "KILLED");
    json_decref(state);
    mlflow_end();
}
END_TEST

/* A folder was copied while its program was still writing, and again later. */
START_TEST(the_rest_of_a_journal_is_uploaded_when_it_comes)
{
    size_t size;
    char path[256];
    if (!mlflow_begin(""))
        return;
    scratch_copy(GOLDEN "run.jsonl", "golden.jsonl");
    char *text = scratch_read("golden.jsonl", &size);
    snprintf(path, sizeof path, "%s/journal.jsonl", mlflow_journal(UID, text));
    scratch_write(path, text, size / 2);
    ck_assert_int_eq(stepwatch("sync mlflow"), 0);
    assert_printed("was killed");
    scratch_write(path, text, size);
    ck_assert_int_eq(stepwatch("sync mlflow"), 0);
    assert_printed("exit status 0");
    ck_assert_int_eq(stepwatch("sync mlflow"), 0);
    assert_printed("is already uploaded");
    free(text);
    mlflow_end();
}
END_TEST

/* ---- the login ------------------------------------------------------------------------------- */

START_TEST(the_password_is_sent_to_the_server_and_nowhere_else)
{
    char uri[128];
    if (!mlflow_begin(""))
        return;
    snprintf(uri, sizeof uri, "http://someone:correct-horse@%s",
             getenv("MLFLOW_TRACKING_URI") + strlen("http://"));
    setenv("MLFLOW_TRACKING_URI", uri, 1);
    ck_assert_int_eq(run_make(OPTIONS, 3), 0);
    json_t *requests = mlflow_requests();
    ck_assert_str_eq(text_of(json_array_get(requests, 0), "headers", "Authorization"),
                     "Basic c29tZW9uZTpjb3JyZWN0LWhvcnNl");
    ck_assert_ptr_null(strstr(host_messages(host), "correct-horse"));
    ck_assert_int_ne(system("grep -rqs correct-horse runs"), 0);
    json_decref(requests);
    mlflow_end();
}
END_TEST

struct variables {
    const char *const (*pairs)[2];
};

static const char *variable(void *arg, const char *name)
{
    const struct variables *variables = arg;
    for (const char *const(*pair)[2] = variables->pairs; (*pair)[0]; pair++)
        if (strcmp((*pair)[0], name) == 0)
            return (*pair)[1];
    return NULL;
}

static int found(struct swi_tracking_server *server, const char *const (*pairs)[2],
                 struct sw_error *err)
{
    struct variables variables = {pairs};
    return swi_tracking_server_find(server, NULL, variable, &variables, err);
}

START_TEST(a_user_and_a_password_are_preferred_to_a_token)
{
    static const char *const pairs[][2] = {{"MLFLOW_TRACKING_URI", "https://host/base/"},
                                           {"MLFLOW_TRACKING_USERNAME", "u"},
                                           {"MLFLOW_TRACKING_PASSWORD", "p"},
                                           {"MLFLOW_TRACKING_TOKEN", "t"},
                                           {NULL, NULL}};
    struct swi_tracking_server server;
    struct sw_error err = {0};
    ck_assert_int_eq(found(&server, pairs, &err), 0);
    ck_assert_str_eq(server.base_url, "https://host/base");
    ck_assert_str_eq(server.login->user, "u");
    ck_assert_str_eq(server.login->token, "");
    ck_assert(!server.open);
    swi_tracking_server_forget(&server);
}
END_TEST

START_TEST(a_file_of_credentials_that_others_may_read_is_refused)
{
    struct swi_tracking_server server;
    struct sw_error err = {0};
    scratch_enter();
    const char *const pairs[][2] = {
        {"MLFLOW_TRACKING_URI", "http://other"}, {"HOME", scratch_path("")}, {NULL, NULL}};
    /* As Python's configparser writes and reads it. */
    static const char text[] = "[DEFAULT]\nmlflow_tracking_username = u\n[mlflow]\n"
                               "mlflow_tracking_password: 50%% p\n";
    ck_assert_int_eq(mkdir(".mlflow", 0700), 0);
    scratch_write(".mlflow/credentials", text, strlen(text));
    ck_assert_int_lt(found(&server, pairs, &err), 0);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "others may read it"));
    sw_error_free(&err);
    swi_tracking_server_forget(&server);
    ck_assert_int_eq(chmod(".mlflow/credentials", 0600), 0);
    ck_assert_int_eq(found(&server, pairs, &err), 0);
    ck_assert_str_eq(server.login->user, "u");
    ck_assert_str_eq(server.login->password, "50% p");
    ck_assert(server.open);
    swi_tracking_server_forget(&server);
}
END_TEST

static const struct {
    const char *pairs[4][2], *expected;
} wrong[] = {
    {{{"MLFLOW_TRACKING_URI", "https://h"},
      {"MLFLOW_TRACKING_INSECURE_TLS", "true"},
      {"MLFLOW_TRACKING_SERVER_CERT_PATH", "/c"}},
     "are both set"},
    {{{"MLFLOW_TRACKING_URI", "https://h"}, {"MLFLOW_HTTP_REQUEST_TIMEOUT", "soon"}},
     "MLFLOW_HTTP_REQUEST_TIMEOUT \"soon\": expected a number of seconds"},
};

START_TEST(settings_that_contradict_each_other_are_refused)
{
    struct swi_tracking_server server;
    struct sw_error err = {0};
    ck_assert_int_lt(found(&server, wrong[_i].pairs, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), wrong[_i].expected) != NULL, "%s",
                  sw_error_text(&err));
    sw_error_free(&err);
    swi_tracking_server_forget(&server);
}
END_TEST

static const char *const nowhere[] = {"sqlite:///m.db", "./mlruns", "databricks"};

START_TEST(what_is_not_a_server_is_no_mistake_but_not_uploaded)
{
    const char *const pairs[][2] = {{"MLFLOW_TRACKING_URI", nowhere[_i]}, {NULL, NULL}};
    struct swi_tracking_server server;
    struct sw_error err = {0};
    ck_assert_int_eq(found(&server, pairs, &err), 0);
    ck_assert_str_eq(server.base_url, "");
    ck_assert_str_ne(server.why, "");
    swi_tracking_server_forget(&server);
}
END_TEST

SUITE(mlflow)
{
    tcase_add_loop_test(tc, a_name_becomes_a_key_that_the_server_takes, 0,
                        sizeof names / sizeof *names);
    tcase_add_test(tc, no_two_names_share_a_key);
    tcase_add_test(tc, the_golden_journal_makes_the_golden_requests);
    tcase_add_test(tc, a_run_is_uploaded_while_it_is_written);
    tcase_add_loop_test(tc, names_arrive_as_the_server_takes_them, 0, 2);
    tcase_add_test(tc, a_point_of_several_steps_has_its_limits_beside_it);
    tcase_add_test(tc, a_full_run_gets_no_more_values);
    tcase_add_test(tc, a_run_without_a_server_is_uploaded_whole_later);
    tcase_add_loop_test(tc, a_server_that_fails_loses_and_doubles_nothing, 0,
                        sizeof faults / sizeof *faults);
    tcase_add_test(tc, samples_of_monitors_are_system_metrics);
    tcase_add_test(tc, what_the_server_refuses_is_skipped_alone_and_said);
    tcase_add_test(tc, a_server_that_keeps_no_files_gets_the_rest);
    tcase_add_test(tc, a_mute_server_delays_the_end_no_longer_than_close_timeout);
    tcase_add_test(tc, a_killed_run_is_uploaded_with_all_that_was_written);
    tcase_add_test(tc, the_rest_of_a_journal_is_uploaded_when_it_comes);
    tcase_add_test(tc, the_password_is_sent_to_the_server_and_nowhere_else);
    tcase_add_test(tc, a_user_and_a_password_are_preferred_to_a_token);
    tcase_add_test(tc, a_file_of_credentials_that_others_may_read_is_refused);
    tcase_add_loop_test(tc, settings_that_contradict_each_other_are_refused, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_loop_test(tc, what_is_not_a_server_is_no_mistake_but_not_uploaded, 0,
                        sizeof nowhere / sizeof *nowhere);
}
