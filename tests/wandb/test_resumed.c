/* SPDX-License-Identifier: MIT */
/* test_resumed.c - a run that several processes write one after the other, or want to at the same
 * time: each row is there once, the run ends as its last process ended, and the summary never goes
 * back. */
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/wandb.h>

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* ---- programs -------------------------------------------------------------------------------- */

static const char yaml[] = "profiler: {show_report: false, close_timeout: 60s}\n"
                           "logger_callback:\n"
                           "  - wandb: {mode: online, run_id: abc, project: demo, dir: %s, "
                           "interval: 100ms, resume: %s}\n";

static void keep(void *arg, enum sw_level level, const char *text)
{
    fprintf(arg, "%d %s\n", (int)level, text);
    fflush(arg);
}

/* Logs the metric `name`, from 0 on, for so many steps or for ever; then ends with the status. What
 * the sink says goes to `name`.log. */
static void program(const char *name, const char *resume, int steps, int status)
{
    char text[512], log[64];
    struct sw_error err;
    snprintf(text, sizeof text, yaml, name, resume);
    snprintf(log, sizeof log, "%s.log", name);
    FILE *file = fopen(log, "w");
    struct sw_profiler *sw = sw_open_text(text, &err);
    if (!sw || !file)
        _exit(99);
    sw_set_messages(sw, keep, file);
    for (int i = 0; steps < 0 || i < steps; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, name, i);
        sw_end_batch(sw, 1);
        pause_us(1000);
    }
    sw_set_exit_status(sw, status);
    _exit(sw_close(sw, NULL) == 0 ? 0 : 98);
}

static pid_t start(const char *name, const char *resume, int steps, int status)
{
    pid_t child = fork();
    if (child == 0)
        program(name, resume, steps, status);
    return child;
}

static void end(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

static void killed(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
}

static char said[8192];

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%d %s\n", level, text);
}

/* Uploads the file of a program; what it said is in `said`. */
static int sync_of(const char *name, bool again, struct sw_wandb_result *result,
                   struct sw_error *err)
{
    char pattern[64];
    glob_t found;
    struct sw_wandb_sync options = {.size = sizeof options, .again = again, .say = hear};
    snprintf(pattern, sizeof pattern, "%s/wandb/run-*", name);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    *said = '\0';
    int rc = sw_wandb_sync(found.gl_pathv[0], &options, result, err);
    globfree(&found);
    return rc;
}

static int64_t sync_well(const char *name, bool again)
{
    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_error err = {0};
    int rc = sync_of(name, again, &result, &err);
    ck_assert_msg(rc == 0, "%s\n%s", sw_error_text(&err), said);
    return result.rows_sent;
}

/* ---- at the service -------------------------------------------------------------------------- */

static json_t *lines_of(json_t *state, const char *file)
{
    return json_object_get(json_object_get(service_run(state), "lines"), file);
}

static json_t *line_at(json_t *state, const char *file, size_t i)
{
    return json_loads(json_string_value(json_array_get(lines_of(state, file), i)), 0, NULL);
}

/* How many rows have the metric: each once, in order, from 0 on, and with steps that grow. */
static int rows_of(json_t *state, const char *name)
{
    int count = 0;
    json_int_t last = -1;
    for (size_t i = 0; i < json_array_size(lines_of(state, "wandb-history.jsonl")); i++) {
        json_t *row = line_at(state, "wandb-history.jsonl", i);
        const json_t *value = json_object_get(row, name);
        json_int_t step = json_integer_value(json_object_get(row, "_step"));
        ck_assert_int_gt(step, last);
        last = step;
        if (value)
            ck_assert_int_eq((int)json_number_value(value), count++);
        json_decref(row);
    }
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
    return count;
}

static double summary_of(json_t *state, const char *name)
{
    json_t *summary = line_at(state, "wandb-summary.json", 0);
    double value = json_number_value(json_object_get(summary, name));
    json_decref(summary);
    return value;
}

static const char *text_at(json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

static bool has_rows(json_t *state, void *name)
{
    return service_run(state) && rows_of(state, name) >= 20;
}

/* How many rows of the metric are in the program's file. */
static int rows_in_file(const char *name)
{
    char command[256], text[32] = "";
    snprintf(command, sizeof command, "grep -ao '\\b%s\\b' %s/wandb/run-*/run-abc.wandb | wc -l",
             name, name);
    FILE *pipe = popen(command, "r");
    char *line = fgets(text, sizeof text, pipe);
    pclose(pipe);
    return line ? atoi(text) : 0;
}

/* ---- one after the other --------------------------------------------------------------------- */

/* What was on its way when the first process was killed: nothing; a post that was rejected; one
 * that was accepted, but whose answer did not arrive. */
static const char *const ways[] = {NULL, "fault 503 on=file_stream",
                                   "fault reset on=file_stream "
                                   "stored=yes times=1"};

static int failed_posts(json_t *requests)
{
    int count = 0;
    size_t i;
    json_t *request;
    json_array_foreach(requests, i, request) count +=
        json_is_string(json_object_get(request, "fault"));
    json_decref(requests);
    return count;
}

/* The first process is killed with rows in its file that the service does not have, or may have. */
static void first_killed(struct service *service, const char *way)
{
    pid_t first = start("first", "allow", -1, 0);
    service_wait_until(service, has_rows, "first");
    if (way)
        service_say(service, "%s", way);
    for (int i = 0; way && i < 6000 && !failed_posts(service_requests(service)); i++)
        pause_us(10000);
    /* Its file is written once a second. */
    pause_us(way ? 1500000 : 0);
    killed(first);
    service_say(service, "clear");
}

static void resume_and_sync(struct service *service, const char *way)
{
    first_killed(service, way);
    end(start("second", "must", 50, 0));
    sync_well("first", false);
}

SERVICE_TEST(what_a_killed_process_left_goes_behind_the_one_that_went_on, "--no-bodies")
{
    resume_and_sync(service, ways[_i]);
    json_auto_t *state = service_state(service);
    int first = rows_of(state, "first");
    ck_assert_int_ge(first, 20);
    ck_assert_int_eq(rows_of(state, "second"), 50);
    json_t *run = service_run(state);
    ck_assert_str_eq(text_at(run, "state"), "finished");
    ck_assert_int_eq(json_integer_value(json_object_get(run, "exitcode")), 0);
    ck_assert_double_eq(summary_of(state, "second"), 49);
    ck_assert_int_ge(summary_of(state, "first"), 19);
    /* Each name is in a row, in the summary and in the summary of the draft at most. */
    ck_assert_int_ge(rows_in_file("first"), first);
    ck_assert_int_eq(sync_well("first", true), 0);
    json_auto_t *after = service_state(service);
    ck_assert_int_eq(rows_of(after, "first"), first);
    ck_assert_str_eq(text_at(service_run(after), "state"), "finished");
}

SERVICE_TEST(a_run_that_failed_stays_failed_with_its_exit_code_where_nothing_is_to_be_added, "")
{
    end(start("first", "allow", 20, 0));
    end(start("second", "must", 20, 7));
    int posts = service_count(service, "file_stream");
    ck_assert_int_eq(sync_well("first", true), 0);
    ck_assert_int_eq(service_count(service, "file_stream"), posts);
    json_auto_t *state = service_state(service);
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 7);
}

/* How many rows have the metric, and how many values it has in them. */
static int values_of(json_t *state, const char *name, int *rows)
{
    enum { MOST = 100000 };
    static bool seen[MOST];
    int values = 0;
    memset(seen, 0, sizeof seen);
    *rows = 0;
    for (size_t i = 0; i < json_array_size(lines_of(state, "wandb-history.jsonl")); i++) {
        json_t *row = line_at(state, "wandb-history.jsonl", i);
        const json_t *value = json_object_get(row, name);
        if (value) {
            int at = (int)json_number_value(value);
            ck_assert_int_lt(at, MOST);
            values += !seen[at];
            seen[at] = true;
            ++*rows;
        }
        json_decref(row);
    }
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "rewritten")), 0);
    return values;
}

/* As if the last post of the first process had been stored, but not answered. */
static void answer_forget(void)
{
    glob_t found;
    ck_assert_int_eq(glob("first/wandb/run-*/run-abc.wandb.upload", 0, NULL, &found), 0);
    json_auto_t *saved = json_load_file(found.gl_pathv[0], 0, NULL);
    json_int_t sent = json_integer_value(json_object_get(saved, "sent"));
    json_object_set_new(saved, "sent", json_integer(sent - 10));
    json_object_set_new(saved, "tried", json_integer(sent));
    ck_assert_int_eq(json_dump_file(saved, found.gl_pathv[0], 0), 0);
    globfree(&found);
}

/* The service's last row says that the post was stored, unless another process has added rows: then
 * the rows of the post are sent again, with a message. */
SERVICE_TEST(rows_of_a_post_without_an_answer_are_never_lost, "--no-bodies")
{
    int rows;
    char text[64];
    first_killed(service, NULL);
    answer_forget();
    if (_i)
        end(start("second", "must", 50, 0));
    json_auto_t *before = service_state(service);
    int stored = rows_of(before, "first");
    int64_t sent = sync_well("first", false);
    json_auto_t *state = service_state(service);
    int values = values_of(state, "first", &rows);
    ck_assert_int_ge(values, stored);
    ck_assert_int_eq(rows, stored + sent);
    ck_assert_int_eq(rows > values, _i);
    snprintf(text, sizeof text, "broke off while it sent %d rows", rows - values);
    ck_assert_msg((strstr(said, text) != NULL) == _i, "%s", said);
    ck_assert_int_eq(sync_well("first", true), 0);
}

SERVICE_TEST(an_upload_that_has_sent_nothing_leaves_no_rows_in_doubt, "")
{
    end(start("first", "allow", 20, 0));
    end(start("second", "must", 20, 0));
    ck_assert_int_eq(sync_well("first", true), 0);
    end(start("third", "must", 20, 0));
    ck_assert_int_eq(sync_well("first", true), 0);
    ck_assert_msg(!strstr(said, "broke off"), "%s", said);
}

SERVICE_TEST(without_the_record_of_what_is_stored_nothing_is_sent, "")
{
    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_error err = {0};
    first_killed(service, NULL);
    end(start("second", "must", 20, 0));
    ck_assert_int_eq(system("rm first/wandb/run-*/run-abc.wandb.upload"), 0);
    ck_assert_int_eq(sync_of("first", false, &result, &err), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "nothing was sent, because rows could be stored "
                                              "twice; upload the file as another run") != NULL,
                  "%s", sw_error_text(&err));
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "state"), "finished");
}

/* The second one is killed too, and its file is uploaded before or after that of the first. */
SERVICE_TEST(two_killed_processes_leave_one_run_in_whatever_order_they_are_uploaded, "--no-bodies")
{
    first_killed(service, ways[1]);
    pid_t second = start("second", "must", -1, 0);
    service_wait_until(service, has_rows, "second");
    pause_us(1200000);
    killed(second);
    sync_well(_i ? "second" : "first", false);
    sync_well(_i ? "first" : "second", false);
    json_auto_t *state = service_state(service);
    ck_assert_int_ge(rows_of(state, "first"), 20);
    int rows = rows_of(state, "second");
    ck_assert_str_eq(text_at(service_run(state), "state"), "failed");
    ck_assert_int_eq((int)summary_of(state, "second"), rows - 1);
}

SERVICE_TEST(step_and_run_time_go_on_in_rows_statistics_and_summary, "")
{
    first_killed(service, NULL);
    json_auto_t *before = service_state(service);
    size_t rows = json_array_size(lines_of(before, "wandb-history.jsonl"));
    size_t events = json_array_size(lines_of(before, "wandb-events.jsonl"));
    json_t *last = line_at(before, "wandb-history.jsonl", rows - 1);
    double runtime = json_number_value(json_object_get(last, "_runtime"));
    json_int_t step = json_integer_value(json_object_get(last, "_step"));
    json_decref(last);
    end(start("second", "must", 20, 0));
    json_auto_t *state = service_state(service);
    json_t *row = line_at(state, "wandb-history.jsonl", rows);
    ck_assert_int_eq(json_integer_value(json_object_get(row, "_step")), step + 1);
    ck_assert_double_gt(json_number_value(json_object_get(row, "_runtime")), runtime);
    json_t *event = line_at(state, "wandb-events.jsonl", events);
    ck_assert_double_ge(json_number_value(json_object_get(event, "_runtime")), runtime);
    ck_assert_double_gt(summary_of(state, "_runtime"), runtime);
    ck_assert_double_gt(summary_of(state, "_step"), (double)step);
    json_decref(row);
    json_decref(event);
}

/* ---- at the same time ------------------------------------------------------------------------ */

static bool log_says(const char *name, const char *text)
{
    char command[256];
    snprintf(command, sizeof command, "grep -qF '%s' %s.log", text, name);
    return system(command) == 0;
}

SERVICE_TEST(a_second_process_gets_a_message_and_leaves_the_rows_of_the_first, "--no-bodies")
{
    pid_t first = start("first", "allow", -1, 0);
    service_wait_until(service, has_rows, "first");
    end(start("second", "allow", 50, 0));
    ck_assert(log_says("second", "is being written by another process"));
    ck_assert(log_says("second", "stepwatch sync"));
    json_auto_t *state = service_state(service);
    int rows = rows_of(state, "first");
    ck_assert_int_eq(rows_of(state, "second"), 0);
    ck_assert_str_eq(text_at(service_run(state), "state"), "running");

    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_error err = {0};
    ck_assert_int_eq(sync_of("second", false, &result, &err), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "is being written by another process") != NULL, "%s",
                  sw_error_text(&err));
    kill(first, SIGTERM);
    waitpid(first, NULL, 0);
    sync_well("second", false);
    json_auto_t *after = service_state(service);
    ck_assert_int_ge(rows_of(after, "first"), rows);
    ck_assert_int_eq(rows_of(after, "second"), 50);
}

/* ---- deleted on its page --------------------------------------------------------------------- */

static int count_in(const char *text, const char *what)
{
    int count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

SERVICE_TEST(a_run_that_was_deleted_is_reported_once_and_uploaded_as_another, "--no-bodies")
{
    struct sw_error err = {0};
    struct host *host = online_open("interval: 100ms\n", "100s");
    online_train(host);
    sw_flush(host_profiler(host), INT64_C(60000000000));
    service_wait(service, "file_stream", 1);
    service_say(service, "delete-runs");
    host_fit(host, 5);
    host_close_rc(host, &err);
    const char *messages = host_messages(host);
    ck_assert_msg(count_in(messages, "stepwatch sync") == 1, "%s", messages);
    ck_assert_msg(strstr(messages, "was it deleted on its page?") != NULL, "%s", messages);
    ck_assert_msg(strstr(messages, "-abc --run-id ID") != NULL, "%s", messages);
    ck_assert_msg(!strstr(messages, "was not uploaded"), "%s", messages);

    struct sw_wandb_sync options = {.size = sizeof options, .timeout_s = 30};
    ck_assert_int_eq(sw_wandb_sync("wandb/latest-run", &options, NULL, &err), SW_EIO);
    ck_assert_msg(strstr(sw_error_text(&err), "stepwatch sync wandb/latest-run --run-id ID") !=
                      NULL,
                  "%s", sw_error_text(&err));
    options.run_id = "another";
    ck_assert_msg(sw_wandb_sync("wandb/latest-run", &options, NULL, &err) == 0, "%s",
                  sw_error_text(&err));
    json_auto_t *state = service_state(service);
    ck_assert_int_eq(rows_of(state, "loss"), ONLINE_ROWS);
    ck_assert_str_eq(text_at(service_run(state), "name"), "another");
}

/* Whatever the service's words for it are. */
SERVICE_TEST(a_run_that_cannot_be_made_is_reported_within_half_a_minute, "")
{
    struct timespec from, to;
    struct sw_error err = {0};
    service_say(service, "fault 409 on=UpsertBucket");
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct host *host = online_open("", "60s");
    online_train(host);
    host_close_rc(host, &err);
    clock_gettime(CLOCK_MONOTONIC, &to);
    ck_assert_int_lt(to.tv_sec - from.tv_sec, 30);
    ck_assert_msg(strstr(host_messages(host), "-abc --run-id ID") != NULL, "%s",
                  host_messages(host));
}

LONG_SUITE(wandb_resumed)
{
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, what_a_killed_process_left_goes_behind_the_one_that_went_on, 0,
                        sizeof ways / sizeof *ways);
    tcase_add_test(tc,
                   a_run_that_failed_stays_failed_with_its_exit_code_where_nothing_is_to_be_added);
    tcase_add_loop_test(tc, rows_of_a_post_without_an_answer_are_never_lost, 0, 2);
    tcase_add_test(tc, an_upload_that_has_sent_nothing_leaves_no_rows_in_doubt);
    tcase_add_test(tc, without_the_record_of_what_is_stored_nothing_is_sent);
    tcase_add_loop_test(tc, two_killed_processes_leave_one_run_in_whatever_order_they_are_uploaded,
                        0, 2);
    tcase_add_test(tc, step_and_run_time_go_on_in_rows_statistics_and_summary);
    tcase_add_test(tc, a_second_process_gets_a_message_and_leaves_the_rows_of_the_first);
    tcase_add_test(tc, a_run_that_was_deleted_is_reported_once_and_uploaded_as_another);
    tcase_add_test(tc, a_run_that_cannot_be_made_is_reported_within_half_a_minute);
}
