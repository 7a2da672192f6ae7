/* SPDX-License-Identifier: MIT */
/* test_sync.c - stepwatch sync as a user calls it, against the stand-in for wandb's service. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/service.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"
#include "tests/wandb/written.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char key[] = "SECRET0123456789SECRET0123456789SECRET01";

/* Nothing of whoever runs the tests. */
static void alone(void)
{
    static const char *const names[] = {"WANDB_MODE",    "WANDB_DIR",     "WANDB_RUN_ID",
                                        "WANDB_PROJECT", "WANDB_ENTITY",  "RANK",
                                        "WANDB_API_KEY", "WANDB_BASE_URL"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("NETRC", "/nonexistent", 1);
    setenv("no_proxy", "*", 1);
}

/* Two runs below ./wandb: abc with 25 rows, killed with 7. */
static void runs_make(void)
{
    static const struct written whole = {.id = "abc", .rows = 25, .wall_s = 1795255200};
    static const struct written torn = {
        .id = "killed", .rows = 7, .wall_s = 1795255300, .torn = true};
    alone();
    scratch_enter();
    ck_assert_int_eq(mkdir("wandb", 0700), 0);
    written_make("wandb/offline-run-20261121_100000-abc", &whole);
    written_make("wandb/offline-run-20261121_100140-killed", &torn);
    ck_assert_int_eq(symlink("offline-run-20261121_100140-killed", "wandb/latest-run"), 0);
}

/* False if no server can be started. */
static struct service *service_begin(void)
{
    struct service *service = service_open("");
    if (service) {
        setenv("WANDB_BASE_URL", service_url(service), 1);
        setenv("WANDB_API_KEY", key, 1);
    }
    return service;
}

static json_t *run_of(json_t *state, const char *id)
{
    const char *name;
    json_t *run;
    json_object_foreach(json_object_get(state, "runs"), name, run)
    {
        if (strcmp(name, id) == 0 || (strrchr(name, '/') && !strcmp(strrchr(name, '/') + 1, id)))
            return run;
    }
    return NULL;
}

/* How many rows the service has of a run; the test fails where one of them was written twice. */
static int rows(struct service *service, const char *id)
{
    json_t *state = service_state(service), *run = run_of(state, id);
    int count =
        (int)json_array_size(json_object_get(json_object_get(run, "lines"), "wandb-history.jsonl"));
    ck_assert_uint_eq(json_array_size(json_object_get(run, "rewritten")), 0);
    json_decref(state);
    return count;
}

/* ---- without a service ----------------------------------------------------------------------- */

START_TEST(a_dry_run_says_what_there_is_and_needs_no_key)
{
    runs_make();
    ck_assert_int_eq(stepwatch("sync --dry-run"), 0);
    assert_printed("wandb/offline-run-20261121_100000-abc/run-abc.wandb: run abc, 25 rows, ");
    assert_printed(", exit status 0\n");
    assert_printed("run killed, 7 rows, ");
    assert_printed(", was killed\n");
    assert_not_printed("latest-run");
    ck_assert(!host_has("wandb/offline-run-20261121_100000-abc/run-abc.wandb.synced"));
}
END_TEST

static const char *const places[] = {".", "wandb", "wandb/latest-run",
                                     "wandb/offline-run-20261121_100140-killed/",
                                     "wandb/offline-run-20261121_100140-killed/run-killed.wandb"};

START_TEST(a_run_is_found_by_each_of_its_places)
{
    char line[128];
    runs_make();
    snprintf(line, sizeof line, "sync --dry-run %s", places[_i]);
    ck_assert_int_eq(stepwatch(line), 0);
    assert_printed("run killed, 7 rows, ");
}
END_TEST

START_TEST(without_a_path_it_looks_where_the_sink_writes)
{
    runs_make();
    setenv("WANDB_DIR", scratch_path(""), 1);
    ck_assert_int_eq(chdir("wandb"), 0);
    ck_assert_int_eq(stepwatch("sync --dry-run"), 0);
    assert_printed("run killed, 7 rows, ");
    unsetenv("WANDB_DIR");
    ck_assert_int_eq(stepwatch("sync --dry-run"), 1);
    assert_printed(
        "found no runs in runs/mlflow, and no folder wandb: name the run, or the folder of runs, "
        "to upload");
    ck_assert_int_eq(chdir(".."), 0);
}
END_TEST

static const struct {
    const char *arguments;
    int status;
    const char *message;
} mistakes[] = {{"sync nowhere", 1, "nowhere: No such file or directory"},
                {"sync wandb/offline-run-20261121_100000-abc/files", 1, "contains no run of wandb"},
                {"sync --dry-run Makefile", 1, "is not a .wandb file"},
                {"sync --run-id x", 2, "--run-id is for one run, but there are 2"},
                {"sync --timeout soon", 2, "--timeout soon: expected a number of seconds"},
                {"sync --timeout 0", 2, "expected a number of seconds"},
                {"sync --wrong", 2, "unknown option --wrong"},
                {"sync wandb/latest-run", 1, "WANDB_API_KEY"}};

START_TEST(a_mistake_is_reported)
{
    runs_make();
    file_write("Makefile", "all:\n");
    ck_assert_int_eq(stepwatch(mistakes[_i].arguments), mistakes[_i].status);
    assert_printed(mistakes[_i].message);
}
END_TEST

/* ---- with one -------------------------------------------------------------------------------- */

START_TEST(each_run_is_uploaded_once_and_its_page_is_printed)
{
    char page[256];
    runs_make();
    struct service *service = service_begin();
    if (!service)
        return;
    ck_assert_int_eq(stepwatch("sync"), 0);
    snprintf(page, sizeof page, "%s/fake-entity/demo/runs/abc, 25 rows (25 new), ",
             service_url(service));
    assert_printed(page);
    assert_printed("/runs/killed, 7 rows (7 new), ");
    assert_not_printed("SECRET");
    ck_assert_int_eq(rows(service, "abc"), 25);
    ck_assert_int_eq(rows(service, "killed"), 7);
    ck_assert(host_has("wandb/offline-run-20261121_100000-abc/run-abc.wandb.synced"));
    int requests = service_count(service, "any");
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("run-abc.wandb: is already uploaded; --again uploads what is missing\n");
    ck_assert_int_eq(service_count(service, "any"), requests);
    ck_assert_int_eq(stepwatch("sync --again"), 0);
    assert_printed("/runs/abc, 25 rows (0 new), ");
    ck_assert_int_eq(rows(service, "abc"), 25);
    ck_assert_int_eq(rows(service, "killed"), 7);
    service_close(service);
}
END_TEST

START_TEST(what_was_done_is_json_too)
{
    runs_make();
    struct service *service = service_begin();
    if (!service)
        return;
    ck_assert_int_eq(stepwatch("sync --json 2>/dev/null"), 0);
    json_t *json = json_loads(command_output(), 0, NULL);
    json_t *one = json_array_get(json_object_get(json, "runs"), 0);
    json_t *two = json_array_get(json_object_get(json, "runs"), 1);
    ck_assert_msg(two != NULL, "%s", command_output());
    ck_assert_str_eq(json_string_value(json_object_get(one, "id")), "abc");
    ck_assert_str_eq(json_string_value(json_object_get(one, "state")), "finished");
    ck_assert_int_eq(json_integer_value(json_object_get(one, "rows_sent")), 25);
    ck_assert_str_eq(json_string_value(json_object_get(two, "state")), "killed");
    ck_assert_ptr_null(json_object_get(two, "error"));
    json_decref(json);
    service_close(service);
}
END_TEST

START_TEST(a_refused_run_is_an_error_and_the_next_one_is_tried)
{
    runs_make();
    struct service *service = service_begin();
    if (!service)
        return;
    service_say(service, "fault 403 on=UpsertBucket times=1");
    ck_assert_int_eq(stepwatch("sync"), 1);
    assert_printed("403");
    assert_printed("/runs/killed, 7 rows (7 new), ");
    ck_assert_int_eq(stepwatch("sync --json wandb/offline-run-20261121_100000-abc"), 0);
    assert_printed("\"state\": \"finished\"");
    service_close(service);
}
END_TEST

/* ---- while the program runs ------------------------------------------------------------------ */

START_TEST(a_run_that_is_still_written_is_left_alone_until_it_is_asked_for)
{
    alone();
    struct host *host = host_open("wandb", "run_id: live\nproject: demo\nmode: offline\n");
    for (int i = 0; i < 5; i++)
        host_metric(host, i, "loss", i);
    ck_assert_int_eq(sw_flush(host_profiler(host), 60000000000), 0);
    struct service *service = service_begin();
    if (!service)
        return;
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed("its program is still writing it; --include-live uploads what exists so far\n");
    ck_assert_int_eq(service_count(service, "any"), 0);
    ck_assert_int_eq(stepwatch("sync --include-live"), 0);
    assert_printed("/runs/live, ");
    assert_printed(", still running\n");
    /* The last row may still get values. */
    ck_assert_int_eq(rows(service, "live"), 4);
    ck_assert_int_eq(stepwatch("sync --include-live"), 0);
    ck_assert_int_eq(rows(service, "live"), 4);
    host_metric(host, 5, "loss", 5);
    host_close(host);
    ck_assert_int_eq(stepwatch("sync"), 0);
    assert_printed(", exit status 0\n");
    ck_assert_int_eq(rows(service, "live"), 7);
    service_close(service);
}
END_TEST

/* ---- interrupted ----------------------------------------------------------------------------- */

static pid_t sync_start(void)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int out = open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 1);
        dup2(out, 2);
        execl(BUILDDIR "/tests/tools/stepwatch", "stepwatch", "sync", "wandb/latest-run",
              (char *)NULL);
        _exit(99);
    }
    return child;
}

/* The rows' first post arrives and is never answered. */
static int ended_by(int signal_number)
{
    int status;
    runs_make();
    struct service *service = service_begin();
    if (!service)
        return -1;
    service_say(service, "fault mute on=file_stream times=1 stored=yes");
    pid_t child = sync_start();
    service_wait(service, "file_stream", 1);
    kill(child, signal_number);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    service_say(service, "clear");
    ck_assert_int_eq(stepwatch("sync wandb/latest-run"), 0);
    assert_printed("/runs/killed, 7 rows (");
    ck_assert_int_eq(rows(service, "killed"), 7);
    service_close(service);
    return status;
}

START_TEST(after_a_kill_it_goes_on_where_it_was)
{
    int status = ended_by(SIGKILL);
    ck_assert(status == -1 || WIFSIGNALED(status));
}
END_TEST

START_TEST(an_interrupt_ends_it_and_says_so)
{
    int status = ended_by(SIGINT);
    if (status == -1)
        return;
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s", host_file("out.txt"));
    ck_assert_ptr_nonnull(strstr(host_file("out.txt"), "interrupted"));
}
END_TEST

SUITE(command_sync)
{
    tcase_set_timeout(tc, 180);
    tcase_add_test(tc, a_dry_run_says_what_there_is_and_needs_no_key);
    tcase_add_loop_test(tc, a_run_is_found_by_each_of_its_places, 0,
                        sizeof places / sizeof *places);
    tcase_add_test(tc, without_a_path_it_looks_where_the_sink_writes);
    tcase_add_loop_test(tc, a_mistake_is_reported, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_test(tc, each_run_is_uploaded_once_and_its_page_is_printed);
    tcase_add_test(tc, what_was_done_is_json_too);
    tcase_add_test(tc, a_refused_run_is_an_error_and_the_next_one_is_tried);
    tcase_add_test(tc, a_run_that_is_still_written_is_left_alone_until_it_is_asked_for);
    tcase_add_test(tc, after_a_kill_it_goes_on_where_it_was);
    tcase_add_test(tc, an_interrupt_ends_it_and_says_so);
}
