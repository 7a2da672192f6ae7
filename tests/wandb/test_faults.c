/* SPDX-License-Identifier: MIT */
/* test_faults.c - whatever the service or the way to it does while a run's file is uploaded: no row
 * is lost or comes twice, the upload ends in time, the key stays where it belongs. The same for a
 * program that uploads while it runs is in test_outage.c. */
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

SERVICE_TEST(a_run_arrives_whole, "")
{
    const char *messages = online_sync(0);
    online_arrived(service);
    online_key_is_kept(service, messages);
}

/* Few: there are seconds between two tries. */
static const char *const passing[] = {
    "reset on=file_stream times=1 stored=yes", "503 on=storage times=1",
    "redirect on=storage", /* without the key, wherever it goes */
};

SERVICE_TEST(an_upload_of_a_file_goes_on_when_the_service_comes_back, "")
{
    service_say(service, "fault %s", passing[_i]);
    const char *messages = online_sync(0);
    online_arrived(service);
    online_key_is_kept(service, messages);
}

static const char *const lasting[] = {
    "dead",
    "mute",
    "401",
    "404",
    "429 retry_after=3600",
    "500",
    "redirect",
    "headers",
    "garbage on=graphql",
    "deep on=graphql",
    "half on=graphql",
    "409 on=file_stream",
    "413 on=file_stream",
    "mute on=file_stream",
};

SERVICE_TEST(an_upload_of_a_file_ends_in_time_and_changes_nothing, "")
{
    bool ended;
    service_say(service, "fault %s", lasting[_i]);
    const char *messages = online_sync(0.1);
    ck_assert_int_eq(online_rows_in_file(&ended), ONLINE_ROWS);
    ck_assert(ended && !host_has("wandb/latest-run/run-abc.wandb.synced"));
    ck_assert_str_ne(messages, "");
    online_key_is_kept(service, messages);
}

/* Rows need no files: these are said, and the next upload tries them again. */
SERVICE_TEST(a_file_that_is_refused_is_reported_and_all_else_arrives, "")
{
    service_say(service, "fault 403 on=storage");
    const char *messages = online_sync(0);
    ck_assert_msg(strstr(messages, "file output.log was not uploaded") != NULL, "%s", messages);
    ck_assert(!host_has("wandb/latest-run/run-abc.wandb.synced"));
    service_say(service, "clear");
    online_sync_again(0);
    online_arrived(service);
    ck_assert(host_has("wandb/latest-run/run-abc.wandb.synced"));
    online_key_is_kept(service, messages);
}

/* ---- whom to trust --------------------------------------------------------------------------- */

SERVICE_TEST(a_certificate_that_nobody_vouches_for_is_refused, "--tls self-signed")
{
    bool ended;
    const char *messages = online_sync(20);
    ck_assert_int_eq(service_count(service, "any"), 0);
    ck_assert_int_eq(online_rows_in_file(&ended), ONLINE_ROWS);
    ck_assert_msg(strstr(messages, "certificate") != NULL, "%s", messages);
    online_key_is_kept(service, messages);
}

SERVICE_TEST(a_certificate_is_accepted_with_the_file_that_vouches_for_it, "--tls self-signed")
{
    setenv("SSL_CERT_FILE", service_ca(service), 1);
    const char *messages = online_sync(0);
    online_arrived(service);
    online_key_is_kept(service, messages);
}

/* Under any name: the SDK reads each file of the folders. */
SERVICE_TEST(a_certificate_is_accepted_with_a_folder_that_vouches_for_it, "--tls self-signed")
{
    char folders[1024], command[2048];
    if (!service_ca(service)) {
        puts("SKIP: no openssl to make a certificate");
        return;
    }
    snprintf(folders, sizeof folders, "/nowhere:%s/certificates", service_folder(service));
    ck_assert_int_eq(mkdir(strchr(folders, ':') + 1, 0700), 0);
    snprintf(command, sizeof command, "cp '%s' '%s/own'", service_ca(service),
             strchr(folders, ':') + 1);
    ck_assert_int_eq(system(command), 0);
    setenv("SSL_CERT_DIR", folders, 1);
    const char *messages = online_sync(0);
    online_arrived(service);
    online_key_is_kept(service, messages);
}

SERVICE_TEST(a_certificate_of_another_host_is_refused, "--tls wrong-name")
{
    setenv("SSL_CERT_FILE", service_ca(service), 1);
    const char *messages = online_sync(20);
    ck_assert_int_eq(service_count(service, "any"), 0);
    ck_assert_msg(strstr(messages, "certificate") != NULL, "%s", messages);
    online_key_is_kept(service, messages);
}

/* The stand-in refuses a file that comes with the key, and one without the headers it asked for. */
static const char *const where[] = {"--storage other", "--storage relative"};

SERVICE_TEST(files_go_where_the_service_says_without_the_key, where[_i])
{
    const char *messages = online_sync(0);
    online_arrived(service);
    online_key_is_kept(service, messages);
}

/* ---- how much is taken ----------------------------------------------------------------------- */

static long peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

/* Each answer would be 256 MiB. */
SERVICE_TEST(an_answer_takes_no_more_memory_than_it_should, "")
{
    static const char *const huge[] = {"endless", "gzip"};
    long before = peak_mib();
    service_say(service, "fault %s on=UpsertBucket times=1", huge[_i]);
    const char *messages = online_sync(0);
    online_arrived(service);
    ck_assert_int_lt(peak_mib() - before, 64);
    online_key_is_kept(service, messages);
}

LONG_SUITE(wandb_faults)
{
    tcase_add_test(tc, a_run_arrives_whole);
    tcase_add_loop_test(tc, an_upload_of_a_file_goes_on_when_the_service_comes_back, 0,
                        sizeof passing / sizeof *passing);
    tcase_add_loop_test(tc, an_upload_of_a_file_ends_in_time_and_changes_nothing, 0,
                        sizeof lasting / sizeof *lasting);
    tcase_add_test(tc, a_file_that_is_refused_is_reported_and_all_else_arrives);
    tcase_add_test(tc, a_certificate_that_nobody_vouches_for_is_refused);
    tcase_add_test(tc, a_certificate_is_accepted_with_the_file_that_vouches_for_it);
    tcase_add_test(tc, a_certificate_is_accepted_with_a_folder_that_vouches_for_it);
    tcase_add_test(tc, a_certificate_of_another_host_is_refused);
    tcase_add_loop_test(tc, files_go_where_the_service_says_without_the_key, 0, 2);
    tcase_add_loop_test(tc, an_answer_takes_no_more_memory_than_it_should, 0, 2);
}
