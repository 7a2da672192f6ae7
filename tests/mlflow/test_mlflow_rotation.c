/* SPDX-License-Identifier: MIT */
/* test_mlflow_rotation.c - the journal of the sink mlflow with when_full: rotate, and what its
 * upload stores. */
#include "tests/mlflow/mlflow_server.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stepwatch/values.h>

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SIZE = 60000, ROUND = 100 };
#define SHORT_ROTATE                                                                               \
    "experiment: e, system: false, interval: 0.1s, thin_after: 0, max_size: 60kB, when_full: "     \
    "rotate"
#define ROTATE                                                                                     \
    "experiment: e\nsystem: false\ninterval: 0.1s\nthin_after: 0\nmax_size: 60kB\nwhen_full: "     \
    "rotate\n"
#define SECONDS(n) (n * INT64_C(1000000000))

/* ---- the journal ----------------------------------------------------------------------------- */

static const char *journal(void)
{
    static char path[512];
    glob_t found;
    *path = '\0';
    if (glob("runs/mlflow/run-*/journal.jsonl", 0, NULL, &found) != 0)
        return path;
    snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
    globfree(&found);
    return path;
}

static int64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

/* Returns the number of lines with a text. */
static int lines_with(const char *text)
{
    static char line[65536];
    int count = 0;
    FILE *file = fopen(journal(), "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, text) && strchr(line, '\n');
    if (file)
        fclose(file);
    return count;
}

static int losses_in_journal(void)
{
    return lines_with("\"name\":\"loss\"");
}

static void losses(struct host *host, int64_t first, int64_t end)
{
    for (int64_t step = first; step < end; step++)
        host_metric(host, step, "loss", (double)step);
    ck_assert_int_eq(sw_flush(host_profiler(host), SECONDS(20)), 0);
}

/* ---- the server ------------------------------------------------------------------------------ */

/* The steps of the losses at the server: how many, and between which. */
struct at_server {
    int64_t count, first, last;
};

static struct at_server losses_at_server(void)
{
    struct at_server at = {.first = INT64_MAX, .last = -1};
    json_t *state = mlflow_state(), *metric;
    size_t i;
    if (json_object_size(json_object_get(state, "runs"))) {
        json_array_foreach(json_object_get(mlflow_run(state), "metrics"), i, metric)
        {
            int64_t step = json_integer_value(json_array_get(metric, 1));
            if (strcmp(json_string_value(json_array_get(metric, 0)), "loss") != 0)
                continue;
            at.count++;
            at.first = step < at.first ? step : at.first;
            at.last = step > at.last ? step : at.last;
        }
    }
    json_decref(state);
    return at;
}

static void await_loss(int64_t step)
{
    for (int i = 0; i < 1000 && losses_at_server().last < step; i++)
        usleep(20000);
    ck_assert_int_ge(losses_at_server().last, step);
}

static const char *of_run(const char *object, const char *name)
{
    static char text[4096];
    json_t *state = mlflow_state();
    const json_t *found = json_object_get(json_object_get(mlflow_run(state), object), name);
    snprintf(text, sizeof text, "%s", json_string_value(found) ? json_string_value(found) : "");
    json_decref(state);
    return text;
}

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(the_journal_has_the_newest_values_and_all_results)
{
    if (!mlflow_begin(""))
        return;
    struct host *host = host_open("mlflow", "mode: offline\n" ROTATE);
    sw_hparam_float(host_profiler(host), "lr", 0.5);
    sw_log_text(host_profiler(host), "plan", "what is tried");
    host_fit(host, 20);
    for (int64_t step = 20; step < 6020; step += ROUND) {
        losses(host, step, step + ROUND);
        ck_assert_int_lt(size_of(journal()), MAX_SIZE);
    }
    ck_assert_int_eq(host_close_rc(host, NULL), 0);
    ck_assert_int_lt(losses_in_journal(), 400);
    ck_assert_int_eq(lines_with("{\"type\":\"run\""), 1);
    ck_assert_int_eq(lines_with("{\"type\":\"rotated\""), 2);
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("the oldest values were removed from the journal before they were uploaded");
    struct at_server at = losses_at_server();
    ck_assert_int_eq(at.count, losses_in_journal());
    ck_assert_int_eq(at.last, 6019);
    ck_assert_int_eq(at.first, 6020 - at.count);
    ck_assert_str_eq(of_run("params", "lr"), "0.5");
    ck_assert_str_eq(of_run("info", "status"), "FINISHED");
    ck_assert_ptr_nonnull(strstr(of_run("tags", "mlflow.note.content"), "train"));
    mlflow_end();
}
END_TEST

START_TEST(an_upload_that_keeps_up_loses_nothing)
{
    enum { ALL = 1500 };
    if (!mlflow_begin(""))
        return;
    struct host *host = host_open("mlflow", ROTATE);
    for (int64_t step = 0; step < ALL; step += ROUND) {
        losses(host, step, step + ROUND);
        await_loss(step + ROUND - 1);
        ck_assert_int_lt(size_of(journal()), MAX_SIZE);
    }
    ck_assert_int_eq(host_close_rc(host, NULL), 0);
    ck_assert_int_lt(losses_in_journal(), ALL / 2);
    struct at_server at = losses_at_server();
    ck_assert_int_eq(at.count, ALL);
    ck_assert_int_eq(at.last, ALL - 1);
    ck_assert_str_eq(of_run("info", "status"), "FINISHED");
    ck_assert_ptr_null(strstr(host_messages(host), "were removed"));
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("is already uploaded");
    mlflow_end();
}
END_TEST

static void logs_for_ever(const char *options)
{
    char yaml[1000];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml,
             "profiler: {show_report: false}\n"
             "logger_callback: {mlflow: {%s, " SHORT_ROTATE "}}\n",
             options);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    for (int step = 0;; step++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", step);
        sw_end_batch(sw, 1);
        if (step % ROUND == ROUND - 1)
            sw_flush(sw, SECONDS(20));
    }
}

/* Kills it while it writes, wherever it is. */
static void run_and_kill(const char *options, bool (*ready)(void))
{
    pid_t child = fork();
    if (child == 0)
        logs_for_ever(options);
    for (int i = 0; i < 400 && !ready(); i++)
        usleep(50000);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

static bool has_rotated(void)
{
    return *journal() && lines_with("{\"type\":\"rotated\"") > 0;
}

START_TEST(a_run_that_is_killed_is_uploaded_with_its_newest_values)
{
    if (!mlflow_begin(""))
        return;
    run_and_kill("mode: offline", has_rotated);
    ck_assert_int_lt(size_of(journal()), MAX_SIZE);
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("was killed");
    struct at_server at = losses_at_server();
    ck_assert_int_gt(at.count, 0);
    ck_assert_int_eq(at.count, losses_in_journal());
    ck_assert_int_eq(at.count, at.last - at.first + 1);
    ck_assert_str_eq(of_run("info", "status"), "KILLED");
    mlflow_end();
}
END_TEST

static bool has_uploaded_and_rotated(void)
{
    return has_rotated() && losses_at_server().count > 0;
}

/* What the server has already is not stored twice, whatever was removed meanwhile. */
START_TEST(the_rest_of_a_killed_run_is_uploaded_later)
{
    if (!mlflow_begin(""))
        return;
    run_and_kill("mode: online", has_uploaded_and_rotated);
    int64_t before = losses_at_server().count;
    int in_journal = losses_in_journal();
    ck_assert_int_eq(stepwatch("sync"), 0);
    struct at_server at = losses_at_server();
    ck_assert_int_ge(at.count, before);
    ck_assert_int_le(at.count, before + in_journal);
    ck_assert_int_le(at.count, at.last + 1);
    ck_assert_int_ge(at.count, in_journal);
    ck_assert_str_eq(of_run("info", "status"), "KILLED");
    ck_assert_int_eq(stepwatch("sync --again"), 0);
    ck_assert_int_eq(losses_at_server().count, at.count);
    mlflow_end();
}
END_TEST

START_TEST(a_journal_that_cannot_be_replaced_grows_and_is_said)
{
    if (!mlflow_begin(""))
        return;
    struct host *host = host_open("mlflow", "mode: offline\n" ROTATE);
    losses(host, 0, ROUND);
    char part[600];
    snprintf(part, sizeof part, "%.*s.part-journal", (int)(strrchr(journal(), '/') + 1 - journal()),
             journal());
    ck_assert_int_eq(mkdir(part, 0700), 0);
    losses(host, ROUND, 1000);
    ck_assert_ptr_nonnull(strstr(host_messages(host), "the oldest values cannot be removed"));
    ck_assert_int_eq(losses_in_journal(), 1000);
    ck_assert_int_eq(rmdir(part), 0);
    losses(host, 1000, 2000);
    ck_assert_int_eq(host_close_rc(host, NULL), 0);
    ck_assert_int_lt(losses_in_journal(), 1000);
    ck_assert_int_eq(stepwatch("sync"), 0);
    ck_assert_int_eq(losses_at_server().last, 1999);
    ck_assert_int_eq(losses_at_server().count, losses_in_journal());
    mlflow_end();
}
END_TEST

SUITE(mlflow_rotation)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_journal_has_the_newest_values_and_all_results);
    tcase_add_test(tc, an_upload_that_keeps_up_loses_nothing);
    tcase_add_test(tc, a_run_that_is_killed_is_uploaded_with_its_newest_values);
    tcase_add_test(tc, the_rest_of_a_killed_run_is_uploaded_later);
    tcase_add_test(tc, a_journal_that_cannot_be_replaced_grows_and_is_said);
}
