/* SPDX-License-Identifier: MIT */
/* test_cut_off.c - a process that was cut off from the service for longer than any writer is silent
 * looks whether another process wrote its run meanwhile, before it sends anything again. */
#include "sinks/wandb/upload/upload.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"
#include "tests/wandb/written.h"

#include <stepwatch/wandb.h>

#include <stdio.h>
#include <string.h>

enum { ROWS = 20 };
#define BRIEF 0.2

static struct swi_upload upload;
static pthread_t thread;
static struct sw_error upload_err;
static char said[4096];

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    (void)level;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

static void *upload_run(void *arg)
{
    return (void *)(intptr_t)swi_upload_run(arg, &upload_err);
}

/* A run that is still being written, in the folder `run`. silent_s: so long without the service is
 * too long. */
static void start(struct service *service, double heartbeat_s, double silent_s)
{
    written_make("run",
                 &(struct written){.id = "abc", .rows = ROWS, .wall_s = 1795255200, .torn = true});
    const struct swi_upload_options options = {.log_path = "run/run-abc.wandb",
                                               .folder = "run",
                                               .service = online_service(service_url(service)),
                                               .key = online_key_of(online_key),
                                               .resume = SWI_RESUME_ALLOW,
                                               .interval_s = 600,
                                               .heartbeat_s = heartbeat_s,
                                               .silent_s = silent_s,
                                               .growing = true,
                                               .open_end = true,
                                               .say = hear};
    ck_assert_int_eq(swi_upload_init(&upload, &options, &upload_err), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, upload_run, &upload), 0);
}

static int end(void)
{
    void *rc;
    pthread_join(thread, &rc);
    swi_upload_fini(&upload);
    return (int)(intptr_t)rc;
}

/* ---- at the service -------------------------------------------------------------------------- */

static const json_t *history(json_t *state)
{
    return json_object_get(json_object_get(service_run(state), "lines"), "wandb-history.jsonl");
}

/* How many rows have this metric. None may have been put in the place of another. */
static int rows_with(struct service *service, const char *name)
{
    json_auto_t *state = service_state(service);
    const json_t *line;
    size_t i;
    int count = 0;
    json_array_foreach(history(state), i, line)
    {
        json_t *row = json_loads(json_string_value(line), 0, NULL);
        count += json_object_get(row, name) != NULL;
        json_decref(row);
    }
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
    return count;
}

static bool has_rows(json_t *state, void *arg)
{
    (void)arg;
    return json_array_size(history(state)) == ROWS;
}

static bool has_failed(json_t *state, void *service)
{
    size_t i;
    json_t *requests = service_requests(service), *request;
    bool failed = false;
    (void)state;
    json_array_foreach(requests, i, request) failed |=
        json_is_string(json_object_get(request, "fault"));
    json_decref(requests);
    return failed;
}

/* ---- another process wrote the run ----------------------------------------------------------- */

/* In its config, by rows, or both. */
static const char *const others[] = {"another 3", "another 0", "another 3 unnamed"};
enum { OTHERS = sizeof others / sizeof *others };

static int far_rows(int i)
{
    return i == 1 ? 0 : 3;
}

static void refused(void)
{
    ck_assert_int_eq(end(), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&upload_err), "run abc was written by another process") &&
                      strstr(sw_error_text(&upload_err), "stepwatch sync"),
                  "%s", sw_error_text(&upload_err));
}

/* What was sent before is there, and the file has it all: it goes behind the other's. */
static void kept(struct service *service, int rows, int far)
{
    ck_assert_int_eq(rows_with(service, "loss"), rows);
    ck_assert_int_eq(rows_with(service, "far"), far);
    ck_assert(!host_has("run/run-abc.wandb.synced"));

    struct sw_error err = {0};
    service_say(service, "clear");
    ck_assert_msg(sw_wandb_sync("run", NULL, NULL, &err) == 0, "%s", sw_error_text(&err));
    ck_assert_int_eq(rows_with(service, "loss"), ROWS);
    ck_assert_int_eq(rows_with(service, "far"), far);
}

SERVICE_TEST(rows_that_another_process_wrote_meanwhile_are_left, "")
{
    service_say(service, "fault 503 on=file_stream times=1 retry_after=4");
    start(service, 600, BRIEF);
    service_wait_until(service, has_failed, service);
    service_say(service, "%s", others[_i]);
    int posts = service_count(service, "file_stream");
    refused();
    ck_assert_int_eq(service_count(service, "file_stream"), posts);
    kept(service, 0, far_rows(_i));
}

/* Where nothing is due, the next sign of life is not sent. */
SERVICE_TEST(a_silent_process_looks_too, "")
{
    start(service, 0.8, BRIEF);
    service_wait_until(service, has_rows, NULL);
    service_say(service, "%s", others[_i]);
    refused();
    kept(service, ROWS, far_rows(_i));
}

/* ---- nobody did ------------------------------------------------------------------------------ */

/* The rows were not taken; or they were, and the answer did not arrive. */
static const char *const outages[] = {
    "fault 503 on=file_stream times=1 retry_after=0.4",
    "fault 503 on=file_stream times=1 retry_after=0.4 stored=yes",
    ("fault 503 on=file_stream times=1 retry_after=0.4; fault 502 on=RunResumeStatus times=1 "
     "after=1"),
};

SERVICE_TEST(where_nobody_wrote_it_the_run_goes_on, "")
{
    char text[256], *save = NULL;
    snprintf(text, sizeof text, "%s", outages[_i]);
    for (char *one = strtok_r(text, ";", &save); one; one = strtok_r(NULL, ";", &save))
        service_say(service, "%s", one + (*one == ' '));
    start(service, 600, BRIEF);
    service_wait_until(service, has_failed, service);
    swi_upload_close(&upload);
    ck_assert_msg(end() == 0, "%s", sw_error_text(&upload_err));
    ck_assert_int_eq(rows_with(service, "loss"), ROWS);
    ck_assert_int_gt(service_count(service, "RunResumeStatus"), 1);
}

/* A word of each post is enough: nothing is asked while the service answers. */
SERVICE_TEST(while_the_service_answers_it_is_not_asked, "")
{
    start(service, 600, 600);
    service_wait_until(service, has_rows, NULL);
    swi_upload_close(&upload);
    ck_assert_int_eq(end(), 0);
    ck_assert_int_eq(service_count(service, "RunResumeStatus"), 1);
}

SUITE(wandb_cut_off)
{
    tcase_add_loop_test(tc, rows_that_another_process_wrote_meanwhile_are_left, 0, OTHERS);
    tcase_add_loop_test(tc, a_silent_process_looks_too, 0, OTHERS);
    tcase_add_loop_test(tc, where_nobody_wrote_it_the_run_goes_on, 0,
                        sizeof outages / sizeof *outages);
    tcase_add_test(tc, while_the_service_answers_it_is_not_asked);
}
