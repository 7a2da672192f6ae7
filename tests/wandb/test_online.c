/* SPDX-License-Identifier: MIT */
/* test_online.c - the sink with a service that answers: the run is there while the program still
 * runs, and nothing that goes wrong there reaches the program. */
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char options[] = "run_id: abc\ninterval: 100ms\nsystem: false\n";

/* Waits for as long as a loaded machine needs. */
static struct host *open_with(const char *more)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", options, more);
    return host_open_with("wandb", text, "close_timeout: 100s\n");
}

static bool said(struct host *host, const char *text)
{
    return strstr(host_messages(host), text) != NULL;
}

static const char *text_at(json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

/* The report has one of its own. */
static size_t rows(json_t *state)
{
    json_t *run = service_run(state);
    return json_array_size(json_object_get(json_object_get(run, "lines"), "wandb-history.jsonl"));
}

static bool has_rows(json_t *state, void *arg)
{
    return service_run(state) && rows(state) >= *(size_t *)arg;
}

static void steps(struct host *host, int from, int count)
{
    for (int i = from; i < from + count; i++)
        host_metric(host, i, "train/loss", 1.0 / (i + 1));
}

SERVICE_TEST(rows_are_there_while_the_program_runs, "")
{
    struct host *host = open_with("project: demo\n");
    sw_hparam_float(host_profiler(host), "lr", 0.5);
    steps(host, 0, 11);
    service_wait_until(service, has_rows, &(size_t){10});
    steps(host, 11, 10);
    service_wait_until(service, has_rows, &(size_t){20});
    host_close(host);

    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    ck_assert_uint_eq(rows(state), 22);
    ck_assert_str_eq(text_at(run, "state"), "finished");
    ck_assert_str_eq(text_at(run, "project"), "demo");
    json_t *lr = json_object_get(json_object_get(run, "config"), "lr");
    ck_assert_double_eq(json_real_value(json_object_get(lr, "value")), 0.5);
    ck_assert_uint_eq(json_array_size(json_object_get(run, "rewritten")), 0);
    const char *page = strstr(host_messages(host), "the run's page is http://127.0.0.1:");
    ck_assert_msg(page && !strstr(page + 1, "the run's page"), "%s",
                  host_messages(host)); /* once */
    ck_assert_msg(said(host, "/fake-entity/demo/runs/abc"), "%s", host_messages(host));
    ck_assert(host_has("wandb/latest-run/run-abc.wandb.synced"));
}

SERVICE_TEST(much_is_sent_before_its_time_for_an_upload_keeps_little, "--no-bodies")
{
    struct host *host = host_open_with("wandb", "run_id: abc\ninterval: 600s\nsystem: false\n", "");
    steps(host, 0, 2);
    service_wait_until(service, has_rows, &(size_t){1});
    steps(host, 2, 14000);
    service_wait_until(service, has_rows, &(size_t){5000});
    host_close(host);
}

static bool is_uploaded(json_t *run, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(run, "uploaded"), i, one)
    {
        if (strcmp(json_string_value(one), name) == 0)
            return true;
    }
    return false;
}

/* A file that holds a text and was said to be uploaded, while the run goes on. */
struct wanted {
    const char *file, *text;
};

static bool has_file(json_t *state, void *arg)
{
    const struct wanted *wanted = arg;
    json_t *run = service_run(state);
    json_t *file = json_object_get(json_object_get(run, "files"), wanted->file);
    return file && strstr(text_at(file, "text"), wanted->text) && is_uploaded(run, wanted->file) &&
           strcmp(text_at(run, "state"), "running") == 0;
}

SERVICE_TEST(files_go_up_while_the_run_lasts_and_again_when_they_change, "")
{
    struct host *host = open_with("");
    service_wait_until(service, has_file, &(struct wanted){"wandb-metadata.json", "\"os\""});
    service_wait_until(service, has_file, &(struct wanted){"config.yaml", "cli_version"});
    sw_hparam_string(host_profiler(host), "late", "word");
    steps(host, 0, 3);
    service_wait_until(service, has_file, &(struct wanted){"config.yaml", "late:"});
    service_wait_until(service, has_file, &(struct wanted){"wandb-summary.json", "train/loss"});
    host_fit(host, 3);
    service_wait_until(service, has_file, &(struct wanted){"output.log", "Profiling Results:"});
    host_close(host);
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "state"), "finished");
}

static bool has_file_by_now(json_t *state, void *arg)
{
    return json_object_get(json_object_get(service_run(state), "files"), arg) != NULL;
}

/* Whatever is tried again at once would hold the rows up. */
SERVICE_TEST(rows_do_not_wait_for_files_that_a_store_does_not_take, "")
{
    service_say(service, "fault 503 on=storage times=2");
    struct host *host = open_with("");
    steps(host, 0, 12);
    service_wait_until(service, has_rows, &(size_t){10});
    steps(host, 12, 10);
    service_wait_until(service, has_rows, &(size_t){20});
    ck_assert_msg(!said(host, "503 Service Unavailable"), "%s", host_messages(host));
    host_close(host);
    json_auto_t *state = service_state(service);
    ck_assert(has_file_by_now(state, "config.yaml"));
    ck_assert(has_file_by_now(state, "wandb-metadata.json"));
}

SERVICE_TEST(a_report_is_there_with_its_tables_and_files, "")
{
    struct host *host = open_with("");
    host_fit(host, 20);
    host_close(host);
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    json_t *files = json_object_get(run, "files");
    ck_assert_ptr_nonnull(json_object_get(files, "output.log"));
    ck_assert_ptr_nonnull(json_object_get(files, "config.yaml"));
    ck_assert_ptr_nonnull(json_object_get(files, "wandb-metadata.json"));
    ck_assert_ptr_nonnull(json_object_get(files, "wandb-summary.json"));
    ck_assert_uint_ge(json_object_size(files), 6);
    const char *name;
    json_t *file;
    json_object_foreach(files, name, file) ck_assert_msg(is_uploaded(run, name), "%s", name);
    json_t *artifacts = json_object_get(state, "artifacts"), *artifact;
    const char *id;
    ck_assert_uint_ge(json_object_size(artifacts), 2);
    json_object_foreach(artifacts, id, artifact)
    {
        ck_assert_str_eq(text_at(artifact, "state"), "COMMITTED");
        ck_assert_ptr_null(json_object_get(artifact, "wrong"));
    }
}

SERVICE_TEST(files_that_nobody_takes_are_reported_and_cost_nothing_else, "")
{
    service_say(service, "fault 403 on=storage");
    struct host *host = open_with("");
    host_fit(host, 20);
    host_close(host);
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    ck_assert_str_eq(text_at(run, "state"), "finished");
    ck_assert_uint_eq(rows(state), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(run, "uploaded")), 0);
    ck_assert_msg(said(host, "file output.log was not uploaded"), "%s", host_messages(host));
}

SERVICE_TEST(a_failed_program_has_failed_there_too, "")
{
    struct host *host = open_with("");
    steps(host, 0, 3);
    sw_set_exit_status(host_profiler(host), 7);
    host_close(host);
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "state"), "failed");
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 7);
}

SERVICE_TEST(opening_asks_nobody_and_closing_ends_though_nobody_answers, "--fault mute")
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct host *host = host_open_with("wandb", options, "close_timeout: 10s\n");
    steps(host, 0, 10);
    sw_flush(host_profiler(host), 60000000000);
    struct sw_error err;
    ck_assert_msg(host_close_rc(host, &err) == 0, "%s", sw_error_text(&err));
    clock_gettime(CLOCK_MONOTONIC, &to);
    /* The service's own limits are 30 seconds and more. */
    ck_assert_int_lt(to.tv_sec - from.tv_sec, 29);
    ck_assert_msg(said(host, "close_timeout passed before all"), "%s", host_messages(host));
    ck_assert_msg(said(host, "stepwatch sync /"), "%s", host_messages(host));
    ck_assert(!host_has("wandb/latest-run/run-abc.wandb.synced"));

    service_say(service, "clear");
    struct sw_wandb_sync sync = {.size = sizeof sync};
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", &sync, NULL, &err) == 0, "%s",
                  sw_error_text(&err));
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 11);
}

SERVICE_TEST(after_an_outage_each_row_is_there_once, "")
{
    struct host *host = open_with("");
    steps(host, 0, 11);
    service_wait_until(service, has_rows, &(size_t){10});
    service_say(service, "fault 503 on=file_stream times=2 stored=yes retry_after=0");
    steps(host, 11, 20);
    service_wait_until(service, has_rows, &(size_t){30});
    host_close(host);
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 32);
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
}

SERVICE_TEST(a_silent_server_is_asked_again_after_the_time_that_it_named, "")
{
    service_say(service, "fault mute on=upsertbucket times=1");
    setenv("WANDB_HTTP_TIMEOUT", "0.2", 1);
    struct host *host = open_with("");
    steps(host, 0, 2);
    service_wait_until(service, has_rows, &(size_t){1});
    host_close(host);
    ck_assert_msg(said(host, "timed out after 2"), "%s", host_messages(host));
}

SERVICE_TEST(a_stop_on_the_page_reaches_the_program, "")
{
    struct host *host = open_with("");
    steps(host, 0, 2);
    service_wait_until(service, has_rows, &(size_t){1});
    service_say(service, "stop-run");
    int i = 2;
    for (; i < 6000 && !sw_should_stop(host_profiler(host)); i++) {
        host_metric(host, i, "train/loss", 1);
        usleep(10000);
    }
    ck_assert(sw_should_stop(host_profiler(host)));
    host_close(host);
    ck_assert_msg(said(host, "to stop it"), "%s", host_messages(host));
}

static const struct {
    const char *fault, *word;
} mistakes[] = {
    {"fault 401 on=graphql", "to the key of WANDB_API_KEY"},
    {"fault 403 on=graphql", "check project and entity"},
    {"fault 404 on=graphql", "no such project or entity"},
    {"fault 409 on=file_stream", "accepts no more rows"},
    {"fault redirect on=graphql", "set base_url"},
};

SERVICE_TEST(a_refusal_says_what_to_do_and_costs_no_row, "")
{
    service_say(service, "%s", mistakes[_i].fault);
    struct host *host = open_with("");
    steps(host, 0, 10);
    struct sw_error err;
    ck_assert_int_eq(host_close_rc(host, &err), 0);
    ck_assert_msg(said(host, mistakes[_i].word), "%s", host_messages(host));
    ck_assert_msg(said(host, "stepwatch sync /"), "%s", host_messages(host));
    ck_assert_msg(!said(host, "SECRET"), "%s", host_messages(host));

    service_say(service, "clear");
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", NULL, NULL, &err) == 0, "%s",
                  sw_error_text(&err));
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 11);
}

SERVICE_TEST(the_key_is_in_the_header_of_requests_to_the_service_and_nowhere_else,
             "--storage other")
{
    struct host *host = open_with("");
    host_fit(host, 5);
    host_close(host);
    ck_assert_int_ne(system("grep -rq SECRET wandb"), 0);
    ck_assert(!said(host, "SECRET"));
    json_t *requests = service_requests(service), *request, *header;
    size_t i, j, other = 0;
    json_array_foreach(requests, i, request)
    {
        bool is_other = strcmp(text_at(request, "listener"), "other") == 0, authorized = false;
        json_array_foreach(json_object_get(request, "headers"), j, header) authorized |=
            strcasecmp(json_string_value(json_array_get(header, 0)), "authorization") == 0;
        ck_assert_int_eq(authorized, !is_other);
        ck_assert_ptr_null(strstr(text_at(request, "body"), "SECRET"));
        other += is_other;
    }
    ck_assert_uint_gt(other, 0);
    json_decref(requests);
}

SERVICE_TEST(a_certificate_that_nobody_signed_is_refused_and_taken_with_its_file,
             "--tls self-signed")
{
    if (!service_ca(service)) {
        puts("SKIP: no openssl to make a certificate");
        return;
    }
    struct host *host = open_with("");
    steps(host, 0, 3);
    struct sw_error err;
    ck_assert_int_eq(host_close_rc(host, &err), 0);
    ck_assert_msg(said(host, "ca_file or SSL_CERT_FILE"), "%s", host_messages(host));
    ck_assert_int_eq(service_count(service, "UpsertBucket"), 0);

    char more[1024];
    snprintf(more, sizeof more, "ca_file: %s\ndir: second\n", service_ca(service));
    host = open_with(more);
    steps(host, 0, 3);
    host_close(host);
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 4);
}

SERVICE_TEST(a_certificate_for_another_host_is_named_as_the_cause, "--tls wrong-name")
{
    if (!service_ca(service)) {
        puts("SKIP: no openssl to make a certificate");
        return;
    }
    char more[1024];
    snprintf(more, sizeof more, "ca_file: %s\n", service_ca(service));
    struct host *host = open_with(more);
    steps(host, 0, 3);
    host_close(host);
    ck_assert_msg(said(host, "its certificate is for another host"), "%s", host_messages(host));
    ck_assert_msg(!said(host, "SSL_CERT_FILE"), "%s", host_messages(host));
    ck_assert_int_eq(service_count(service, "UpsertBucket"), 0);
}

SERVICE_TEST(insecure_takes_it_and_says_so, "--tls wrong-name")
{
    if (service_ca(service)) {
        struct host *host = open_with("insecure: true\n");
        steps(host, 0, 3);
        host_close(host);
        ck_assert_msg(said(host, "certificates are not checked"), "%s", host_messages(host));
        json_auto_t *state = service_state(service);
        ck_assert_uint_eq(rows(state), 4);
    }
}

/* ---- resume ---------------------------------------------------------------------------------- */

static void one_process(const char *more, int count)
{
    struct host *host = open_with(more);
    steps(host, 0, count);
    host_close(host);
}

SERVICE_TEST(a_run_goes_on_with_steps_config_and_summary, "")
{
    struct host *host = open_with("resume: allow\n");
    sw_hparam_int(host_profiler(host), "first", 1);
    steps(host, 0, 5);
    host_close(host);
    host = open_with("resume: must\ndir: second\n");
    sw_hparam_int(host_profiler(host), "second", 2);
    steps(host, 0, 5);
    host_close(host);
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    ck_assert_uint_eq(rows(state), 12);
    json_t *lines = json_object_get(json_object_get(run, "lines"), "wandb-history.jsonl");
    for (size_t i = 0; i < 12; i++) {
        json_t *row = json_loads(json_string_value(json_array_get(lines, i)), 0, NULL);
        ck_assert_int_eq(json_integer_value(json_object_get(row, "_step")), (json_int_t)i);
        json_decref(row);
    }
    ck_assert_ptr_nonnull(json_object_get(json_object_get(run, "config"), "first"));
    ck_assert_ptr_nonnull(json_object_get(json_object_get(run, "config"), "second"));
}

SERVICE_TEST(must_and_never_are_kept, "")
{
    struct sw_error err;
    struct host *host = open_with("resume: must\n");
    ck_assert_int_eq(host_close_rc(host, &err), 0);
    ck_assert_msg(said(host, "resume is must"), "%s", host_messages(host));
    one_process("dir: a\n", 2);
    host = open_with("resume: never\ndir: b\n");
    steps(host, 0, 3);
    ck_assert_int_eq(host_close_rc(host, &err), 0);
    ck_assert_msg(said(host, "resume is never"), "%s", host_messages(host));
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 3);
}

static const char automatic[] = "resume: auto\ninterval: 100ms\nsystem: false\n";

SERVICE_TEST(auto_goes_on_with_the_last_run_that_did_not_end_well, "")
{
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text, "%sdir: d\n", automatic);
        struct host *host = host_open_with("wandb", text, "close_timeout: 100s\n");
        steps(host, 0, 3);
        sw_set_exit_status(host_profiler(host), i == 0 ? 1 : 0);
        sw_flush(host_profiler(host), 60000000000);
        ck_assert(host_has("d/wandb/wandb-resume.json"));
        host_close(host);
        /* The folder's name has the second in it. */
        ck_assert_int_eq(system("mkdir old && mv d/wandb/run-* old/ && mv old old.$$"), 0);
    }
    ck_assert(!host_has("d/wandb/wandb-resume.json"));
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 8);
}

/* ---- a child --------------------------------------------------------------------------------- */

SERVICE_TEST(a_child_uploads_nothing, "")
{
    struct host *host = open_with("");
    steps(host, 0, 11);
    service_wait_until(service, has_rows, &(size_t){10});
    pid_t child = fork();
    if (child == 0) {
        steps(host, 11, 100);
        sw_close(host_profiler(host), NULL);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    steps(host, 11, 3);
    host_close(host);
    json_auto_t *state = service_state(service);
    ck_assert_uint_eq(rows(state), 15);
}

/* ---- exit() without a close ------------------------------------------------------------------ */

/* 0: the thread that uploads begins its work at the same time. */
static const int steps_before_exit[] = {0, 1, 3, 30};

static void leave_after(const char *more, int count)
{
    struct host *host = open_with(more);
    for (int i = 0; i < count; i++) {
        steps(host, i, 1);
        usleep(10000);
    }
    child_exit(3);
}

/* OpenSSL registers a function that ends it at exit(), later than stepwatch does, so that it would
 * run before the last rows are sent. */
SERVICE_TEST(a_program_that_exits_is_uploaded_over_tls, "--tls self-signed")
{
    if (!service_ca(service) || SANITIZED) {
        puts("SKIP: no openssl to make a certificate, or children do not call exit()");
        return;
    }
    char more[1024];
    snprintf(more, sizeof more, "ca_file: %s\n", service_ca(service));
    pid_t child = fork();
    if (child == 0)
        leave_after(more, steps_before_exit[_i]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 3, "status %d", status);
    json_auto_t *state = service_state(service);
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 3);
    ck_assert_uint_ge(rows(state), (size_t)steps_before_exit[_i]);
}

/* ---- a signal -------------------------------------------------------------------------------- */

static const char interrupted[] =
    "profiler: {show_report: false, close_timeout: 100s}\n"
    "logger_callback:\n"
    "  - wandb: {mode: online, run_id: abc, system: false, interval: 100ms}\n";

static void train_on(void)
{
    if (!freopen("/dev/null", "w", stderr))
        _exit(2);
    struct sw_profiler *sw = sw_open_text(interrupted, NULL);
    for (int i = 0; i < 12000; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "train/loss", i);
        sw_end_batch(sw, 1);
        usleep(10000);
    }
    _exit(1);
}

SERVICE_TEST(a_program_that_is_interrupted_ends_its_run, "")
{
    scratch_enter();
    pid_t child = fork();
    if (child == 0)
        train_on();
    service_wait_until(service, has_rows, &(size_t){5});
    ck_assert_int_eq(kill(child, SIGINT), 0);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "state"), "failed");
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")),
                     128 + SIGINT);
}

LONG_SUITE(wandb_online)
{
    tcase_add_test(tc, rows_are_there_while_the_program_runs);
    tcase_add_test(tc, much_is_sent_before_its_time_for_an_upload_keeps_little);
    tcase_add_test(tc, files_go_up_while_the_run_lasts_and_again_when_they_change);
    tcase_add_test(tc, rows_do_not_wait_for_files_that_a_store_does_not_take);
    tcase_add_test(tc, a_report_is_there_with_its_tables_and_files);
    tcase_add_test(tc, files_that_nobody_takes_are_reported_and_cost_nothing_else);
    tcase_add_test(tc, a_failed_program_has_failed_there_too);
    tcase_add_test(tc, opening_asks_nobody_and_closing_ends_though_nobody_answers);
    tcase_add_test(tc, after_an_outage_each_row_is_there_once);
    tcase_add_test(tc, a_silent_server_is_asked_again_after_the_time_that_it_named);
    tcase_add_test(tc, a_stop_on_the_page_reaches_the_program);
    tcase_add_loop_test(tc, a_refusal_says_what_to_do_and_costs_no_row, 0,
                        sizeof mistakes / sizeof *mistakes);
    tcase_add_test(tc, the_key_is_in_the_header_of_requests_to_the_service_and_nowhere_else);
    tcase_add_test(tc, a_certificate_that_nobody_signed_is_refused_and_taken_with_its_file);
    tcase_add_test(tc, a_certificate_for_another_host_is_named_as_the_cause);
    tcase_add_test(tc, insecure_takes_it_and_says_so);
    tcase_add_test(tc, a_run_goes_on_with_steps_config_and_summary);
    tcase_add_test(tc, must_and_never_are_kept);
    tcase_add_test(tc, auto_goes_on_with_the_last_run_that_did_not_end_well);
    tcase_add_test(tc, a_child_uploads_nothing);
    tcase_add_loop_test(tc, a_program_that_exits_is_uploaded_over_tls, 0,
                        sizeof steps_before_exit / sizeof *steps_before_exit);
    tcase_add_test(tc, a_program_that_is_interrupted_ends_its_run);
}
