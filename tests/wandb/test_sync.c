/* SPDX-License-Identifier: MIT */
/* test_sync.c - a run's file, uploaded: each row once, in order, whatever happened before. */
#include "net/surroundings.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"
#include "tests/wandb/written.h"

#include <stepwatch/wandb.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct written whole = {.id = "abc", .rows = 25, .wall_s = 1795255200};

static char said[8192];
static struct sw_error err;
static struct sw_wandb_result result;

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%d %s\n", level, text);
}

static int sync_with(const char *path, struct sw_wandb_sync options)
{
    options.size = sizeof options;
    options.say = hear;
    result = (struct sw_wandb_result){.size = sizeof result};
    return sw_wandb_sync(path, &options, &result, &err);
}

static void sync_well(const char *path)
{
    int rc = sync_with(path, (struct sw_wandb_sync){0});
    ck_assert_msg(rc == 0, "%s\n%s", sw_error_text(&err), said);
}

/* Of the only run. */
static size_t lines(json_t *state, const char *name)
{
    return json_array_size(json_object_get(json_object_get(service_run(state), "lines"), name));
}

static json_t *row(json_t *state, size_t i)
{
    json_t *all =
        json_object_get(json_object_get(service_run(state), "lines"), "wandb-history.jsonl");
    return json_loads(json_string_value(json_array_get(all, i)), 0, NULL);
}

/* Rows are all there, numbered without a gap, and none was stored as another one. */
static void rows_are(json_t *state, size_t count)
{
    json_t *run = service_run(state);
    json_t *numbers = json_object_get(json_object_get(run, "numbers"), "wandb-history.jsonl");
    ck_assert_uint_eq(lines(state, "wandb-history.jsonl"), count);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(json_integer_value(json_array_get(numbers, i)), (json_int_t)i);
    ck_assert_uint_eq(json_array_size(json_object_get(run, "rewritten")), 0);
}

static void step_is(json_t *state, size_t i, int64_t step)
{
    json_t *one = row(state, i);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "_step")), step);
    json_decref(one);
}

static const char *text_at(json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text ? text : "";
}

static const char *file_text(json_t *files, const char *name)
{
    return text_at(json_object_get(files, name), "text");
}

SERVICE_TEST(a_whole_run_arrives_with_all_that_belongs_to_it, "")
{
    written_make("r", &whole);
    sync_well("r");
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state);
    rows_are(state, 25);
    ck_assert_uint_eq(lines(state, "wandb-events.jsonl"), 3);
    ck_assert_uint_eq(lines(state, "output.log"), 2);
    ck_assert_str_eq(text_at(run, "state"), "finished");
    ck_assert_str_eq(text_at(run, "project"), "demo");
    json_t *config = json_object_get(run, "config");
    ck_assert_double_eq(json_real_value(json_object_get(json_object_get(config, "lr"), "value")),
                        0.5);
    json_t *files = json_object_get(run, "files");
    ck_assert_str_eq(file_text(files, "media/a.table.json"), "{\"columns\":[],\"data\":[]}");
    ck_assert_str_eq(file_text(files, "output.log"), "hello\nworld\n");
    ck_assert_ptr_nonnull(strstr(file_text(files, "config.yaml"), "lr:\n    value: 0.5\n"));
    ck_assert_ptr_nonnull(strstr(file_text(files, "wandb-summary.json"), "\"loss\":0.04"));
    ck_assert_uint_eq(json_array_size(json_object_get(run, "uploaded")), 5);
    ck_assert_int_eq(result.state, SW_WANDB_FINISHED);
    ck_assert_int_eq(result.rows, 25);
    ck_assert_int_eq(result.rows_sent, 25);
    ck_assert_int_eq(result.files, 5);
    ck_assert_str_eq(result.id, "abc");
    ck_assert_ptr_nonnull(strstr(result.url, "/fake-entity/demo/runs/abc"));
    ck_assert_int_eq(access("r/run-abc.wandb.synced", F_OK), 0);
}

/* As the SDK writes a record for each change of run.name, run.notes and run.tags. */
SERVICE_TEST(a_later_record_of_the_run_changes_name_notes_and_tags, "")
{
    struct written renamed = whole;
    renamed.renamed = "sünrise";
    renamed.tag = "old";
    written_make("r", &renamed);
    sync_well("r");
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state), *tags = json_object_get(run, "tags");
    ck_assert_str_eq(text_at(run, "displayName"), "sünrise");
    ck_assert_str_eq(text_at(run, "notes"), "found later");
    ck_assert_uint_eq(json_array_size(tags), 2);
    ck_assert_str_eq(json_string_value(json_array_get(tags, 0)), "new");
    rows_are(state, 25);
    ck_assert_str_eq(text_at(run, "state"), "finished");
}

static int posts_with(struct service *service, const char *text)
{
    int count = 0;
    size_t i;
    json_auto_t *requests = service_requests(service);
    json_t *request;
    json_array_foreach(requests, i, request)
    {
        bool is_post = strstr(text_at(request, "path"), "/file_stream") != NULL;
        count += is_post && strstr(text_at(request, "body"), text);
    }
    return count;
}

SERVICE_TEST(the_service_learns_that_the_run_may_be_suspended, "")
{
    struct written preempted = whole;
    preempted.preempting = true;
    written_make("r", &preempted);
    sync_well("r");
    ck_assert_int_eq(posts_with(service, "\"preempting\":true"), 1);
    json_auto_t *state = service_state(service);
    rows_are(state, 25);
    ck_assert_str_eq(text_at(service_run(state), "state"), "finished");
}

SERVICE_TEST(a_process_that_ends_before_its_run_leaves_the_run_running, "")
{
    struct written part = whole;
    part.goes_on = true;
    written_make("r", &part);
    sync_well("r");
    ck_assert_int_eq(posts_with(service, "\"complete\""), 0);
    json_auto_t *state = service_state(service);
    rows_are(state, 25);
    ck_assert_str_eq(text_at(service_run(state), "state"), "running");
}

/* `wandb sync` shows it like this, too. */
SERVICE_TEST(a_run_without_a_summary_has_the_last_step_in_it, "")
{
    struct written bare = whole;
    bare.bare = true;
    written_make("r", &bare);
    sync_well("r");
    json_auto_t *state = service_state(service);
    json_t *files = json_object_get(service_run(state), "files");
    ck_assert_str_eq(file_text(files, "wandb-summary.json"), "{\"_step\":24}");
    ck_assert_uint_eq(lines(state, "wandb-summary.json"), 1);
}

static void alerts_are(struct service *service, size_t count)
{
    json_auto_t *state = service_state(service);
    json_t *alerts = json_object_get(service_run(state), "alerts"), *alert;
    size_t i;
    ck_assert_uint_eq(json_array_size(alerts), count);
    json_array_foreach(alerts, i, alert)
    {
        char title[32];
        snprintf(title, sizeof title, "alert %zu", i + 1);
        ck_assert_str_eq(text_at(alert, "title"), title);
        ck_assert_str_eq(text_at(alert, "severity"), i == 0 ? "WARN" : "INFO");
        ck_assert_int_eq(json_integer_value(json_object_get(alert, "waitDuration")), 60000);
    }
}

SERVICE_TEST(each_alert_is_sent_once, "")
{
    const struct written run = {.id = "abc", .rows = 5, .wall_s = 1795255200, .alerts = 3};
    written_make("r", &run);
    sync_well("r");
    alerts_are(service, 3);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.again = true}), 0);
    alerts_are(service, 3);
}

/* The first is taken, the others are refused: they are said, and sent the next time. */
SERVICE_TEST(an_alert_that_is_refused_is_sent_by_the_next_upload, "")
{
    const struct written run = {.id = "abc", .rows = 5, .wall_s = 1795255200, .alerts = 3};
    written_make("r", &run);
    service_say(service, "fault 403 on=NotifyScriptableRunAlert after=1");
    sync_well("r");
    alerts_are(service, 1);
    ck_assert_int_eq(result.files_failed, 1);
    ck_assert_msg(strstr(said, "the alert \"alert 2\" was not sent, nor were those after it"), "%s",
                  said);
    ck_assert_int_lt(access("r/run-abc.wandb.synced", F_OK), 0);
    service_say(service, "clear");
    sync_well("r");
    alerts_are(service, 3);
    ck_assert_int_eq(access("r/run-abc.wandb.synced", F_OK), 0);
}

SERVICE_TEST(uploaded_twice_each_row_is_there_once, "")
{
    written_make("r", &whole);
    sync_well("r");
    sync_well("r");
    ck_assert_int_eq(result.state, SW_WANDB_SYNCED);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.again = true}), 0);
    ck_assert_int_eq(result.rows_sent, 0);
    json_auto_t *state = service_state(service);
    rows_are(state, 25);
    ck_assert_uint_eq(lines(state, "wandb-events.jsonl"), 3);
    ck_assert_uint_eq(lines(state, "output.log"), 2);
}

SERVICE_TEST(uploaded_again_without_the_word_of_where_it_was_each_row_is_there_once, "")
{
    written_make("r", &whole);
    sync_well("r");
    ck_assert_int_eq(unlink("r/run-abc.wandb.upload"), 0);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.again = true}), 0);
    ck_assert_int_eq(result.rows_sent, 0);
    json_auto_t *state = service_state(service);
    rows_are(state, 25);
}

SERVICE_TEST(another_process_of_the_same_run_goes_behind_the_first, "")
{
    struct written later = whole;
    later.wall_s += 1000;
    written_make("r", &whole);
    written_make("s", &later);
    sync_well("r");
    sync_well("s");
    sync_well("s/run-abc.wandb");
    ck_assert_int_eq(sync_with("s", (struct sw_wandb_sync){.again = true}), 0);
    json_auto_t *state = service_state(service);
    rows_are(state, 50);
    step_is(state, 24, 24);
    step_is(state, 25, 25);
    step_is(state, 49, 49);
    ck_assert_msg(strstr(said, "25 rows of another process") != NULL, "%s", said);
}

SERVICE_TEST(a_killed_run_is_uploaded_up_to_where_it_ends_and_has_failed, "")
{
    struct written killed = whole;
    killed.torn = true;
    written_make("r", &killed);
    ck_assert_int_eq(truncate("r/run-abc.wandb", 1000), 0);
    sync_well("r");
    json_auto_t *state = service_state(service);
    ck_assert_int_gt((int)result.rows, 3);
    ck_assert_int_lt((int)result.rows, 25);
    rows_are(state, (size_t)result.rows);
    ck_assert_str_eq(text_at(service_run(state), "state"), "failed");
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 1);
    ck_assert_int_eq(result.state, SW_WANDB_TORN);
    ck_assert_int_gt((int)result.torn_bytes, 0);
}

SERVICE_TEST(a_failed_run_has_its_exit_code, "")
{
    struct written failed = whole;
    failed.exit_code = 5;
    written_make("r", &failed);
    sync_well("r");
    json_auto_t *state = service_state(service);
    ck_assert_int_eq(json_integer_value(json_object_get(service_run(state), "exitcode")), 5);
    ck_assert_int_eq(result.exit_code, 5);
}

SERVICE_TEST(a_run_of_many_rows_arrives_in_parts, "--no-bodies")
{
    struct written many = whole;
    many.rows = 40000;
    written_make("r", &many);
    sync_well("r");
    json_auto_t *state = service_state(service);
    rows_are(state, 40000);
    ck_assert_uint_gt(json_array_size(json_object_get(service_run(state), "posts")), 1);
}

SERVICE_TEST(an_upload_that_broke_off_goes_on_where_it_was, "--no-bodies")
{
    struct written many = whole;
    many.rows = 40000;
    written_make("r", &many);
    service_say(service, "fault 403 on=file_stream after=1 times=1");
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){0}), SW_EIO);
    int64_t before = result.rows_sent;
    ck_assert_int_gt((int)before, 0);
    ck_assert_int_ne(access("r/run-abc.wandb.synced", F_OK), 0);
    sync_well("r");
    ck_assert_int_eq(result.rows_sent, 40000 - before);
    json_auto_t *state = service_state(service);
    rows_are(state, 40000);
}

/* It is no line at the service, and must not be counted as one. */
SERVICE_TEST(an_upload_that_broke_off_goes_on_behind_a_row_that_is_too_long, "--no-bodies")
{
    struct written many = whole;
    many.rows = 20000;
    many.wall_s += 1000;
    many.long_row = 5;
    written_make("r", &whole);
    written_make("s", &many);
    sync_well("r");
    service_say(service, "fault 403 on=file_stream after=1 times=1");
    ck_assert_int_eq(sync_with("s", (struct sw_wandb_sync){0}), SW_EIO);
    ck_assert_int_gt((int)result.rows_sent, 5);
    sync_well("s");
    json_auto_t *state = service_state(service);
    rows_are(state, 25 + 20000 - 1);
}

SERVICE_TEST(a_run_that_is_being_written_is_skipped_unless_asked_for, "")
{
    struct written part = whole;
    part.torn = true;
    written_make("r", &part);
    int fd = open("r/run-abc.wandb", O_RDWR | O_CLOEXEC);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_END};
    ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
    sync_well("r");
    ck_assert_int_eq(result.state, SW_WANDB_WRITTEN);
    ck_assert_int_eq(service_count(service, "any"), 0);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.include_live = true}), 0);
    ck_assert_int_eq(result.state, SW_WANDB_LIVE);
    json_auto_t *state = service_state(service);
    rows_are(state, 25);
    ck_assert_str_eq(text_at(service_run(state), "state"), "running");
    ck_assert_int_ne(access("r/run-abc.wandb.synced", F_OK), 0);
    close(fd);
}

#define TEN "0123456789"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* The service refuses a run with them, so a run of an older version could never be uploaded. */
SERVICE_TEST(what_the_service_refuses_of_a_run_is_left_out, "")
{
    struct written part = whole;
    part.group = LONG;
    part.tag = LONG;
    written_make("r", &part);
    sync_well("r");
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "groupName"), "");
    ck_assert_uint_eq(json_array_size(json_object_get(service_run(state), "tags")), 0);
    ck_assert_msg(strstr(said, "the group of the run is left out: it has 130 characters"), "%s",
                  said);
    ck_assert_msg(strstr(said, "a tag of the run is left out: the tag \"" TEN TEN "...\" has 130"),
                  "%s", said);
}

SERVICE_TEST(a_run_can_be_uploaded_with_another_description, "")
{
    struct written part = whole;
    part.group = "old";
    part.tag = "old";
    written_make("r", &part);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.name = "new name",
                                                           .group = "new group",
                                                           .job_type = "new kind",
                                                           .tags = "a,b c"}),
                     0);
    json_auto_t *state = service_state(service);
    json_t *run = service_run(state), *tags = json_object_get(run, "tags");
    ck_assert_str_eq(text_at(run, "displayName"), "new name");
    ck_assert_str_eq(text_at(run, "groupName"), "new group");
    ck_assert_str_eq(text_at(run, "jobType"), "new kind");
    ck_assert_uint_eq(json_array_size(tags), 2);
    ck_assert_str_eq(json_string_value(json_array_get(tags, 1)), "b c");
}

SERVICE_TEST(a_dry_run_counts_and_asks_nobody, "")
{
    unsetenv("WANDB_API_KEY");
    written_make("r", &whole);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.dry_run = true}), 0);
    ck_assert_int_eq(result.rows, 25);
    ck_assert_int_eq(result.files, 2);
    ck_assert_int_eq(service_count(service, "any"), 0);
    ck_assert_int_ne(access("r/run-abc.wandb.synced", F_OK), 0);
}

START_TEST(a_dry_run_leaves_out_what_an_upload_would)
{
    scratch_enter();
    written_make("r", &whole);
    scratch_write("r/run-abc.wandb.synced", "", 0);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.dry_run = true}), 0);
    ck_assert_int_eq(result.state, SW_WANDB_SYNCED);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.dry_run = true, .again = true}), 0);
    ck_assert_int_eq(result.state, SW_WANDB_FINISHED);
    ck_assert_int_eq(result.rows, 25);
}
END_TEST

SERVICE_TEST(where_it_goes_can_be_set, "")
{
    written_make("r", &whole);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.entity = "team",
                                                           .project = "other place",
                                                           .run_id = "xyz"}),
                     0);
    json_auto_t *state = service_state(service);
    ck_assert_str_eq(text_at(service_run(state), "entity"), "team");
    ck_assert_str_eq(text_at(service_run(state), "project"), "other place");
    ck_assert_str_eq(text_at(service_run(state), "name"), "xyz");
    ck_assert_ptr_nonnull(strstr(result.url, "/team/other%20place/runs/xyz"));
}

/* Nothing of it is left to be read when what the run is was found. */
SERVICE_TEST(a_run_without_a_row_is_whole, "")
{
    struct written bare = whole;
    bare.rows = 0;
    bare.bare = true;
    written_make("r", &bare);
    sync_well("r");
    ck_assert_int_eq(result.state, SW_WANDB_FINISHED);
    ck_assert_int_eq(result.torn_bytes, 0);
}

static const struct {
    const char *path;
    bool taken;
} outside[] = {{"output.log", true},
               {"media/a.table.json", true},
               {"../secret", false},
               {"/etc/hostname", false},
               {"link", false},
               {"*.log", false}, /* a name, as the real wandb sync has it */
               {"media/../../../secret", false},
               {"media", false},
               {"", false},
               {"media//a.table.json", false},
               {"linked/secret", false},
               {"fifo", false}};

START_TEST(a_file_outside_of_the_folder_is_not_sent)
{
    struct stat status;
    scratch_enter();
    scratch_write("secret", "SECRET", 6);
    written_make("r", &whole);
    ck_assert_int_eq(symlink("../../secret", "r/files/link"), 0);
    ck_assert_int_eq(symlink("../..", "r/files/linked"), 0);
    ck_assert_int_eq(mkfifo("r/files/fifo", 0644), 0);
    int fd = swi_plain_file_below("r", "files", outside[_i].path, &status);
    ck_assert_msg((fd >= 0) == outside[_i].taken, "%s", outside[_i].path);
    if (fd >= 0)
        close(fd);
}
END_TEST

START_TEST(without_a_key_it_says_where_to_put_one)
{
    scratch_enter();
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("NETRC", "/nonexistent", 1);
    unsetenv("WANDB_API_KEY");
    written_make("r", &whole);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){0}), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "WANDB_API_KEY") &&
                      strstr(sw_error_text(&err), "~/.netrc"),
                  "%s", sw_error_text(&err));
}
END_TEST

START_TEST(what_is_not_a_run_is_reported)
{
    scratch_enter();
    setenv("WANDB_API_KEY", online_key, 1);
    mkdir("empty", 0755);
    ck_assert_int_eq(sync_with("empty", (struct sw_wandb_sync){0}), SW_EINVAL);
    ck_assert_msg(strstr(sw_error_text(&err), "holds no file run-ID.wandb") != NULL, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(sync_with("nowhere", (struct sw_wandb_sync){0}), SW_EIO);
    scratch_write("empty/run-x.wandb", "", 0);
    ck_assert_int_eq(sync_with("empty", (struct sw_wandb_sync){.dry_run = true}), SW_EFORMAT);
    ck_assert_msg(strstr(sw_error_text(&err), "contains no run") != NULL, "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(sw_wandb_sync(NULL, NULL, NULL, NULL), SW_EINVAL);
}
END_TEST

static bool at_once(void *arg)
{
    (void)arg;
    return true;
}

SERVICE_TEST(whoever_asked_for_it_may_end_it, "")
{
    service_say(service, "fault mute on=graphql");
    written_make("r", &whole);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.cancelled = at_once}), SW_ETIME);
    ck_assert_int_eq(sync_with("r", (struct sw_wandb_sync){.timeout_s = 0.1}), SW_ETIME);
}

SUITE(wandb_sync)
{
    tcase_add_test(tc, what_the_service_refuses_of_a_run_is_left_out);
    tcase_add_test(tc, a_run_can_be_uploaded_with_another_description);
    tcase_add_test(tc, a_whole_run_arrives_with_all_that_belongs_to_it);
    tcase_add_test(tc, a_later_record_of_the_run_changes_name_notes_and_tags);
    tcase_add_test(tc, the_service_learns_that_the_run_may_be_suspended);
    tcase_add_test(tc, a_process_that_ends_before_its_run_leaves_the_run_running);
    tcase_add_test(tc, a_run_without_a_summary_has_the_last_step_in_it);
    tcase_add_test(tc, each_alert_is_sent_once);
    tcase_add_test(tc, an_alert_that_is_refused_is_sent_by_the_next_upload);
    tcase_add_test(tc, uploaded_twice_each_row_is_there_once);
    tcase_add_test(tc, uploaded_again_without_the_word_of_where_it_was_each_row_is_there_once);
    tcase_add_test(tc, another_process_of_the_same_run_goes_behind_the_first);
    tcase_add_test(tc, a_killed_run_is_uploaded_up_to_where_it_ends_and_has_failed);
    tcase_add_test(tc, a_failed_run_has_its_exit_code);
    tcase_add_test(tc, a_run_of_many_rows_arrives_in_parts);
    tcase_add_test(tc, an_upload_that_broke_off_goes_on_where_it_was);
    tcase_add_test(tc, an_upload_that_broke_off_goes_on_behind_a_row_that_is_too_long);
    tcase_add_test(tc, a_run_that_is_being_written_is_skipped_unless_asked_for);
    tcase_add_test(tc, a_dry_run_counts_and_asks_nobody);
    tcase_add_test(tc, a_dry_run_leaves_out_what_an_upload_would);
    tcase_add_test(tc, where_it_goes_can_be_set);
    tcase_add_test(tc, a_run_without_a_row_is_whole);
    tcase_add_loop_test(tc, a_file_outside_of_the_folder_is_not_sent, 0,
                        sizeof outside / sizeof *outside);
    tcase_add_test(tc, without_a_key_it_says_where_to_put_one);
    tcase_add_test(tc, what_is_not_a_run_is_reported);
    tcase_add_test(tc, whoever_asked_for_it_may_end_it);
}
