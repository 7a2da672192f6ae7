/* SPDX-License-Identifier: MIT */
/* test_outage.c - whatever the service or the way to it does while a program uploads its run: no
 * row is lost or comes twice, the program ends in time, the key stays where it belongs. */
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SERVICE_TEST(a_run_arrives_whole, "")
{
    const char *messages = online_run("60s");
    online_arrived(service);
    online_key_is_kept(service, messages);
}

/* All of these happen, one after the other, to the same run. */
static const char *const passing[] = {
    /* the run's creation: */
    "502 on=UpsertBucket times=1; 409 on=UpsertBucket times=1; garbage on=UpsertBucket times=1;"
    "half on=UpsertBucket times=1; deep on=UpsertBucket times=1; deflate on=UpsertBucket times=1",
    /* its rows, where the answer is lost and the rows are not: */
    "reset on=file_stream times=1 stored=yes; half on=file_stream times=1;"
    "garbage on=file_stream times=1; deep on=file_stream times=1; gzip on=file_stream times=1;"
    "endless on=file_stream times=1; mute on=file_stream times=1 seconds=1 stored=yes",
    /* or the rows as well: */
    "500 on=file_stream times=2; 408 on=file_stream times=1;"
    "429 on=file_stream times=1 retry_after=0.5; reset on=file_stream times=1;"
    "garbage on=file_stream times=1 stored=no", /* a login page, say */
    /* its files: */
    "garbage on=CreateRunFiles times=1; 503 on=storage times=1;"
    "reset on=storage times=1 stored=yes; 429 on=storage times=1",
    /* anything: */
    "reset on=request times=2; headers times=1; drip times=3 every=0.005; mute seconds=1",
    "dead seconds=2", "redirect on=storage", /* without the key, wherever it goes */
};

static void faults_say(struct service *service, const char *list)
{
    char text[512], *save = NULL;
    snprintf(text, sizeof text, "%s", list);
    for (char *one = strtok_r(text, ";", &save); one; one = strtok_r(NULL, ";", &save))
        service_say(service, "fault %s", one);
}

SERVICE_TEST(every_row_arrives_once_and_in_order_when_the_service_comes_back, "")
{
    faults_say(service, passing[_i]);
    const char *messages = online_run("100s");
    online_arrived(service);
    online_key_is_kept(service, messages);
}

/* ---- it does not come back ------------------------------------------------------------------- */

/* A sink that was left alone on a busy machine may still be writing it. */
static void file_is_kept(void)
{
    bool ended = false;
    int rows = online_rows_in_file(&ended);
    for (int i = 0; i < 6000 && !ended; i++) {
        usleep(10000);
        rows = online_rows_in_file(&ended);
    }
    ck_assert_int_eq(rows, ONLINE_ROWS);
    ck_assert(ended);
    ck_assert(!host_has("wandb/latest-run/run-abc.wandb.synced"));
}

/* Trying again would not help, and the program does not wait. */
static const char *const final[] = {
    "401",
    "403",
    "404",
    "501",
    "redirect",
    "redirect code=301",
    "401 on=file_stream",
    "404 on=file_stream",
    "409 on=file_stream",
    "413 on=file_stream",
    "redirect on=file_stream",
};

SERVICE_TEST(a_refusal_says_how_to_upload_the_file_that_is_kept, "")
{
    service_say(service, "fault %s", final[_i]);
    const char *messages = online_run("100s");
    file_is_kept();
    ck_assert_msg(strstr(messages, "stepwatch sync /") != NULL, "%s", messages);
    online_key_is_kept(service, messages);
}

/* It is tried until close_timeout is over. */
static const char *const lasting[] = {
    "dead",
    "mute",
    "drip",
    "reset",
    "409",
    "429 retry_after=3600",
    "500",
    "endless on=graphql",
    "garbage on=graphql",
    "mute on=file_stream",
    "500 on=file_stream",
};

SERVICE_TEST(the_program_ends_though_nobody_answers_and_the_file_is_kept, "")
{
    service_say(service, "fault %s", lasting[_i]);
    const char *messages = online_run("400ms");
    file_is_kept();
    /* On a machine that is too busy for the last fifth of the time, core says so instead. */
    ck_assert_msg(strstr(messages, "stepwatch sync /") || strstr(messages, "left alone"), "%s",
                  messages);
    online_key_is_kept(service, messages);
}

SERVICE_TEST(when_time_is_over_it_says_how_to_upload_the_rest, "")
{
    service_say(service, "fault mute on=file_stream");
    const char *messages = online_run("10s");
    file_is_kept();
    ck_assert_msg(strstr(messages, "stepwatch sync /") != NULL, "%s", messages);
    online_key_is_kept(service, messages);
}

static const char *const where[] = {"--storage other", "--storage relative"};

SERVICE_TEST(files_go_where_the_service_says_without_the_key, where[_i])
{
    const char *messages = online_run("60s");
    online_arrived(service);
    online_key_is_kept(service, messages);
}

LONG_SUITE(wandb_outage)
{
    tcase_add_test(tc, a_run_arrives_whole);
    tcase_add_loop_test(tc, every_row_arrives_once_and_in_order_when_the_service_comes_back, 0,
                        sizeof passing / sizeof *passing);
    tcase_add_loop_test(tc, a_refusal_says_how_to_upload_the_file_that_is_kept, 0,
                        sizeof final / sizeof *final);
    tcase_add_loop_test(tc, the_program_ends_though_nobody_answers_and_the_file_is_kept, 0,
                        sizeof lasting / sizeof *lasting);
    tcase_add_test(tc, when_time_is_over_it_says_how_to_upload_the_rest);
    tcase_add_loop_test(tc, files_go_where_the_service_says_without_the_key, 0, 2);
}
